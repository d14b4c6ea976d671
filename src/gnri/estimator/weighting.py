"""Weights of rows as whole numbers of copies; a row of weight w counts as w equal rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import ColumnKind
from gnri.data.sources import Source, TableSource
from gnri.data.table import Table, check_has
from gnri.errors import GnriError, shorten
from gnri.estimator.settings import find_class

MOST_COPIES = 16
"""Copies, at most, for each row on average, unless all weights are whole numbers."""

MOST_WHOLE = 1 << 20
"""Copies in all up to which whole weights are kept as they are, however few rows there are."""

RESOLUTION = 0.2
"""The share of a weight by which rounding may change it, if copies are few enough."""

SMALLEST = 1e-9
"""The least share of the largest weight: a smaller weight is raised to it."""


_FINEST = 2**83
"""A share from SMALLEST to 1, times this, is a whole number."""


def weigh_source(source: Source, name: str) -> Source:
    """Return a source with the weights of rows that a column holds, which is no feature then."""
    check_has(name, source.names, source.origin)
    others = source.without([name])
    if not isinstance(source, TableSource):
        return replace(others, weight=name)
    table = source.table.select(others.names)
    weights = check_weights(read_weights(source.table, name), table.rows, of_file=True)
    return TableSource.of(table, weights)


def read_weights(table: Table, name: str) -> NDArray[np.float64]:
    """Return the numbers in a column of weights; NaN where a cell is missing."""
    return np.asarray(table[name].cast(ColumnKind.NUMBER).values, np.float64)


def check_weights(given: Any, rows: int, *, of_file: bool = False) -> NDArray[np.float64]:
    """Return the weight of each row; raise unless all are numbers from 0 up, not all of them 0.

    Rows `of_file` are counted from 1, below the header.
    """
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise GnriError("a weight must be a number, and each row must have one") from None
    if weights.shape != (rows,):
        raise GnriError(
            f"there must be one weight for each of the {rows} rows, got the shape {weights.shape}"
        )
    wrong = ~is_weight(weights)
    if wrong.any():
        row = int(wrong.argmax())
        place = f"row {row + 1} below the header" if of_file else f"row {row}"
        raise GnriError(f"a weight must be a number from 0 up, got {weights[row]} in {place}")
    if not weights.any():
        raise GnriError(ALL_ZERO)
    return weights


ALL_ZERO = "at least one weight must not be zero, as a row of weight 0 is left out"


def is_weight(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers can be weights."""
    return np.isfinite(numbers) & (numbers >= 0)


def count_copies(
    table: Table,
    codes: NDArray[np.intp],
    classes: NDArray[Any],
    class_weight: object,
    weights: NDArray[np.float64] | None,
) -> tuple[NDArray[np.intp], Sequence[float] | None]:
    """Return how many copies of each row to learn from, and of a row of each class if these differ.

    All weights are above 0. Whole weights are kept. Others are divided by the smallest, times the
    least whole number up to 3 with which all are within RESOLUTION of a whole number, and rounded.
    Where that gives more than MOST_COPIES for each row, they are scaled to so many, and rounded: a
    weight may become 0.
    """
    each, known = np.ones(len(codes), np.int64), np.ones(len(codes)) if weights is None else weights
    factors = read_class_weights(class_weight, classes)
    copies = round_weights(known * factors[codes], each)
    if is_balanced(class_weight):
        return _balance(table, codes, copies, len(classes))
    return copies, None if class_weight is None else factors.tolist()


