"""The column to predict: its classes, and the class of each row; every refusal of a target."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import TRUTHS, ColumnKind, are_truths, decide_kind, is_number, missing_texts
from gnri.data.table import Column, Table, check_has
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError, shorten

MANY_CLASSES = 20  # more values than this, most of them different, are not classes
MOST_CLASSES = 1_000


@dataclass(frozen=True, eq=False)
class Target:
    """The classes in order, and which of them each value of the column is.

    Classes are whole numbers, Booleans if written true and false, else text.
    """

    name: str
    classes: NDArray[Any]
    codes: Mapping[Any, int]
    rows: int

    def encode(self, column: Column) -> NDArray[np.intp]:
        """Return the place of each row's class."""
        if column.kind == ColumnKind.NUMBER:
            return np.searchsorted(self.classes, column.values)
        values = (False, True) if column.kind == ColumnKind.FLAG else column.categories
        places = np.array([self.codes.get(value, -1) for value in values], np.intp)
        return np.take(places, column.values)


def encode_target(column: Column) -> tuple[Target, NDArray[np.intp]]:
    """Return the target in a column, and the place of each row's class."""
    found = read_target(count_values(column), column)
    return found, found.encode(column)


def read_labels(table: Table, name: str) -> NDArray[Any]:
    """Return the class of each row, which the column of this name holds."""
    check_has(name, list(table), table.origin)
    target, codes = encode_target(table[name])
    return target.classes[codes]


def read_target(counts: ValueCounts, column: Column | None = None) -> Target:
    """Return the target that a column of these counts is; with `column`, errors name the row."""
    name = shorten(counts.name)
    if counts.unusable is not None:
        raise GnriError(
            f"the target must hold classes, but column {name} {counts.unusable.said}; write them "
            "as text or whole numbers"
        )
    _check_known(counts, column)
    numbers = zip(counts.numbers.lowest.tolist(), counts.numbers.counts.tolist(), strict=True)
    values = {**dict(numbers), **counts.values}
    classes = _classes(list(values), counts)
    rows, distinct = sum(values.values()), len(set(classes.tolist()))
    if distinct > max(MANY_CLASSES, rows // 2):
        raise GnriError(
            f"the target must hold classes, but column {name} holds {distinct} different values in "
            f"{rows} rows, like a number or an identifier; group them into classes"
        )
    found, codes = code_labels(classes)
    return Target(counts.name, found, dict(zip(values, codes.tolist(), strict=True)), rows)


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


def _check_known(counts: ValueCounts, column: Column | None) -> None:
    """Raise if a row has no label; text that means missing, such as NA, is not a label."""
    kind = ColumnKind.CATEGORY
    if counts.kind is None:
        kind = ColumnKind.NUMBER if len(counts.numbers.counts) else decide_kind(counts.values)
    absent = missing_texts(kind)
    missing = counts.missing + sum(n for value, n in counts.values.items() if value in absent)
    if not missing:
        return
    where, said = f"in {missing} rows", ""
    if column is not None:
        unknown = column.missing_rows(kind)
        if column.categories:
            unknown |= replace(column, kind=None).missing_rows(kind)
        row = int(unknown.argmax())
        where = f"in row {row + 1} below the header"
        cell = column.categories[column.values[row]] if column.categories else ""
        said = f" ({shorten(cell)} is read as missing)" if cell else ""
    raise GnriError(
        f"every row needs a label, but column {shorten(counts.name)} has none {where}{said}; fill "
        "it in, or drop the row"
    )


def _classes(values: list[Any], counts: ValueCounts) -> NDArray[Any]:
    """Return the class that each value is."""
    texts = counts.kind is None
    if counts.kind == ColumnKind.NUMBER or (
        texts and all(isinstance(value, float) or is_number(value) for value in values)
    ):
        return _whole(np.array(values, np.float64), counts.name)
    if counts.kind == ColumnKind.FLAG:
        return np.array(values, np.bool_)
    if texts and are_truths(values):
        return np.array([TRUTHS[value.lower()] for value in values], np.bool_)
    return np.array(values, object)


def _whole(numbers: NDArray[np.float64], name: str) -> NDArray[np.int64]:
    # Beyond 2^53 not every whole number is a float, and beyond 2^63 none is an integer.
    large = ~(np.abs(numbers) <= 2**53)
    broken = numbers[large | (numbers != np.round(numbers))]
    if len(broken):
        raise GnriError(
            f"the target must hold classes, but column {shorten(name)} holds numbers such as "
            f"{broken[0]}; cut them into classes first, such as low and high"
        )
    return numbers.astype(np.int64)
