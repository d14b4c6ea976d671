"""Hostile names and values go through every exporter and come out as themselves."""

import csv
import io

import pytest

from gnri.data.schema import Equals, IsTrue, Schema
from gnri.errors import RuleError
from gnri.formats.latex import escape_latex, to_latex
from gnri.formats.literal_frame import to_rows
from gnri.formats.prolog import to_prolog
from gnri.formats.python_source import to_python
from gnri.formats.sql import to_sql
from gnri.formats.text import to_text
from gnri.rules.documents import from_json, to_json
from gnri.rules.rule_list import RuleList
from tests.contracts.format_contract import in_python
from tests.formats.hostile import HOSTILE, NUL, hostile_columns, hostile_rules
from tests.formats.tokens import latex_faults, prolog_strings, unescaped_latex


def test_the_corpus_is_large() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 50


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_json_and_frame_keep_the_text(text: str) -> None:
    rules = hostile_rules(text)
    assert from_json(to_json(rules)) == rules
    assert to_json(rules).isascii()
    rows = to_rows(rules)
    assert {row["column"] for row in rows} == {text, text + " n", text + " f"}
    assert any(row["value"] == text for row in rows)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_words_stay_on_their_lines(text: str) -> None:
    rules = hostile_rules(text)
    lines = to_text(rules).splitlines()
    assert len(lines) == 5
    assert all(line.isprintable() for line in lines)
    assert all(line.isprintable() for line in to_python(rules).split("\n"))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_prolog_reads_back_the_same_strings(text: str) -> None:
    quoted = prolog_strings(to_prolog(hostile_rules(text)))
    assert set(quoted) == {text, text + "2", text + " n", text + " f", text + "!"}


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_latex_is_escaped(text: str) -> None:
    assert unescaped_latex(escape_latex(text)) == text
    assert latex_faults(to_latex(hostile_rules(text))) == []


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_literal_of_the_frame_is_a_spreadsheet_formula(text: str) -> None:
    for row in to_rows(hostile_rules(text)):
        assert not row["literal"].startswith(("=", "+", "-", "@", "\t", "\r"))
        written = io.StringIO()
        csv.writer(written).writerow([row["literal"]])
        assert next(csv.reader(io.StringIO(written.getvalue()))) == [row["literal"]]


def test_nul_is_kept_where_it_can_be_and_refused_where_not() -> None:
    rules, columns = hostile_rules(NUL), hostile_columns(NUL)
    assert in_python(rules, columns) == rules.predict(columns)
    assert from_json(to_json(rules)) == rules
    assert prolog_strings(to_prolog(rules))
    with pytest.raises(RuleError, match="NUL"):
        to_sql(rules, "t")
    with pytest.raises(RuleError, match="NUL"):
        to_sql(hostile_rules("fine"), "a\0b")


def test_an_empty_name_is_refused_by_sql_alone() -> None:
    rules, columns = hostile_rules(""), hostile_columns("")
    assert in_python(rules, columns) == rules.predict(columns)
    assert from_json(to_json(rules)) == rules
    assert prolog_strings(to_prolog(rules)).count("") > 0
    with pytest.raises(RuleError, match="empty names"):
        to_sql(rules, "t")
    with pytest.raises(RuleError, match="empty names"):
        to_sql(hostile_rules("fine"), "")


def test_half_a_character_is_refused() -> None:
    for build in (lambda s: Equals("a", s), IsTrue):
        with pytest.raises(RuleError, match="valid"):
            RuleList.binary(Schema((build("\ud800"),)), (0, 1), None)
