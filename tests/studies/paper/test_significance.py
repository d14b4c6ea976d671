"""The tests of the paper, against slow versions, statsmodels and the paper's own p-values."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from studies.paper import PUBLISHED
from studies.paper.headline import (
    bootstrap,
    brown_forsythe,
    effect_size,
    holm,
    sign_test,
    wilcoxon,
)


@pytest.mark.parametrize("seed", range(8))
def test_holm_is_that_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = (rng.random(rng.integers(1, 13)) ** 3).round(2).tolist()  # small ones, and ties
    expected = multipletests(values, method="holm")[1]
    assert holm(values) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_holm_at_the_floor_of_eight_pairs_and_twelve_widths() -> None:
    assert holm([1 / 256] * 12) == [12 / 256] * 12


@given(st.lists(st.integers(-50, 50).filter(bool), min_size=1, max_size=8, unique_by=abs))
@settings(max_examples=200)
def test_wilcoxon_counts_the_signs_that_do_as_well(differences: list[int]) -> None:
    ranks = np.argsort(np.argsort(np.abs(differences))) + 1
    reached = ranks[np.array(differences) > 0].sum()
    sums = [ranks[list(signs)].sum() for signs in _subsets(len(ranks))]
    assert wilcoxon(differences) == pytest.approx(np.mean([s >= reached for s in sums]))


def _subsets(size: int) -> list[list[bool]]:
    return [np.array(signs, bool) for signs in product((0, 1), repeat=size)]


def test_wilcoxon_of_eight_equal_gains_is_at_the_floor() -> None:
    assert wilcoxon([0.25] * 8) == 1 / 256
    assert wilcoxon([0.0] * 8) == 1.0


@pytest.mark.parametrize("group", PUBLISHED["signs"])
def test_the_papers_tests_follow_from_its_figures(group: str) -> None:
    paper, known = PUBLISHED["capability"], PUBLISHED["signs"][group]
    names = [name for name in paper if group == "all" or name != "car"]
    lifts = [paper[name]["gnri"] - paper[name]["nri"] for name in names]
    assert sum(lift > 0 for lift in lifts) == known["wins"]
    assert round(sign_test(lifts), 3) == known["sign_p"]
    # The printed figures tie where those behind them did not.
    assert wilcoxon(lifts) == pytest.approx(known["wilcoxon_p"], abs=0.0015)


def test_the_sign_test_leaves_out_what_is_level() -> None:
    assert sign_test([1.0, 2.0, 0.0, -1.0]) == sign_test([1.0, 2.0, -1.0]) == 0.5
    assert sign_test([0.0]) == 1.0


def test_the_bootstrap_is_that_of_resampled_means() -> None:
    found = bootstrap([0.1, 0.2, 0.6, -0.1], rng=np.random.default_rng(5))
    assert found == bootstrap([0.1, 0.2, 0.6, -0.1], rng=np.random.default_rng(5))
    exact = [np.mean(drawn) for drawn in product([0.1, 0.2, 0.6, -0.1], repeat=4)]
    assert found[0] == pytest.approx(np.quantile(exact, 0.025), abs=0.03)
    assert found[1] == pytest.approx(np.quantile(exact, 0.975), abs=0.03)


def test_an_effect_is_measured_in_deviations() -> None:
    assert effect_size([2.0, 4.0, 6.0]) == 2.0
    assert effect_size([1.0, 1.0]) is None
    assert effect_size([1.0]) is None


def test_brown_forsythe_is_an_analysis_of_distances_to_the_median() -> None:
    first, second = [1.0, 2.0, 4.0, 9.0], [3.0, 3.5, 4.0, 4.25]
    from scipy import stats

    distances = [np.abs(np.array(each) - np.median(each)) for each in (first, second)]
    assert brown_forsythe(first, second) == pytest.approx(stats.f_oneway(*distances).pvalue)


def test_groups_that_do_not_vary_spread_alike() -> None:
    assert brown_forsythe([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]) == 1.0
    assert brown_forsythe([0.0, 1.0], [0.0, 4.0]) == 0.0