def round_weights(weights: NDArray[np.float64], times: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the copies for weights above 0, each of which so many rows have.

    >>> round_weights(np.array([0.5, 0.75, 4.0]), np.array([1, 1, 1])).tolist()
    [2, 3, 16]
    """
    return find_scale(lambda measure: measure(weights, times)).copies(weights)


class Scale(NamedTuple):
    """How many copies a weight becomes: its share of the largest one, scaled and rounded."""

    largest: float = 0.0  # 0: all weights are whole and stay as they are
    least: float = 1.0  # share
    factor: float = 1.0

    def copies(self, weights: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the copies for weights above 0."""
        if not self.largest:
            return weights.astype(np.intp)
        return np.round(self.factor * _shares(weights, self.largest, self.least)).astype(np.intp)


WHOLE = Scale()


class Sums(NamedTuple):
    """What is known of the weights of some rows: it adds up over parts of a table, exactly."""

    sums: tuple[float, ...]
    most: tuple[float, ...] = ()

    def merge(self, other: "Sums") -> "Sums":
        """Return what is known of the rows of both."""
        return Sums(
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(map(max, self.most, other.most)),
        )


Measure = Callable[[NDArray[np.float64], NDArray[np.int64]], Sums]
"""Returns what is known of weights, each of which so many rows have."""


def find_scale(over_all: Callable[[Measure], Sums]) -> Scale:
    """Return how weights become copies, from what measures give over all rows."""
    (rows, total), (largest, negative) = over_all(measure_range)
    if total <= max(MOST_COPIES * rows, MOST_WHOLE):  # never for NaN
        return WHOLE
    least = max(-negative / largest, SMALLEST)
    unfit, copies, (shares,) = np.split(
        np.array(over_all(partial(measure_fit, largest, least)).sums, object), [3, 6]
    )
    fits = [i for i in range(3) if not unfit[i]]
    place = fits[0] if fits else 2
    if copies[place] > MOST_COPIES * rows:
        return Scale(largest, 1.0, MOST_COPIES * rows / (shares / _FINEST))
    return Scale(largest, least, place + 1.0)


def measure_range(weights: NDArray[np.float64], times: NDArray[np.int64]) -> Sums:
    """Return the rows and the sum of weights, NaN if not all are whole, and the extremes."""
    whole = (weights == np.round(weights)).all()
    sums = float(times.sum()), float(weights @ times) if whole else nan
    return Sums(sums, (float(weights.max(initial=0.0)), -float(weights.min(initial=inf))))


def measure_fit(
    largest: float, least: float, weights: NDArray[np.float64], times: NDArray[np.int64]
) -> Sums:
    """Return for each factor up to 3 how many weights do not fit it, then its copies.

    The exact sum of the shares of all rows comes last.
    """
    ratios = _shares(weights, largest, least)
    scaled = [factor * ratios for factor in range(1, 4)]
    copies = list(map(np.round, scaled))
    unfit = [
        int((np.abs(many - wanted) > RESOLUTION * wanted).sum())
        for many, wanted in zip(copies, scaled, strict=True)
    ]
    parts = (_shares(weights, largest, 1.0) * _FINEST).tolist()
    total = sum(int(part) * n for part, n in zip(parts, times.tolist(), strict=True))
    return Sums((*unfit, *(float(many @ times) for many in copies), total))


def _shares(weights: NDArray[np.float64], largest: float, least: float) -> NDArray[np.float64]:
    """Return the share of each weight of the largest one, as a multiple of the least share."""
    shares: NDArray[np.float64] = np.maximum(weights / largest, SMALLEST) / least
    return shares


def _balance(
    table: Table, codes: NDArray[np.intp], copies: NDArray[np.intp], classes: int
) -> tuple[NDArray[np.intp], Sequence[float]]:
    """Return copies with which all classes weigh the same, up to rounding, and those of a class.

    If every row of a class occurs a multiple of n times, it is first counted an n-th as often, so
    that repeating all rows of a class changes nothing.
    """
    groups, divisors = _find_repeats(table, codes, copies, classes)
    factors = balance_sizes(np.bincount(codes, copies, classes).astype(np.int64) // divisors)
    found = np.empty_like(copies)
    order = np.argsort(groups, kind="stable")
    for kind, (factor, divisor) in enumerate(zip(factors, divisors, strict=True)):
        own = order[codes[order] == kind]  # equal rows side by side
        totals = np.cumsum(copies[own]) * factor // divisor
        found[own] = np.diff(totals, prepend=0)
    return found, factors.tolist()


def balance_sizes(sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the copies of a row of each class with which all classes weigh the same."""
    return round_weights(sizes.max() / sizes, sizes)


def _find_repeats(
    table: Table, codes: NDArray[np.intp], copies: NDArray[np.intp], classes: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return groups of equal rows of a class; for each class, the greatest divisor of its sizes."""
    keys = table.number_rows() * classes + codes
    _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
    sizes, owners = np.bincount(groups, copies).astype(np.int64), codes[first]
    return groups, np.array([np.gcd.reduce(sizes[owners == kind]) for kind in range(classes)])


def is_balanced(class_weight: object) -> bool:
    """Return whether classes are to weigh the same."""
    return isinstance(class_weight, str) and class_weight == "balanced"


def read_class_weights(given: object, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weight of each class, 1 unless given; a class may be named by its text."""
    if given is None or is_balanced(given):
        return np.ones(len(classes))
    if not isinstance(given, Mapping):
        raise GnriError(
            "class_weight must be None, 'balanced' or a weight for each class, such as "
            f"{{'yes': 10, 'no': 1}}; got {shorten(given)}"
        )
    labels, found = classes.tolist(), []
    weights = {find_class(name, labels): weight for name, weight in given.items()}
    for kind, label in enumerate(labels):
        if kind not in weights:
            raise GnriError(
                f"class_weight has no weight for the class {label!r}, only for "
                f"{shorten(list(given))}; add one"
            )
        weight = weights[kind]
        if not isinstance(weight, int | float | np.number) or not 0 < weight < np.inf:
            raise GnriError(
                f"the weight of a class must be a number above 0, got {weight!r} for {label!r}; to "
                "leave a class out, leave out its rows"
            )
        found.append(float(weight))
    return np.array(found)
