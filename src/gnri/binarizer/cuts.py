"""Where numbers are cut: label-free, and the same for every order of the rows."""

from math import floor

import numpy as np
from numpy.typing import NDArray

_MOST_DECIMALS = 15


def quantile_cuts(numbers: NDArray[np.float64], most: int) -> list[float]:
    """Cuts between the distinct numbers: at every gap, or at the `most` gaps nearest quantiles.

    >>> quantile_cuts(np.array([1.0, 2.0, 2.0, 5.0]), most=7)
    [1.0, 3.0]
    >>> quantile_cuts(np.arange(100.0), most=3)
    [24.0, 49.0, 74.0]
    """
    distinct, counts = np.unique(numbers, return_counts=True)
    gaps = len(distinct) - 1
    chosen = range(gaps) if gaps <= most else nearest_gaps(counts, most)
    return [cut_between(float(distinct[gap]), float(distinct[gap + 1])) for gap in chosen]


def median_cut(numbers: NDArray[np.float64]) -> list[float]:
    """The median, as the paper cuts; between the two where there are only two distinct numbers.

    No cut where the median is the largest number, above which there is nothing.
    """
    distinct = np.unique(numbers)
    if len(distinct) <= 2:
        return quantile_cuts(numbers, 1)
    ranked = np.sort(numbers)
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


def nearest_gaps(counts: NDArray[np.intp], most: int) -> list[int]:
    """The gaps whose share of numbers below is nearest to 1/(most + 1), 2/(most + 1), ..."""
    below = np.cumsum(counts)[:-1]
    total = int(counts.sum())
    nearest = {
        int(np.abs(below * (most + 1) - wanted * total).argmin()) for wanted in range(1, most + 1)
    }
    return sorted(nearest)
