"""How often each number occurs, in bounded memory, the same for every order and every merge.

Numbers are counted one by one while they are few. Beyond, numbers that agree in their leading bits
share a bucket, with as many bits as still give no more than MOST buckets. How many bits that is
depends on the set of numbers alone, so that the sketch of a table is the same however it is cut
into parts and in whatever order these are read.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST = 1 << 16
"""Buckets at most; up to as many different numbers the counts are exact."""

_SIGN = np.uint64(1 << 63)


@dataclass(frozen=True, eq=False)
class Sketch:
    """Buckets of numbers in order: how many fell into each, the lowest and the highest of them."""

    counts: NDArray[np.int64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    shift: int = 0  # bits that numbers of a bucket need not agree in

    @property
    def exact(self) -> bool:
        return self.shift == 0

    def __add__(self, other: "Sketch") -> "Sketch":
        """The sketch of both."""
        return _bucketed(
            np.concatenate([self.counts, other.counts]),
            np.concatenate([self.lowest, other.lowest]),
            np.concatenate([self.highest, other.highest]),
            max(self.shift, other.shift),
        )


def sketch_of(numbers: NDArray[np.float64], times: NDArray[np.int64] | None = None) -> Sketch:
    """The sketch of numbers, each of them as often as `times` says.

    >>> sketch_of(np.array([2.0, 1.0, 2.0])).counts.tolist()
    [1, 2]
    """
    found = numbers + 0.0  # no minus zero
    counts = np.ones(len(found), np.int64) if times is None else times
    return _bucketed(counts, found, found, 0)


def _bucketed(
    counts: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    shift: int,
) -> Sketch:
    if not len(counts):
        return Sketch(counts, lowest, highest, shift)
    order = np.argsort(lowest, kind="stable")
    counts, lowest, highest = counts[order], lowest[order], highest[order]
    keys = _ordered(lowest) >> np.uint64(shift)
    fresh = _fresh(keys)
    while np.count_nonzero(fresh) > MOST:
        shift, keys = shift + 1, keys >> np.uint64(1)
        fresh = _fresh(keys)
    starts = np.flatnonzero(fresh)
    return Sketch(
        np.add.reduceat(counts, starts),
        lowest[starts],
        np.maximum.reduceat(highest, starts),
        shift,
    )


def _fresh(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Where another bucket begins."""
    return np.concatenate([[True], keys[1:] != keys[:-1]])


def _ordered(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Integers in the order of the numbers."""
    bits = numbers.view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)
