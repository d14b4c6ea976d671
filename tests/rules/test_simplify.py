"""Simplification keeps the meaning; the Blake form is one for each function."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import RuleError
from gnri.rules.dnf import Literal, SignedDNF, absorb, multiply_out
from gnri.rules.simplify import blake, drop_contradictions, simplify
from tests.rules.rewrites import rewritten
from tests.rules.truth_table import same_truth_table
from tests.strategies import rules, tables

COMPLETE = np.array(list(product((-1, 1), repeat=4)), np.int8)
PARTIAL = np.array(list(product((-1, 0, 1), repeat=4)), np.int8)


def supervaluation(rule, row):
    """+1 or -1 if the rule is that for every value of the missing cells, else 0."""
    completions = product(*[[value] if value else [-1, 1] for value in row])
    truths = set(rule.evaluate(np.array(list(completions), np.int8)).tolist())
    return truths.pop() if len(truths) == 1 else 0


@given(rules(4))
def test_absorption_never_changes_the_truth(rule):
    assert np.array_equal(absorb(rule).evaluate(PARTIAL), rule.evaluate(PARTIAL))


@given(rules(4, max_clauses=9))
def test_absorption_keeps_exactly_the_minimal_clauses(rule):
    slow = {c for c in rule.clauses if not any(other < c for other in rule.clauses)}
    assert absorb(rule) == SignedDNF(slow, rule.positive)


@given(rules(3, max_clauses=9))
def test_contradictions_go_and_nothing_else(rule):
    slow = {c for c in rule.clauses if not any(~literal in c for literal in c)}
    assert drop_contradictions(rule) == SignedDNF(slow, rule.positive)


@given(rules(4), tables(6, 4))
def test_dropping_contradictions_only_settles_the_unknown(rule, values):
    before, after = rule.evaluate(values), drop_contradictions(rule).evaluate(values)
    changed = before != after
    assert not before[changed].any()
    assert after[changed].tolist() == [supervaluation(rule, row) for row in values[changed]]


@given(rules(4))
def test_simplify_is_idempotent_and_keeps_the_function(rule):
    small = simplify(rule)
    assert simplify(small) == small
    assert small.positive == rule.positive
    assert np.array_equal(small.evaluate(COMPLETE), rule.evaluate(COMPLETE))


@given(rules(4))
def test_multiplying_out_keeps_the_truth(rule):
    for simpler, values in ((absorb, PARTIAL), (simplify, COMPLETE)):
        found = multiply_out(rule, 10**6, simpler)
        assert found.positive
        assert np.array_equal(found.evaluate(values), rule.evaluate(values))


def test_multiplying_out_stops_at_the_limit():
    pairs = SignedDNF([[(2 * i, True), (2 * i + 1, True)] for i in range(4)], positive=False)
    assert multiply_out(pairs, 15, absorb) is None
    assert len(multiply_out(pairs, 16, absorb).clauses) == 16


@given(rules(4))
def test_blake_says_all_that_can_be_known(rule):
    expected = [supervaluation(rule, row) for row in PARTIAL]
    assert blake(rule).evaluate(PARTIAL).tolist() == expected


@given(rules(4), st.randoms(use_true_random=False))
def test_blake_sees_through_rewriting(rule, random):
    other = rewritten(rule, 4, random)
    if other.positive == rule.positive:
        assert blake(other) == blake(rule)


@given(rules(4), rules(4))
def test_blake_decides_equality_among_rules_of_the_same_sign(a, b):
    same = a.positive == b.positive and same_truth_table(a, b)
    assert (blake(a) == blake(b)) == same


def test_blake_is_the_set_of_primes_of_every_function_of_three_atoms():
    rows = list(product((-1, 1), repeat=3))
    terms = [
        frozenset(Literal(i, sign > 0) for i, sign in enumerate(signs) if sign)
        for signs in product((-1, 0, 1), repeat=3)
    ]
    for truths in product((-1, 1), repeat=8):
        points = {
            frozenset(Literal(i, value > 0) for i, value in enumerate(row))
            for row, truth in zip(rows, truths, strict=True)
            if truth > 0
        }
        implicants = {t for t in terms if all(p in points for p in _minterms(t))}
        primes = {t for t in implicants if not any(other < t for other in implicants)}
        for writing in (points, implicants, points | primes, primes):
            for positive in (True, False):
                assert blake(SignedDNF(writing, positive)) == SignedDNF(primes, positive)


def test_blake_can_be_exponential_and_says_so():
    # x1 & ... & xn | ~x1 & y1 | ... | ~xn & yn: each xi of the first clause may become yi.
    def rule(n):
        return SignedDNF(
            [[(i, True) for i in range(n)]] + [[(i, False), (n + i, True)] for i in range(n)]
        )

    assert len(blake(rule(6)).clauses) == 2**6 + 6
    with pytest.raises(RuleError, match="more than 20000 clauses"):
        blake(rule(15))


def _minterms(term):
    free = [i for i in range(3) if i not in {literal.atom for literal in term}]
    for signs in product((False, True), repeat=len(free)):
        yield term | {Literal(i, sign) for i, sign in zip(free, signs, strict=True)}
