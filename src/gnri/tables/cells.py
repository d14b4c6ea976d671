"""What the text of a column means: numbers, Booleans or categories.

A column is what all of its present cells are. Missing are empty cells, `?`, and what pandas takes
as missing in a CSV file; among numbers and Booleans also `na`, `-` and `.`, which are values in
text. A whole number that begins with a zero, such as 007, or that is too large for a 64-bit
float to hold exactly is a code, and its column stays text.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import EncodingError, GnriError
from gnri.messages import shorten
from gnri.numerals import NUMBER, is_number

MISSING = frozenset(
    {
        *("", "?", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"),
        *("nan", "NaN", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    }
)
"""Cells that are missing in every column: those of pandas.read_csv, and `?`."""

_MISSING_BUT_IN_TEXT = MISSING | {"na", "-", "."}

MANY_CLASSES = 20
"""A target with more values than this, most of them different, is not one of classes."""

MOST_CLASSES = 1_000
"""A label with more values is refused: it is a number or an identifier, not a class."""

_TRUTHS = {"true": True, "false": False}
_FLAGS = {**_TRUTHS, "1": True, "0": False, "1.0": True, "0.0": False}


class Kind(StrEnum):
    """What a column holds; the names are those of `gnri.rules.checks.column_kinds`."""

    NUMBER = "number"
    FLAG = "flag"
    TEXT = "text"


def kind_of(cells: Iterable[str]) -> Kind:
    """The kind of a column; 0 and 1 alone are Booleans, as are true and false.

    >>> [str(kind_of(cells)) for cells in (["1", "2.5", ""], ["0", "1"], ["007", "12"])]
    ['number', 'flag', 'text']
    """
    present = set(cells) - MISSING
    distinct = present - _MISSING_BUT_IN_TEXT
    if distinct and (_lower(distinct) <= set(_TRUTHS) or distinct <= {"0", "1"}):
        return Kind.FLAG
    # Dashes alone are text: there is no number beside which they would be missing.
    dashes_alone = present and not distinct
    return Kind.NUMBER if are_numbers(distinct) and not dashes_alone else Kind.TEXT


def are_numbers(cells: Iterable[str]) -> bool:
    """Whether all are numbers, or are missing where the others are."""
    return all(map(is_number, set(cells) - _MISSING_BUT_IN_TEXT))


def missing_codes(kind: Kind) -> frozenset[str]:
    """The cells that are missing in a column of this kind."""
    return MISSING if kind == Kind.TEXT else _MISSING_BUT_IN_TEXT


def without_dashes(cells: list[str]) -> list[str]:
    """The cells with those empty that are missing because the others are numbers or Booleans.

    >>> without_dashes(["7", "-"]), without_dashes(["+", "-"])
    (['7', ''], ['+', '-'])
    """
    dashes = _MISSING_BUT_IN_TEXT - MISSING
    if dashes.isdisjoint(cells) or kind_of(cells) == Kind.TEXT:
        return cells
    return ["" if cell in dashes else cell for cell in cells]


def parsed(cells: list[str] | NDArray[Any], kind: Kind, name: str) -> NDArray[Any]:
    """The cells as this kind, NaN or None where missing; a typed column stays as it is.

    >>> parsed(["1", "?"], Kind.NUMBER, "age")
    array([ 1., nan])
    """
    if isinstance(cells, np.ndarray):
        return cells
    read, missing = _READERS[kind], missing_codes(kind)
    values = {cell: None if cell in missing else read(cell) for cell in set(cells)}
    for row, cell in enumerate(cells, start=1):
        if values[cell] is None and cell not in missing:
            raise EncodingError(
                f"column {shorten(name)} must hold {_EXPECTED[kind]}, got {shorten(cell)} in row "
                f"{row} below the header; correct it, or leave the cell empty if it is unknown"
            )
    found = [values[cell] for cell in cells]
    if kind == Kind.NUMBER:
        return np.array(found, dtype=np.float64)
    whole = kind == Kind.FLAG and None not in values.values()
    return np.array(found, dtype=np.bool_ if whole else object)


def classes(cells: list[str] | NDArray[Any], name: str) -> NDArray[Any]:
    """The class of each row: whole numbers, Booleans if written true and false, else text.

    >>> classes(["yes", "no"], "class").tolist(), classes(["1", "2"], "class").tolist()
    (['yes', 'no'], [1, 2])
    """
    for row, cell in enumerate(cells, start=1):
        if cell is None or cell != cell or (isinstance(cell, str) and cell in MISSING):
            said = (
                f" ({shorten(cell)} is read as missing)" if isinstance(cell, str) and cell else ""
            )
            raise GnriError(
                f"every row needs a label, but column {shorten(name)} has none in row {row} below "
                f"the header{said}; fill it in, or drop the row"
            )
    cells = _typed(cells) if isinstance(cells, list) else cells
    odd = [cell for cell in cells.tolist() if not isinstance(cell, str | int | float)]
    if odd:
        raise GnriError(
            f"the target must hold classes, but column {shorten(name)} holds values such as "
            f"{shorten(odd[0])}; write them as text or whole numbers"
        )
    found = _whole(cells, name) if cells.dtype.kind == "f" else cells
    distinct = len(set(found.tolist()))
    if distinct > max(MANY_CLASSES, len(found) / 2):
        raise GnriError(
            f"the target must hold classes, but column {shorten(name)} holds {distinct} different "
            f"values in {len(found)} rows, like a number or an identifier; group them into classes"
        )
    return found


def _typed(cells: list[str]) -> NDArray[Any]:
    distinct = set(cells)
    if _lower(distinct) <= set(_TRUTHS):
        return np.array([_TRUTHS[cell.lower()] for cell in cells])
    numeric = all(map(is_number, distinct))
    return np.array(cells, dtype=np.float64 if numeric else object)


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


def _lower(cells: Iterable[str]) -> set[str]:
    return {cell.lower() for cell in cells}


def _number(cell: str) -> float | None:
    return float(cell) if NUMBER.fullmatch(cell) else None


def _flag(cell: str) -> bool | None:
    return _FLAGS.get(cell.lower())


_READERS: dict[Kind, Callable[[str], float | bool | str | None]] = {
    Kind.NUMBER: _number,
    Kind.FLAG: _flag,
    Kind.TEXT: str,
}
_EXPECTED = {
    Kind.NUMBER: "numbers",
    Kind.FLAG: "Booleans (true and false, or 1 and 0)",
    Kind.TEXT: "text",
}
