"""Shares, lifts and intervals, against their definitions."""

import json
from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from gnri.estimator.statistics import Z95, Figures, wilson
from gnri.estimator.summary import percent


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    trials = draw(st.integers(1, 10_000))
    return draw(st.integers(0, trials)), trials


@given(counts())
def test_the_interval_is_wilsons(pair: tuple[int, int]) -> None:
    hits, trials = pair
    expected = binomtest(hits, trials).proportion_ci(0.95, method="wilson")
    assert wilson(hits, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(counts())
def test_the_bounds_solve_the_equation_of_the_score_test(pair: tuple[int, int]) -> None:
    hits, trials = pair
    for p in wilson(hits, trials):
        assert abs(hits / trials - p) == pytest.approx(Z95 * sqrt(p * (1 - p) / trials), abs=1e-7)


@given(counts())
def test_the_precision_lies_in_its_interval(pair: tuple[int, int]) -> None:
    hits, trials = pair
    low, high = wilson(hits, trials)
    assert 0 <= low <= hits / trials <= high <= 1


def test_nothing_covered_says_nothing() -> None:
    nothing = Figures(covered=0, hits=0, members=3, rows=9)
    assert (nothing.precision, nothing.lift, nothing.interval) == (None, None, (0.0, 1.0))
    assert (nothing.share, nothing.recall) == (0.0, 0.0)
    assert Figures(4, 0, 0, 9).recall is None
    assert Figures(4, 0, 0, 9).lift is None


def test_a_lift_compares_with_all_rows() -> None:
    figures = Figures(covered=10, hits=8, members=25, rows=100)
    assert (figures.precision, figures.recall, figures.share) == (0.8, 0.32, 0.1)
    assert figures.lift == pytest.approx(0.8 / 0.25)
    assert json.loads(json.dumps(figures.as_dict()))["hits"] == 8


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0"), (1.0, "100"), (1e-9, "0.1"), (1 - 1e-9, "99.9"), (0.12345, "12.3"), (None, "-")],
)
def test_only_all_is_100_percent_and_only_nothing_is_0(share: float | None, words: str) -> None:
    assert percent(share) == words


@given(counts(), st.integers(0, 60), st.floats(0.1, 30))
def test_a_choice_among_more_candidates_is_believed_less(
    pair: tuple[int, int], others: int, among: float
) -> None:
    hits, trials = pair
    few = Figures(trials, hits, hits + others // 2, trials + others, among)
    more = replace(few, log_candidates=2 * among)
    unchosen = replace(few, log_candidates=0.0)
    assert few.precision == unchosen.expected == pytest.approx(hits / trials)
    assert more.expected <= few.expected <= few.precision
    assert few.expected >= min(few.base, few.precision) - 1e-12
    low, high = few.interval
    assert 0 <= low <= few.expected <= high <= 1
    assert more.interval[0] <= low and more.interval[1] == high


def test_the_best_of_many_columns_of_coins_is_not_believed() -> None:
    """Of 300 coin flips as columns the one that agrees best with the labels is chosen."""
    rng, held, raw, corrected = np.random.default_rng(0), [], [], []
    for _ in range(400):
        columns, labels = rng.random((300, 60)) < 0.5, rng.random(60) < 0.5
        best = max(columns, key=lambda one: (labels[one].mean(), one.sum()))
        covered, hits = int(best.sum()), int(labels[best].sum())
        found = Figures(covered, hits, int(labels.sum()), 60, log(600))
        fresh = rng.binomial(covered, 0.5) / covered
        raw.append(found.precision - fresh)
        corrected.append(found.expected - fresh)
        held.append(found.interval[0] <= fresh <= found.interval[1])
    assert np.mean(raw) > 0.2
    assert abs(np.mean(corrected)) < 0.08
    assert np.mean(held) > 0.93
