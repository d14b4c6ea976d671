"""The parts against slow, obvious versions of themselves."""

import csv
import io
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.data.table import Table
from gnri.data.target import Target
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted, make_fitted
from gnri.estimator.settings import FitSettings
from gnri.estimator.training_rows import TrainingRows
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses
from gnri.rules.rule_list import RuleList
from gnri.web import rule_view
from gnri.web.editing import edit_literal
from gnri.web.rule_view import TableFit
from gnri.web.schemas import SentRule
from gnri.web.security import Limits
from gnri.web.table_view import guess_target, read_upload

SCHEMA = Schema(
    (Above("age", 30.0), Above("age", 45.0), IsTrue("smoker"), Equals("odor", "foul")),
)
VALUES = st.lists(
    st.tuples(*[st.sampled_from([-1, 0, 1])] * len(SCHEMA.atoms)), min_size=2, max_size=30
)
LITERALS = st.tuples(st.integers(0, len(SCHEMA.atoms) - 1), st.booleans())
RULES = st.builds(
    SignedDNF, st.lists(st.lists(LITERALS, min_size=1, max_size=3), max_size=4), st.booleans()
)


def fit_of(values: list[Any], labels: list[int], rule: SignedDNF) -> Fitted:
    cells, codes = np.array(values, np.int8), np.array(labels, np.intp)
    target = Target("ill", np.array(["no", "yes"], object), {"no": 0, "yes": 1}, len(codes))
    counter = Counter.from_values(cells, codes, 2)
    rows = TrainingRows(target=target, counts=(), codes=codes, schema=SCHEMA, counter=counter)
    rules = RuleList.binary(SCHEMA, ("no", "yes"), rule)
    fitted = make_fitted(rows, rules, ((1,),), FitSettings())
    return replace(fitted, minimized=rules, values=cells).with_rules((rule,))


def shown(fitted: Fitted) -> TableFit:
    return TableFit(fitted, {}, "", fitted.minimized)


@st.composite
def fits(draw: st.DrawFn) -> Fitted:
    values = draw(VALUES)
    labels = draw(st.lists(st.integers(0, 1), min_size=len(values), max_size=len(values)))
    return fit_of(values, labels, draw(RULES))


def holds(literal: Literal, row: Any) -> int:
    value = int(row[literal.atom])
    return value if literal.positive else -value


@given(fits())
def test_the_map_draws_each_row_under_its_own_place(fitted: Fitted) -> None:
    found = shown(fitted).view()
    order, (rule,) = found["map"]["order"], fitted.minimized.rules
    assert sorted(order) == list(range(len(fitted.codes)))
    assert [fitted.codes[row] for row in order] == sorted(fitted.codes)
    for strip in found["map"]["strips"]:
        clause = sorted_clauses(rule)[strip["clause"]]
        drawn = [any(a <= i < b for a, b, *_ in strip["bars"]) for i in range(len(order))]
        rows = fitted.values[order]
        assert drawn == [all(holds(literal, row) == 1 for literal in clause) for row in rows]
        for a, _, share, right in strip["bars"]:
            assert share == 1
            assert right == ((fitted.codes[order[a]] == 1) == rule.positive)


@given(fits())
def test_a_row_says_what_fired_or_came_closest(fitted: Fitted) -> None:
    (rule,) = fitted.minimized.rules
    truth = rule.evaluate(fitted.values)
    for row in range(len(fitted.codes)):
        (found,) = shown(fitted).at_row(row).explain_row()["rules"]
        assert found["truth"] == truth[row]
        clauses = sorted_clauses(rule)
        lacking = [sum(holds(x, fitted.values[row]) != 1 for x in clause) for clause in clauses]
        assert found["fired"] == [i for i, count in enumerate(lacking) if count == 0]
        least = min((count for count in lacking if count), default=None)
        expected = [i for i, c in enumerate(lacking) if c and c == min(lacking)]
        assert found["closest"] == (expected if least == min(lacking, default=0) else [])


