"""The column to predict: its classes, and the class of each row; every refusal of a target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import (
    KIND_WORDS,
    MISSING,
    TRUTHS,
    ColumnKind,
    are_truths,
    decide_kind,
    is_number,
    missing_texts,
)
from gnri.data.schema import number_name
from gnri.data.table import Column, Table
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError, shorten

MANY_CLASSES = 20  # more values than this, most of them different, are not classes
MOST_CLASSES = 1_000


@dataclass(frozen=True)
class TargetCut:
    """A column of numbers to predict, cut at a threshold or into parts of equally many rows.

    A number that is equal to a cut is below it. With `bins` = k, the i-th cut is the smallest
    number with at least i/k of the rows up to it: for 2, the lower median. Cuts that fall on the
    same number are one, and one with no row above it is none.
    """

    name: str
    threshold: float | None = None
    bins: int | None = None

    def __post_init__(self) -> None:
        if (self.threshold is None) == (self.bins is None):
            raise GnriError("give either bins or threshold to cut a target of numbers, not both")
        if self.bins is not None and (type(self.bins) is not int or self.bins < 2):
            raise GnriError(f"bins must be a whole number from 2 up, got {self.bins!r}")
        if self.threshold is not None and not abs(self.threshold) < np.inf:
            raise GnriError(f"threshold must be a finite number, got {self.threshold!r}")

    def find_cuts(self, counts: ValueCounts) -> list[float]:
        """Return where the numbers are cut; raise where there are no two parts."""
        column, numbers = shorten(self.name), counts.numbers
        if counts.kind != ColumnKind.NUMBER or not len(numbers.counts):
            raise GnriError(
                f"only numbers can be cut with bins or threshold, but column {column} holds "
                f"{KIND_WORDS[counts.kind or ColumnKind.CATEGORY]}; leave them out"
            )
        lowest, highest = numbers.lowest[0], numbers.highest[-1]
        if self.threshold is not None:
            found = [float(self.threshold)]
        else:
            assert self.bins is not None, "one of the two is given"
            upto, total = np.cumsum(numbers.counts), int(numbers.counts.sum())
            wanted = [int((upto * self.bins >= i * total).argmax()) for i in range(1, self.bins)]
            found = sorted({float(numbers.highest[place]) for place in wanted})
        cuts = [cut for cut in found if lowest <= cut < highest]
        if not cuts:
            side = "below" if found[0] < lowest else "above"
            raise GnriError(
                f"both classes of column {column} need rows, but none is {side} "
                f"{number_name(found[0])}; its numbers go from {number_name(lowest)} to "
                f"{number_name(highest)}, so give a threshold from {number_name(lowest)} to below "
                f"{number_name(highest)}"
            )
        return cuts


@dataclass(frozen=True, eq=False)
class Target:
    """The classes in order, and which of them each value of the column is.

    Classes are whole numbers, Booleans if written true and false, else text; those of a cut column
    are text in the order of the numbers. `rows` have a label, and the `unlabelled` ones have none.
    """

    name: str
    classes: NDArray[Any]
    codes: Mapping[Any, int]
    rows: int
    unlabelled: int = 0
    cuts: tuple[float, ...] = ()

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the place of each row's class; -1 where it has no label."""
        known = column.known
        if self.cuts:
            found = column.cast(ColumnKind.NUMBER)
            codes, known = np.searchsorted(self.cuts, found.values), found.known
        elif column.kind == ColumnKind.NUMBER:
            codes = np.searchsorted(self.classes, column.values)
        else:
            values = (False, True) if column.kind == ColumnKind.FLAG else column.categories
            places = np.array([self.codes.get(value, -1) for value in values], np.intp)
            codes = np.take(places, column.values)
        return codes if known is None else np.where(known, codes, -1)


AnyTarget = str | Target | TargetCut
"""A column to predict: its name, its classes where these are known, or how it is cut into them."""


def make_target(name: Any, bins: int | None, threshold: float | None) -> Any:
    """Return what to predict: the column of this name, cut if `bins` or `threshold` says so."""
    if name is None or (bins is None and threshold is None):
        return name
    return TargetCut(name, threshold, bins)


def label_name(target: AnyTarget) -> str:
    """Return the name of the column."""
    return target.name if isinstance(target, Target | TargetCut) else target


def find_target(target: AnyTarget, counts: ValueCounts) -> Target:
    """Return the target itself, or as the counts of its column show it."""
    if isinstance(target, Target):
        return target
    return read_target(counts, target if isinstance(target, TargetCut) else None)


