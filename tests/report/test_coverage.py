"""Each place of the picture is as dark as the share of its rows that are covered."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.estimator.statistics import measure_rules
from gnri.report.coverage import BARS, LEVELS, MOST_CLAUSES, Bar, Coverage, find_coverage
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList


def covered(rules: RuleList, values: Any, codes: Any) -> Coverage:
    statistics = measure_rules(Counter.from_values(values, codes, len(rules.classes)), rules)
    return find_coverage(rules, statistics, codes, rules.choose(values))


def area(bars: Sequence[Bar], right: bool) -> float:
    """How many rows the bars of a kind stand for."""
    return sum((bar.end - bar.start) * bar.share for bar in bars if bar.right == right)


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("rows", [12, 200, 5_000])
def test_areas_are_the_counts(rows: int, positive: bool) -> None:
    rng = np.random.default_rng(rows)
    values = rng.choice(np.array([-1, 1], np.int8), (rows, 3))
    codes = rng.integers(2, size=rows)
    rule = SignedDNF([[(0, True)], [(1, True), (2, True)]], positive)
    rules = RuleList.binary(Schema(tuple(map(IsTrue, "abc"))), ("no", "yes"), rule)
    found = covered(rules, values, codes)
    first, second = found.strips
    target = codes == int(positive)
    tolerance = 0.01 + (rows / LEVELS / BARS * 20 if rows > BARS else 0)
    for strip, true in ((first, values[:, 0] == 1), (second, (values[:, 1:] == 1).all(axis=1))):
        assert area(strip.bars, True) == pytest.approx(np.sum(true & target), abs=tolerance)
        assert area(strip.bars, False) == pytest.approx(np.sum(true & ~target), abs=tolerance)
    wrong = rules.choose(values) != codes
    assert area(found.wrong, False) == pytest.approx(np.sum(wrong), abs=tolerance)
    assert sorted(found.order[found.mistakes]) == np.flatnonzero(wrong).tolist()


def test_the_clauses_that_cover_most_are_drawn() -> None:
    atoms = MOST_CLAUSES + 5
    values = np.where(np.arange(100)[:, None] % (np.arange(atoms) + 1) == 0, 1, -1).astype(np.int8)
    rule = SignedDNF([[(i, True)] for i in range(atoms)])
    schema = Schema(tuple(IsTrue(f"c{i}") for i in range(atoms)))
    rules = RuleList.binary(schema, ("no", "yes"), rule)
    found = covered(rules, values, np.arange(100) % 2)
    assert (len(found.strips), found.clauses) == (MOST_CLAUSES, atoms)
    drawn = [strip.number for strip in found.strips]
    assert drawn == sorted(drawn) and drawn[0] == 1


@given(st.integers(20, 6_000), st.integers(1, 20), st.integers(0, 2**32))
def test_whatever_is_covered_is_seen(size: int, true: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.where(rng.permutation(size)[:, None] < true, 1, -1).astype(np.int8)
    rules = RuleList.binary(Schema((IsTrue("a"),)), ("no", "yes"), SignedDNF([[(0, True)]]))
    found = covered(rules, values, rng.integers(2, size=size))
    rows = values[found.order, 0] == 1
    drawn = np.zeros(len(rows), bool)
    for bar in found.strips[0].bars:
        assert 0 < bar.share <= 1
        assert rows[bar.start : bar.end].any()
        drawn[bar.start : bar.end] = True
    assert drawn[rows].all()
