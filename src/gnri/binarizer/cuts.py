"""Where numbers are cut: label-free, and the same for every order of the rows."""

from collections.abc import Iterable
from math import floor

import numpy as np
from numpy.typing import NDArray

_MOST_DECIMALS = 15

TAILS = (100, 40, 20)
"""One in so many numbers lies beyond an outer cut, on either side."""
FEWEST_BEYOND = 20
"""An outer cut has at least so many numbers beyond it."""


def quantile_cuts(numbers: NDArray[np.float64], most: int, *, tails: bool = False) -> list[float]:
    """Cuts between the distinct numbers: at every gap, or at the `most` gaps nearest quantiles.

    With `tails` there are more near both ends, where there are numbers enough: something rare is
    rarely told by a tenth of all rows.

    >>> quantile_cuts(np.array([1.0, 2.0, 2.0, 5.0]), most=7)
    [1.0, 3.0]
    >>> quantile_cuts(np.arange(100.0), most=3)
    [24.0, 49.0, 74.0]
    """
    distinct, counts = np.unique(numbers, return_counts=True)
    gaps = len(distinct) - 1
    chosen = range(gaps) if gaps <= most else nearest_gaps(counts, most, tails=tails)
    return [cut_between(float(distinct[gap]), float(distinct[gap + 1])) for gap in chosen]


def median_cut(numbers: NDArray[np.float64]) -> list[float]:
    """The median, as the paper cuts; between the two where there are only two distinct numbers.

    No cut where the median is the largest number, above which there is nothing.
    """
    distinct = np.unique(numbers)
    if len(distinct) <= 2:
        return quantile_cuts(numbers, 1)
    ranked = np.sort(numbers + 0.0)  # of both zeros the plain one, whichever came first
    low, high = float(ranked[(len(ranked) - 1) // 2]), float(ranked[len(ranked) // 2])
    median = low if low == high else low / 2 + high / 2
    return [median] if median < distinct[-1] else []


def cut_between(low: float, high: float) -> float:
    """A number c with few decimals and low <= c < high, so that `> c` tells the two apart.

    >>> cut_between(34, 35), cut_between(1.23, 1.29), cut_between(30, 40)
    (34.0, 1.26, 35.0)
    """
    middle = low / 2 + high / 2
    for decimals in range(_MOST_DECIMALS + 1):
        cut = floor(middle * 10**decimals) / 10**decimals if abs(middle) < 1e150 else middle
        if low <= cut < high:
            return float(cut)
    return low


def nearest_gaps(counts: NDArray[np.intp], most: int, *, tails: bool = False) -> list[int]:
    """The gaps whose share of numbers below is nearest to 1/(most + 1), 2/(most + 1), ...

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


def _nearest(counts: NDArray[np.intp], wanted: Iterable[int], parts: int) -> set[int]:
    """The gaps with the share of numbers below them that is nearest to so many of the parts."""
    below = np.cumsum(counts)[:-1]
    total = int(counts.sum())
    return {int(np.abs(below * parts - share * total).argmin()) for share in wanted}
