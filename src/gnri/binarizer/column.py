"""One column of a table: its kind, its cells, and which of them are known."""

from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import StrEnum
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.binarizer.unfit import ColumnsError, Unfit
from gnri.cells import is_missing
from gnri.errors import GnriError


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMBER = "numbers"
    BOOLEAN = "Booleans"
    CATEGORY = "categories"


_KINDS: tuple[tuple[Kind, np.dtype[Any], tuple[type, ...]], ...] = (
    (Kind.BOOLEAN, np.dtype(np.bool_), (bool, np.bool_)),
    (Kind.NUMBER, np.dtype(np.float64), (Real, Decimal)),
    (Kind.CATEGORY, np.dtype(object), (str,)),
)
"""Of which Python types the cells of each kind are, and how they are kept."""


@dataclass(frozen=True, eq=False)
class Column:
    """Cells are float64, bool or, for categories, plain Python values; unknown ones say nothing."""

    name: str
    kind: Kind
    cells: NDArray[Any]
    known: NDArray[np.bool_]


def number_column(name: str, numbers: NDArray[Any]) -> Column:
    """A column of numbers, in which NaN is missing."""
    cells = np.asarray(numbers, dtype=np.float64)
    return Column(name, Kind.NUMBER, cells, ~np.isnan(cells))


def boolean_column(name: str, truths: NDArray[np.bool_]) -> Column:
    return Column(name, Kind.BOOLEAN, truths, np.ones(len(truths), dtype=np.bool_))


def category_column(name: str, cells: NDArray[np.object_]) -> Column:
    """A column whose values, numbers too, are names of categories."""
    known = _known(cells)
    scalars = [_scalar(cell, name) for cell in cells[known]]
    return Column(name, Kind.CATEGORY, _filled(known, scalars, np.dtype(object)), known)


def object_column(name: str, cells: NDArray[np.object_]) -> Column:
    """A column of Python objects, whose kind its cells decide."""
    known = _known(cells)
    types = {type(cell) for cell in cells[known]}
    for kind, dtype, members in _KINDS:
        if all(issubclass(one, members) for one in types):
            return Column(name, kind, _filled(known, cells[known].tolist(), dtype), known)
    raise _not_a_kind(name, types)


def plain_cells(column: Column) -> NDArray[Any]:
    """The cells with every unknown one marked: text and Booleans by None, numbers by NaN."""
    if column.kind == Kind.NUMBER:
        return np.where(column.known, column.cells, np.nan)
    return _filled(column.known, column.cells[column.known].tolist(), np.dtype(object))


def refuse_dates(name: str) -> ColumnsError:
    advice = "replace it by a number, such as a year, a weekday or the days since an event"
    return ColumnsError(Unfit(name, "holds dates or times", advice))


def _known(cells: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.array([not is_missing(cell) for cell in cells], dtype=np.bool_)


def _filled(known: NDArray[np.bool_], values: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    cells = np.full(len(known), None if dtype.kind == "O" else 0, dtype=dtype)
    cells[known] = values
    return cells


def _scalar(cell: Any, name: str) -> str | int | float | bool:
    value = cell.item() if isinstance(cell, np.generic) else cell
    if not isinstance(value, str | int | float | bool):
        raise _not_a_kind(name, {type(value)})
    return value


def _not_a_kind(name: str, types: set[type]) -> GnriError:
    if any(
        issubclass(one, (date, time, timedelta, np.datetime64, np.timedelta64)) for one in types
    ):
        return refuse_dates(name)
    found = ", ".join(sorted({one.__name__ for one in types}))
    return GnriError(
        f"a column must hold numbers, Booleans or text, one kind throughout, but {name!r} holds "
        f"{found}; convert it to one kind, with None where a cell is missing"
    )
