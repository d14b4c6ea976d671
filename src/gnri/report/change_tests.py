"""Exact tests of a change between two counts, and how large it is; NumPy is all they need."""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log

import numpy as np
from numpy.typing import NDArray

Share = tuple[int, int]
"""Rows that are so, and all rows."""

_SAME = 1 + 1e-7  # as likely, but for rounding


def ratio(share: Share) -> float:
    """Return a share as a number; 0 without rows."""
    return share[0] / share[1] if share[1] else 0.0


def fisher(then: Share, now: Share, tail: str = "both") -> float:
    """Return the p-value of Fisher's exact test that two shares are the same.

    The tail says which changes count: "both", "more" now, or "fewer" now.

    >>> round(fisher((8, 10), (1, 6)), 4), fisher((5, 10), (5, 10))
    (0.035, 1.0)
    """
    (a, n), (b, m) = then, now
    hits = a + b
    low, high = max(0, hits - n), min(hits, m)
    if low == high:
        return 1.0
    table = _log_factorials(1 << (n + m).bit_length())
    x = np.arange(low, high + 1)
    logs = (
        table[m]
        - table[x]
        - table[m - x]
        + table[n]
        - table[hits - x]
        - table[n - hits + x]
        - (table[n + m] - table[hits] - table[n + m - hits])
    )
    chances = np.exp(logs)
    if tail == "both":
        counted = chances[chances <= chances[b - low] * _SAME]
    else:
        counted = chances[: b - low + 1] if tail == "fewer" else chances[b - low :]
    return min(1.0, float(counted.sum()))


@lru_cache(maxsize=2)
def _log_factorials(size: int) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size + 1)))])


def beyond_range_p_value(then: int, now: int, beyond: int) -> float:
    """Return how likely so many of the new numbers are beyond the largest of the old ones.

    If all come from one distribution, every order of them is as likely; ties make it rarer.

    >>> round(beyond_range_p_value(9, 1, 1), 3)
    0.1
    """
    return exp(sum(log((now - i) / (then + now - i)) for i in range(beyond)))


def psi(then: Share, now: Share) -> float:
    """Return the population stability index of a share and the rest, half a row added to each.

    >>> round(psi((50, 100), (50, 100)), 3), round(psi((500, 1000), (300, 1000)), 2)
    (0.0, 0.17)
    """
    old, new = ((np.array([a, n - a]) + 0.5) / (n + 1) for a, n in (then, now))
    return float(((new - old) * np.log(new / old)).sum())


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, largest = [0.0] * len(chances), 0.0
    for rank, i in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        largest = max(largest, min(1.0, chances[i] * (len(chances) - rank)))
        found[i] = largest
    return found


def find_change(then: Share, slices: Sequence[Share]) -> int:
    """Return the slice from which on the share most likely changed; the rows `then` come before.

    >>> find_change((90, 100), [(9, 10), (9, 10), (2, 10), (3, 10)])
    2
    """
    scores = []
    for start in range(len(slices)):
        before = [then, *slices[:start]]
        parts = [
            (sum(a for a, _ in part), sum(n for _, n in part)) for part in (before, slices[start:])
        ]
        scores.append(sum(_log_likelihood(*one) for one in parts))
    best = max(scores)
    return next(i for i, score in enumerate(scores) if score >= best - 1e-9)


def _log_likelihood(hits: int, rows: int) -> float:
    """Return the largest log-likelihood of so many hits."""
    return sum(one * log(one / rows) for one in (hits, rows - hits) if one)
