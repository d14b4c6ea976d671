"""What a rule is made of, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given

from gnri.errors import RuleError
from gnri.rules.dnf import Literal, SignedDNF, clause, sorted_clauses
from tests.strategies import literals, rules


@given(literals(5))
def test_double_negation(literal):
    assert ~literal != literal == ~~literal


@given(rules(4))
def test_equal_by_content(rule):
    again = SignedDNF([list(items)[::-1] for items in reversed(list(rule.clauses))], rule.positive)
    assert again == rule == ~~rule
    assert hash(again) == hash(rule)
    assert ~rule != rule


@given(rules(4))
def test_order_is_total_and_loses_nothing(rule):
    ordered = sorted_clauses(rule)
    assert SignedDNF(ordered, rule.positive) == rule
    assert ordered == sorted_clauses(SignedDNF(ordered[::-1], rule.positive))
    assert [len(items) for items in ordered] == sorted(len(items) for items in ordered)


def test_numpy_scalars_become_plain():
    rule = SignedDNF([[(np.int64(3), np.bool_(False))]])
    (literal,) = next(iter(rule.clauses))
    assert literal == Literal(3, False)
    assert (type(literal.atom), type(literal.positive)) == (int, bool)
    assert rule.size == 1
    assert rule.atoms == {3}


@pytest.mark.parametrize("item", [(-1, True), (True, True), (1.0, True), ("0", True), (0, 1)])
def test_refuses_what_is_no_literal(item):
    with pytest.raises(RuleError, match="must be"):
        clause(item)
