"""A page holds its own, whatever the names in it, and says what is to be said."""

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.data.schema import Equals, IsTrue, Schema
from gnri.errors import GnriError
from gnri.estimator.statistics import measure_rules
from gnri.formats.conditions import format_value
from gnri.report.coverage import measure_lines
from gnri.report.page import page, write_page
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from tests.effort import half_as_often
from tests.formats.cases import random_rule_list
from tests.formats.hostile import HOSTILE, NUL
from tests.formats.test_hostile import hostile_rules
from tests.report.cases import facts
from tests.report.pages import Page


@pytest.mark.parametrize(
    "text", [*HOSTILE, NUL, "</style>", "<!--", "&lt;b&gt;", "{{ 7 }}"], ids=ascii
)
def test_hostile_names_are_text_and_nothing_else(text: str) -> None:
    source = page(facts(hostile_rules(text)))
    found = Page(source)
    assert found.faults == []
    assert format_value(text) in found.text
    assert all(line.isprintable() for line in source.splitlines())


@half_as_often
@given(st.integers(0, 2**32))
def test_a_page_of_any_rules_is_well_formed(seed: int) -> None:
    rules = random_rule_list(np.random.default_rng(seed))
    found = Page(page(facts(rules, rows=1 + seed % 50, seed=seed)))
    assert found.faults == []
    fitted = facts(rules, rows=1 + seed % 50, seed=seed).fitted
    for card in fitted.statistics:
        assert card.form == "scorecard" or all(one.text in found.text for one in card.clauses)
    for lines in measure_lines(fitted):
        assert all(name in found.text for name, _ in lines)


def test_nothing_can_be_loaded_or_run() -> None:
    source = page(facts(hostile_rules("odor")))
    assert source.startswith("<!DOCTYPE html>\n<html") and source.endswith("</html>\n")
    policy = next(v for t, n, v in Page(source).attributes if t == "meta" and n == "content")
    style = re.search(r"<style>(.*?)</style>", source, re.DOTALL)
    assert policy is not None and style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert not re.search(r"https?:|url\(|@import|<script|<link|<img|javascript:", source)
    assert source.isascii() or source.encode().decode() == source


def test_each_part_is_there() -> None:
    text = Page(page(facts(hostile_rules("odor")))).text
    for title in (
        "The rules",
        "The evidence for each clause",
        "Which clause covers which rows",
        "How often the answer is right",
        "What was made of the columns",
        "Missing cells",
        "What does not matter",
        "How to make this again",
    ):
        assert title in text
    assert "above 1.5" in text
    assert "✓ exactly that" in text
    assert "✗ something else" in text
    assert "nothing is promised" in text
    assert "nothing, as it does not vary" in text


def test_a_reason_stands_where_the_check_was_left_out() -> None:
    text = Page(page(replace(facts(hostile_rules("odor")), symmetry="Not checked: no table."))).text
    assert "Not checked: no table." in text
    assert "exactly that" not in text


def test_absent_rules_and_rules_without_clauses_have_a_page() -> None:
    schema = Schema((IsTrue("a"),))
    for rule in (None, SignedDNF(), SignedDNF([[]], positive=False)):
        found = Page(page(facts(RuleList.binary(schema, ("no", "yes"), rule))))
        assert found.faults == []
        assert "yes" in found.text


def test_the_same_facts_make_the_same_page() -> None:
    assert page(facts(hostile_rules("a"))) == page(facts(hostile_rules("a")))


def test_many_classes_are_shown_by_their_mistakes() -> None:
    schema = Schema((Equals("a", "x"),))
    classes = tuple(f"class {k}" for k in range(30))
    steps = (Step(SignedDNF([[(0, True)]]), 0),)
    found = Page(page(facts(RuleList(schema, classes, steps, 29), rows=300)))
    assert found.faults == []
    assert "answered instead" in found.text


def test_a_page_that_cannot_be_written_leaves_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert write_page(facts(hostile_rules("a")), path) == path
    assert Page(path.read_text(encoding="utf-8")).faults == []
    with pytest.raises(GnriError, match="cannot be written"):
        write_page(facts(hostile_rules("a")), tmp_path / "no such folder" / "report.html")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_rows_are_counted_from_1_and_one_thing_is_not_many() -> None:
    rules = RuleList.binary(Schema((IsTrue("a"),)), ("no", "yes"), SignedDNF([[(0, True)]]))
    some = facts(rules)
    values = np.array([[1], [1], [-1], [1]], np.int8)
    statistics = measure_rules(Counter.from_values(values, np.array([1, 1, 0, 1]), 2), rules)
    fitted = replace(some.fitted, statistics=statistics, missing={"a": 1, "same": 0})
    text = Page(page(replace(some, fitted=fitted))).text
    assert "counted from 1" in text and "1-2, 4" in text
    assert "1 cell is missing, in 1 column of" in text
    assert "1 column that no rule reads" in text