def read_target(counts: ValueCounts, cut: TargetCut | None = None) -> Target:
    """Return the target that a column of these counts is; text that means missing is no label."""
    name = shorten(counts.name)
    if counts.unusable is not None:
        raise GnriError(
            f"the target must hold classes, but column {name} {counts.unusable.said}; write them "
            "as text or whole numbers"
        )
    absent = _absent(counts)
    texts = {value: n for value, n in counts.values.items() if value not in absent}
    numbers = zip(counts.numbers.lowest.tolist(), counts.numbers.counts.tolist(), strict=True)
    values = {**dict(numbers), **texts}
    rows = sum(values.values())
    missing = counts.missing + counts.values.total() - sum(texts.values())
    if not values:
        raise GnriError(f"no row has a label: column {name} is empty; fill it in")
    if cut is not None:
        cuts = cut.find_cuts(counts.decide())
        return Target(counts.name, _name_parts(cuts), {}, rows, missing, tuple(cuts))
    classes = _classes(list(values), counts)
    if len(set(classes.tolist())) > max(MANY_CLASSES, rows // 2):
        _refuse_many(classes, rows, counts)
    found, codes = code_labels(classes)
    places = dict(zip(values, codes.tolist(), strict=True))
    return Target(counts.name, found, places, rows, missing)


def split_labelled(column: Column) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows of a target surely have a label, and which have one if it is text.

    The second are those of `na`, `-` and `.`, which are missing only among numbers and Booleans.
    """
    sure = ~column.missing_rows(ColumnKind.NUMBER)
    if column.kind == ColumnKind.CATEGORY:
        sure &= ~replace(column, kind=None).missing_rows(ColumnKind.CATEGORY)
    if column.kind is not None:
        return sure, np.zeros(len(column), np.bool_)
    return sure, ~sure & ~column.missing_rows(ColumnKind.CATEGORY)


def are_labels(counts: ValueCounts) -> bool:
    """Return whether `na`, `-` and `.` are labels in a target of these counts."""
    return _absent(counts) == MISSING


def _absent(counts: ValueCounts) -> frozenset[str]:
    """Return the texts that mean that there is no label."""
    kind = ColumnKind.CATEGORY
    if counts.kind is None:
        kind = ColumnKind.NUMBER if len(counts.numbers.counts) else decide_kind(counts.values)
    return missing_texts(kind)


def _name_parts(cuts: list[float]) -> NDArray[Any]:
    """Return the names of the parts that these cuts make.

    >>> _name_parts([30.0, 50.0]).tolist()
    ['up to 30', 'above 30 up to 50', 'above 50']
    """
    names = list(map(number_name, cuts))
    between = [f"above {low} up to {high}" for low, high in pairwise(names)]
    return np.array([f"up to {names[0]}", *between, f"above {names[-1]}"], object)


def find_part_cuts(classes: Sequence[Any]) -> list[float]:
    """Return the cuts that made these parts, by their names; none if they are other classes."""
    try:
        cuts = [float(str(label).rpartition(" ")[2]) for label in classes[:-1]]
    except ValueError:
        return []
    return cuts if _name_parts(cuts).tolist() == list(classes) else []


def _refuse_many(classes: NDArray[Any], rows: int, counts: ValueCounts) -> NoReturn:
    """Raise, as a column has too many different values to be classes."""
    name, distinct = shorten(counts.name), len(set(classes.tolist()))
    if classes.dtype == object:
        raise GnriError(
            f"the target must hold classes, but column {name} holds {distinct} different values in "
            f"{rows} rows, like an identifier; group them into classes"
        )
    raise GnriError(
        f"the target must hold classes, but column {name} holds {distinct} different numbers in "
        f"{rows} rows; {_ways_out(counts)}"
    )


def _ways_out(counts: ValueCounts) -> str:
    """Return how to make two classes of numbers."""
    try:
        median = TargetCut(counts.name, bins=2).find_cuts(counts.decide())[0]
    except GnriError:
        return "group them into classes"
    return (
        "predict whether it is above the median with --bins 2, or above a number with --threshold "
        f"{number_name(median)} (in Python bins=2 or threshold={number_name(median)})"
    )


def code_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes of labels in order, and the place of each label's class."""
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise GnriError(
            f"labels must have at least 2 classes, got 1 class, {classes.tolist()[0]!r}; add "
            "rows of another class"
        )
    if len(classes) > MOST_CLASSES:
        raise GnriError(
            f"labels must have at most {MOST_CLASSES} classes, got {len(classes)}; if they are "
            "numbers or identifiers, group them into classes first"
        )
    return classes, codes


def add_labels(table: Table, labels: NDArray[Any]) -> tuple[Table, Target]:
    """Return a table with its labels as one more column, and the target that this column is."""
    classes, codes = code_labels(labels)
    name, values = "y", tuple(classes.tolist())
    while name in table:
        name += "'"
    label = Column(name, ColumnKind.CATEGORY, codes, None, values)
    places = {value: i for i, value in enumerate(values)}
    labelled = Table({**table, name: label}, table.origin, table.rows)
    return labelled, Target(name, classes, places, table.rows)


def _classes(values: list[Any], counts: ValueCounts) -> NDArray[Any]:
    """Return the class that each value is."""
    texts = counts.kind is None
    if counts.kind == ColumnKind.NUMBER or (
        texts and all(isinstance(value, float) or is_number(value) for value in values)
    ):
        return _whole(np.array(values, np.float64), counts)
    if counts.kind == ColumnKind.FLAG:
        return np.array(values, np.bool_)
    if texts and are_truths(values):
        return np.array([TRUTHS[value.lower()] for value in values], np.bool_)
    return np.array(values, object)


def _whole(numbers: NDArray[np.float64], counts: ValueCounts) -> NDArray[np.int64]:
    # Beyond 2^53 not every whole number is a float, and beyond 2^63 none is an integer.
    large = ~(np.abs(numbers) <= 2**53)
    broken = numbers[large | (numbers != np.round(numbers))]
    if len(broken):
        raise GnriError(
            f"the target must hold classes, but column {shorten(counts.name)} holds numbers such "
            f"as {number_name(broken[0])}; {_ways_out(counts)}"
        )
    return numbers.astype(np.int64)
