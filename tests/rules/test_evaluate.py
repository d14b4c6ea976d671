"""The evaluator against Kleene's tables, one cell at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import RuleError, ShapeError
from gnri.rules.dnf import SignedDNF, coverage
from tests.strategies import rules, tables


def kleene(rule, row):
    """Truth on one row, from the definition."""
    truth = -1
    for clause in rule.clauses:
        truth = max(truth, min([row[a] if positive else -row[a] for a, positive in clause] + [1]))
    return truth if rule.positive else -truth


@given(rules(4), tables(9, 4))
def test_agrees_with_the_definition(rule, values):
    assert rule.evaluate(values).tolist() == [kleene(rule, row) for row in values.tolist()]


@given(rules(4), tables(9, 4))
def test_coverage_is_the_truth_of_each_clause(rule, values):
    for clause in rule.clauses:
        assert np.array_equal(coverage(clause, values), SignedDNF([clause]).evaluate(values))


@given(rules(3), tables(5, 3))
def test_complement_negates(rule, values):
    assert np.array_equal((~rule).evaluate(values), -rule.evaluate(values))


@given(st.integers(1, 5))
def test_constants(rows):
    values = np.zeros((rows, 2), np.int8)
    assert SignedDNF([]).evaluate(values).tolist() == [-1] * rows
    assert SignedDNF([[]]).evaluate(values).tolist() == [1] * rows


def test_a_table_of_other_integers_is_read_alike():
    rule = SignedDNF([[(0, False)]])
    assert rule.evaluate(np.array([[1], [-1]])).tolist() == [-1, 1]
    assert rule.evaluate(np.array([[1], [-1]])).dtype == np.int8


def test_refuses_a_table_without_the_atom():
    with pytest.raises(RuleError, match="reads atom x7, but the table has 3 atoms"):
        SignedDNF([[(7, True)]]).evaluate(np.ones((2, 3), np.int8))
    with pytest.raises(ShapeError, match="2 axes"):
        coverage(frozenset(), np.ones(3, np.int8))