@given(fits(), st.data())
def test_an_edit_changes_one_literal_and_no_other(fitted: Fitted, data: st.DataObject) -> None:
    (rule,) = fitted.minimized.rules
    clauses = sorted_clauses(rule)
    if not clauses:
        return
    at = data.draw(st.integers(0, len(clauses) - 1))
    literal = data.draw(st.integers(0, len(clauses[at]) - 1))
    rest = {frozenset(c) for i, c in enumerate(clauses) if i != at}
    left = frozenset(clauses[at]) - {clauses[at][literal]}
    edits = edit_literal(rule, clauses[at], clauses[at][literal])
    dropped, flipped = edits["drop"], edits["flip"]
    assert dropped == SignedDNF(rest | ({left} if left else set()), rule.positive)
    assert flipped == SignedDNF(rest | {left | {~clauses[at][literal]}}, rule.positive)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r\n"), max_size=5)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20))
def test_an_upload_holds_every_cell(rows: list[tuple[str, str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    table = read_upload(text.getvalue().encode(), "t.csv", Limits())
    assert table.rows == len(rows)
    for i, row in enumerate(rows):
        assert [column.texts()[i] for column in table.values()] == [cell.strip() for cell in row]


@pytest.mark.parametrize(
    ("header", "row", "target"),
    [
        ("a,b,class", ["x,1,yes", "y,2,no"], "class"),
        ("Outcome,b,c", ["yes,1,x", "no,2,y"], "Outcome"),
        ("label,target,c", ["1,2,3", "2,1,3"], "target"),
        ("a,b,c", ["x,1.5,y", "y,2.5,z"], "c"),
        ("a,b,c", ["x,1.5,", "y,2.5,z"], "a"),
        ("a,b", ["0.5,", "1.5,x"], None),
    ],
)
def test_the_target_is_guessed(header: str, row: list[str], target: str | None) -> None:
    table = read_upload("\n".join([header, *row * 3]).encode(), "t.csv", Limits())
    assert guess_target(table) == target


def test_rows_are_counted_without_the_header_and_empty_lines() -> None:
    limits = Limits(rows=3)
    for good in (b"a\n" + b"1\n" * 3, b"a\n1\n1\n1", b"\n\na\n\n1\r\n1\n\n1\n\n"):
        assert read_upload(good, "t.csv", limits).rows == 3
    for bad in (
        b"a\n" + b"1\n" * 4,
        b"a\n1\n1\n1\n1",
        b'"a"\n' + b"1\n" * 4,
        b"a\n\n\n" + b"1\n" * 4,
    ):
        with pytest.raises(GnriError, match=r"at most 3 rows can be read here, t\.csv has 4;"):
            read_upload(bad, "t.csv", limits)


def test_rules_that_were_learnt_come_back_whatever_their_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rule_view, "MOST_CLAUSES", 1)
    monkeypatch.setattr(rule_view, "MOST_LITERALS", 1)
    rule = SignedDNF([[(0, True), (1, True)], [(1, False), (2, True)], [(3, True)]])
    fitted = fit_of([[1, 1, 1, 1], [-1, -1, -1, -1]], [0, 1], rule)

    def came(clauses: list[Any]) -> Any:
        return shown(fitted).with_sent(Table({}), [SentRule(True, clauses)]).rules.rules

    own = rule.to_dict()["clauses"]
    assert came(own) == (rule,)
    for clauses in ([*own, []], [*own[1:], [*own[0], [1, False]]], own * 2):
        with pytest.raises(GnriError, match="may have 3 clauses and 5 literals in all, got"):
            came(clauses)


def test_rules_are_sent_and_come_back() -> None:
    rule = SignedDNF([[(0, True), (2, False)], [(1, True)]], positive=False)
    fitted = fit_of([[1, 1, 1, 1], [-1, -1, -1, -1]], [0, 1], rule)
    view = shown(fitted).view()
    sent = msgspec.json.decode(msgspec.json.encode(view))["rules"][0]["document"]
    assert sent == {"positive": False, "clauses": [[[1, True]], [[0, True], [2, False]]]}
    assert shown(fitted).with_sent(Table({}), [SentRule(**sent)]).rules == fitted.minimized
