"""Shortened rules answer the same whatever the cells hold, and nothing more can be left out."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.data.encode import encode_cells
from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.rules.dnf import SignedDNF
from gnri.rules.minimize import minimize
from gnri.rules.rule_list import RuleList
from gnri.rules.syntax import parse
from tests.contracts.format_contract import engines_for, slow
from tests.effort import half_as_often
from tests.formats.cases import random_columns, random_rule_list

SCHEMA = Schema(
    (
        Above("age", 30.0),
        Above("age", 45.0),
        Above("age", 60.0),
        Equals("odor", "foul"),
        Equals("odor", "none"),
        OneOf("odor", ("foul", "musty")),
        IsTrue("bruises"),
    )
)
CELLS: dict[str, list[Any]] = {
    "age": [20, 30, 40, 45, 50, 60, 70, None],
    "odor": ["foul", "none", "musty", "never seen", None],
    "bruises": [True, False, None],
}
ROWS = list(product(*CELLS.values()))
VALUES = encode_cells(SCHEMA, dict(zip(CELLS, zip(*ROWS, strict=True), strict=True)))
"""Every case there is: each interval, each category, one never seen, and each cell missing."""

LITERALS = st.tuples(st.integers(0, len(SCHEMA.atoms) - 1), st.booleans())
RULES = st.builds(SignedDNF, st.lists(st.lists(LITERALS, max_size=4), max_size=4), st.booleans())


def smaller(rule: SignedDNF) -> list[SignedDNF]:
    """The rule with one literal or one clause left out, in every way."""
    found = []
    for clause in rule.clauses:
        rest = rule.clauses - {clause}
        found.append(SignedDNF(rest, rule.positive))
        found += [SignedDNF(rest | {clause - {item}}, rule.positive) for item in clause]
    return found


def same(a: SignedDNF, b: SignedDNF) -> bool:
    return np.array_equal(a.evaluate(VALUES), b.evaluate(VALUES))


def check(rule: SignedDNF) -> None:
    found = minimize(rule, SCHEMA)
    assert same(found, rule)
    assert found.positive or not rule.positive
    assert minimize(rule, SCHEMA, negations=False).positive == rule.positive
    assert found.size <= rule.size or found.positive != rule.positive
    assert not any(same(found, less) for less in smaller(found))
    assert minimize(found, SCHEMA) == found


@settings(max_examples=400)
@given(RULES)
def test_it_means_the_same_and_is_as_short_as_leaving_out_can_make_it(rule: SignedDNF) -> None:
    check(rule)


@pytest.mark.slow
@settings(max_examples=4_000)
@given(RULES)
def test_it_means_the_same_in_many_more_cases(rule: SignedDNF) -> None:
    check(rule)


@pytest.mark.parametrize(
    ("rule", "short"),
    [
        ("x3 & ~x4", "x3"),
        ("x3 & ~x4 & x5", "x3"),
        ("x0 & x1", "x1"),
        ("~x0 & ~x1", "~x0"),
        ("x0 | x1 | x2", "x0"),
        ("x1 | x0 & ~x1", "x0"),
        ("x3 | x5", "x5"),
        ("~(x3 & ~x4 | x6)", "~(x3 | x6)"),
        # A complement is written out where that takes no more words.
        ("~(~x3 | x1 | ~x6)", "x3 & ~x1 & x6"),
        ("~x1", "~x1"),
        ("~(x1)", "~x1"),
        ("~(~x6 & ~x5)", "x6 | x5"),
        ("~(~x0 | x1)", "x0 & ~x1"),
        ("~(x0 & x6)", "~(x0 & x6)"),
        ("~(x0 & ~x6)", "~x0 | x6"),
        ("~(x0 & ~x1)", "~(x0 & ~x1)"),
        ("~(x6 & ~x1 | x6 & ~x3)", "~x6 | x1 & x3"),
        ("~(x6 & x1 | ~x6 & x3)", "~(x6 & x1 | ~x6 & x3)"),
        ("~(x3 | x4 | x6)", "~(x3 | x4 | x6)"),
        ("~x3", "~x3"),
        # Written out, it would need a clause that is never true: `30 < age <= 30`.
        ("~(~x0 | x0 & ~x3)", "~(~x0 | x0 & ~x3)"),
        ("x6 & x3 | x6 & x5 & ~x4", "x5 & x6"),
        # Each of these would do on complete rows of known categories, and on no others.
        ("~x3 & ~x4", "~x3 & ~x4"),
        ("x6 | ~x6", "x6 | ~x6"),
        ("x6 | x0 & ~x0", "x6 | x0 & ~x0"),
        ("x3 & x6 | ~x3 & x6", "x3 & x6 | ~x3 & x6"),
    ],
)
def test_what_is_left_out_and_what_is_not(rule: str, short: str) -> None:
    assert minimize(parse(rule), SCHEMA) == parse(short)


def test_both_values_of_a_binary_column_say_it_once() -> None:
    """Where training rows knew two values, `a = t` and `a != f` were the same literal."""
    schema = Schema((Equals("a", "f"), Equals("a", "t")), ((0, 1),))
    assert minimize(parse("x0 & ~x1"), schema) == parse("x0")
    assert minimize(parse("~x0 & x1"), schema) == parse("x1")


def test_a_wide_rule_needs_the_solver_and_gets_it() -> None:
    """The two halves of `b`'s range are covered only by two other clauses together."""
    schema = Schema((Above("a", 1.0), Above("b", 1.0), Above("b", 2.0), IsTrue("c")))
    rule = parse("x1 & ~x2 & x0 | x2 & x0 | x0 & x1 & x3")
    assert minimize(rule, schema) == parse("x0 & x1")


@half_as_often
@given(st.integers(0, 2**63))
def test_every_export_of_the_short_rules_answers_as_the_long_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_rule_list(rng)
    columns = random_columns(rules, 12, rng)
    short, expected = rules.minimized(), slow(rules, columns)
    for engine in engines_for(short):
        assert engine(short, columns) == expected


def test_an_absent_rule_stays_absent() -> None:
    rules = RuleList.binary(SCHEMA, (0, 1), None, 1)
    assert rules.minimized() == rules
