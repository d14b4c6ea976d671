"""Weights of rows as whole numbers of copies; a row of weight w counts as w equal rows."""

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.table import Table
from gnri.errors import GnriError, shorten

MOST_COPIES = 16
"""Copies, at most, for each row on average, unless all weights are whole numbers."""

MOST_WHOLE = 1 << 20
"""Copies in all up to which whole weights are kept as they are, however few rows there are."""

RESOLUTION = 0.2
"""The share of a weight by which rounding may change it, if copies are few enough."""

SMALLEST = 1e-9
"""A weight of a smaller share of the largest one counts as this share."""


def check_weights(given: Any, rows: int) -> NDArray[np.float64]:
    """Return the weight of each row; raise unless all are numbers from 0 up, not all of them 0."""
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise GnriError("a weight must be a number, and each row must have one") from None
    if weights.shape != (rows,):
        raise GnriError(
            f"there must be one weight for each of the {rows} rows, got the shape {weights.shape}"
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise GnriError(f"a weight must be a number from 0 up, got {weights[row]} in row {row}")
    if not weights.any():
        raise GnriError("at least one weight must not be zero, as a row of weight 0 is left out")
    return weights


def count_copies(
    table: Table,
    codes: NDArray[np.intp],
    classes: NDArray[Any],
    class_weight: object,
    weights: NDArray[np.float64] | None,
) -> NDArray[np.intp]:
    """Return how many copies of each row to learn from; all weights are above 0.

    Whole weights are kept. Others are divided by the smallest, times the least whole number up to
    3 with which all are within RESOLUTION of a whole number, and rounded. Where that gives more
    than MOST_COPIES for each row, they are scaled to so many, and rounded: a weight may become 0.
    """
    each, known = np.ones(len(codes), np.int64), np.ones(len(codes)) if weights is None else weights
    if class_weight is None:
        return round_weights(known, each)
    if isinstance(class_weight, str) and class_weight == "balanced":
        return _balance(table, codes, round_weights(known, each), len(classes))
    return round_weights(known * _read_class_weights(class_weight, classes)[codes], each)


def round_weights(weights: NDArray[np.float64], times: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the copies for weights above 0, each of which so many rows have.

    >>> round_weights(np.array([0.5, 0.75, 4.0]), np.array([1, 1, 1])).tolist()
    [2, 3, 16]
    """
    rows = int(times.sum())
    if (weights == np.round(weights)).all() and weights @ times <= max(
        MOST_COPIES * rows, MOST_WHOLE
    ):
        return weights.astype(np.intp)
    shares = np.maximum(weights / weights.max(), SMALLEST)
    ratios = shares / shares.min()
    for factor in range(1, 4):
        copies = np.round(factor * ratios)
        if (np.abs(copies - factor * ratios) <= RESOLUTION * factor * ratios).all():
            break
    if copies @ times > MOST_COPIES * rows:
        copies = np.round(shares * (MOST_COPIES * rows / fsum(shares * times)))
    return copies.astype(np.intp)


def _balance(
    table: Table, codes: NDArray[np.intp], copies: NDArray[np.intp], classes: int
) -> NDArray[np.intp]:
    """Return copies with which all classes weigh the same, up to rounding.

    If every row of a class occurs a multiple of n times, it is first counted an n-th as often, so
    that repeating all rows of a class changes nothing.
    """
    groups, divisors = _find_repeats(table, codes, copies, classes)
    sizes = np.bincount(codes, copies, classes).astype(np.int64) // divisors
    factors = round_weights(sizes.max() / sizes, sizes)
    found = np.empty_like(copies)
    order = np.argsort(groups, kind="stable")
    for kind, (factor, divisor) in enumerate(zip(factors, divisors, strict=True)):
        own = order[codes[order] == kind]  # equal rows side by side
        totals = np.cumsum(copies[own]) * factor // divisor
        found[own] = np.diff(totals, prepend=0)
    return found


def _find_repeats(
    table: Table, codes: NDArray[np.intp], copies: NDArray[np.intp], classes: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return groups of equal rows of a class, and a divisor of all their sizes for each class.

    It is the largest one. Groups are finer the more columns are read, and their divisors smaller.
    """
    groups, divisors = codes, np.bincount(codes, copies, classes).astype(np.int64)
    for column in table.values():
        if (divisors == 1).all():
            break
        cells = column.number_cells()
        keys = groups * (int(cells.max()) + 1) + cells
        _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
        sizes = np.bincount(groups, copies).astype(np.int64)
        owners = codes[first]
        divisors = np.array([np.gcd.reduce(sizes[owners == kind]) for kind in range(classes)])
    return groups, divisors


def _read_class_weights(given: object, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weight of each class; a class may be named by its text."""
    if not isinstance(given, Mapping):
        raise GnriError(
            "class_weight must be None, 'balanced' or a weight for each class, such as "
            f"{{'yes': 10, 'no': 1}}; got {shorten(given)}"
        )
    found = []
    for label in classes.tolist():
        names = [name for name in (label, str(label), str(label).lower()) if name in given]
        if not names:
            raise GnriError(f"class_weight has no weight for the class {label!r}; add one")
        weight = given[names[0]]
        if not isinstance(weight, int | float | np.number) or not 0 < weight < np.inf:
            raise GnriError(
                f"the weight of a class must be a number above 0, got {weight!r} for {label!r}; to "
                "leave a class out, leave out its rows"
            )
        found.append(float(weight))
    return np.array(found)
