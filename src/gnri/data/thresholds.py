"""Where numbers are cut: label-free, and the same for every order of the rows."""

from collections.abc import Iterable
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gnri.data.value_counts import NumberCounts

_MOST_DECIMALS = 15

TAILS = (100, 40, 20)
"""One in so many numbers lies beyond an outer cut, on either side."""
FEWEST_BEYOND = 20
"""An outer cut has at least so many numbers beyond it."""


def quantile_cuts(numbers: "NumberCounts", most: int, *, tails: bool = False) -> list[float]:
    """Return cuts between distinct numbers: at every gap, or at the `most` nearest quantiles.

    With `tails` there are more near both ends, where there are numbers enough: something rare is
    rarely told by a tenth of all rows.

    >>> from gnri.data.value_counts import count_numbers
    >>> quantile_cuts(count_numbers(np.array([1.0, 2.0, 2.0, 5.0])), most=7)
    [1.0, 3.0]
    >>> quantile_cuts(count_numbers(np.arange(100.0)), most=3)
    [24.0, 49.0, 74.0]
    """
    gaps = max(len(numbers.counts) - 1, 0)
    chosen = range(gaps) if gaps <= most else nearest_gaps(numbers.counts, most, tails=tails)
    lows, highs = numbers.highest, numbers.lowest
    return [cut_between(float(lows[gap]), float(highs[gap + 1])) for gap in chosen]


def median_cut(numbers: "NumberCounts") -> list[float]:
    """Return the median, as the paper cuts; between the two where there are two distinct numbers.

    No cut where the median is the largest number, above which there is nothing. Of numbers that
    were counted together, it is the lowest.
    """
    if len(numbers.counts) <= 2:
        return quantile_cuts(numbers, 1)
    total, upto = int(numbers.counts.sum()), np.cumsum(numbers.counts)
    places = np.searchsorted(upto, [(total - 1) // 2, total // 2], side="right")
    low, high = (float(numbers.lowest[place]) for place in places)
    median = low if low == high else low / 2 + high / 2
    return [median] if median < numbers.highest[-1] else []


def cut_between(low: float, high: float) -> float:
    """Return a number c with few decimals and low <= c < high, so that `> c` tells the two apart.

    >>> cut_between(34, 35), cut_between(1.23, 1.29), cut_between(30, 40)
    (34.0, 1.26, 35.0)
    """
    middle = low / 2 + high / 2
    for decimals in range(_MOST_DECIMALS + 1):
        cut = floor(middle * 10**decimals) / 10**decimals if abs(middle) < 1e150 else middle
        if low <= cut < high:
            return float(cut)
    return low


def nearest_gaps(counts: NDArray[np.int64], most: int, *, tails: bool = False) -> list[int]:
    """Return the gaps whose share of numbers below is nearest to 1/(most + 1), 2/(most + 1), ...

    A number that more than half of all are, as 0 is in many columns, is told from those on either
    side of it, if there are cuts enough, and the shares are those of the others.
    """
    commonest = int(counts.argmax())
    if most < 3 or 2 * int(counts[commonest]) <= counts.sum():
        chosen = _nearest(counts, range(1, most + 1), most + 1)
    else:
        sides = {commonest - 1, commonest} & set(range(len(counts) - 1))
        others, left = counts.copy(), most - len(sides)
        others[commonest] = 0
        chosen = sides | _nearest(others, range(1, left + 1), left + 1)
    if tails:
        outer = [one for one in TAILS if counts.sum() >= FEWEST_BEYOND * one]
        chosen = chosen.union(*(_nearest(counts, (1, one - 1), one) for one in outer))
    return sorted(chosen)


def _nearest(counts: NDArray[np.int64], wanted: Iterable[int], parts: int) -> set[int]:
    """Return the gaps with the share of numbers below that is nearest to so many of the parts."""
    below = np.cumsum(counts)[:-1]
    total = int(counts.sum())
    return {int(np.abs(below * parts - share * total).argmin()) for share in wanted}
