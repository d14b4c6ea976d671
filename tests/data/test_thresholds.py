"""Cuts of a numeric column, against the properties that define them."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.data import discretize
from gnri.data.discretize import cut_between
from gnri.data.value_counts import count_numbers

NUMBERS = st.lists(
    st.one_of(
        st.integers(-5, 5).map(float),
        st.floats(allow_nan=False, allow_infinity=False),
    ),
    min_size=1,
    max_size=40,
)


def quantile_cuts(numbers: np.ndarray, most: int, *, tails: bool = False) -> list[float]:
    return discretize.quantile_cuts(count_numbers(numbers), most, tails=tails)


def median_cut(numbers: np.ndarray) -> list[float]:
    return discretize.median_cut(count_numbers(numbers))


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_a_cut_tells_two_numbers_apart(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if low < high:
        assert not low > cut_between(low, high)
        assert high > cut_between(low, high)


@given(st.floats(-1e9, 1e9))
def test_a_cut_tells_neighbouring_floats_apart(low: float) -> None:
    high = float(np.nextafter(low, np.inf))
    assert low <= cut_between(low, high) < high


@given(NUMBERS, st.integers(1, 9))
def test_each_cut_splits_the_numbers_anew(numbers: list[float], most: int) -> None:
    cuts = quantile_cuts(np.array(numbers), most)
    splits = [tuple(number > cut for number in numbers) for cut in cuts]
    gaps = len(set(numbers)) - 1
    assert len(cuts) == gaps if gaps <= most else 1 <= len(cuts) <= most
    assert len(set(splits)) == len(splits)
    assert all(any(split) and not all(split) for split in splits)


@given(NUMBERS, st.integers(1, 9), st.randoms())
def test_the_order_of_the_numbers_does_not_matter(numbers, most, random) -> None:
    shuffled = list(numbers)
    random.shuffle(shuffled)
    assert quantile_cuts(np.array(numbers), most) == quantile_cuts(np.array(shuffled), most)
    assert median_cut(np.array(numbers)) == median_cut(np.array(shuffled))


def test_few_distinct_numbers_are_cut_everywhere() -> None:
    assert quantile_cuts(np.array([3.0, 1.0, 2.0, 2.0, 1.0]), 7) == [1.0, 2.0]


def test_quantiles_share_the_numbers_equally() -> None:
    numbers = np.arange(800) / 7
    cuts = quantile_cuts(numbers, 7)
    assert [int((numbers > cut).sum()) for cut in cuts] == [700, 600, 500, 400, 300, 200, 100]


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_the_median_is_the_median(numbers: list[int]) -> None:
    """Exactly numpy's, wherever there are three values and something lies above it."""
    array = np.array(numbers, dtype=np.float64)
    expected = np.median(array)
    if len(set(numbers)) >= 3:
        assert median_cut(array) == ([expected] if expected < array.max() else [])


def test_two_numbers_are_told_apart_whichever_is_the_median() -> None:
    assert median_cut(np.array([0.0, 1.0, 1.0])) == median_cut(np.array([0.0, 0.0, 1.0])) == [0.0]


def test_a_constant_has_no_cut() -> None:
    assert median_cut(np.array([2.0, 2.0])) == quantile_cuts(np.array([2.0, 2.0]), 7) == []


def test_the_largest_numbers_do_not_overflow() -> None:
    assert np.isfinite(median_cut(np.array([1e308, 1.5e308, 1.6e308, 1.7e308]))).all()


def test_a_number_that_most_cells_hold_is_set_apart() -> None:
    claims = np.concatenate([np.zeros(950), np.arange(1.0, 51.0)])
    assert quantile_cuts(claims, 9) == [0.0, 6.0, 11.0, 17.0, 22.0, 28.0, 33.0, 39.0, 44.0]
    assert quantile_cuts(-claims, 3) == [-34.0, -18.0, -1.0]
    assert quantile_cuts(np.concatenate([claims, -claims]), 4) == [-18.0, -1.0, 0.0, 17.0]


def test_the_ends_of_many_numbers_are_cut_more_finely() -> None:
    for rows, outer in ((399, ()), (400, (20,)), (800, (40, 20)), (2000, (100, 40, 20))):
        numbers = np.arange(float(rows))
        more = set(quantile_cuts(numbers, 9, tails=True)) - set(quantile_cuts(numbers, 9))
        below = sorted(int(np.sum(numbers <= cut)) for cut in more)
        shares = [round(rows / one) for one in outer]
        assert below == sorted(shares + [rows - share for share in shares])


def test_which_zero_comes_first_does_not_matter() -> None:
    for zeros in ((0.0, -0.0), (-0.0, 0.0)):
        (cut,) = median_cut(np.array([*zeros, *zeros, 5.0, -5.0]))
        assert math.copysign(1, cut) == 1
