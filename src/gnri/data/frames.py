"""Tables of pandas, polars, Arrow and numpy, lists, and raw cells, as columns.

Python objects are told apart once: what a column is, its distinct objects and their types say.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import MISSING_TYPES, ColumnKind, Unusable, dates, is_missing
from gnri.data.schema import Scalar, plain, show
from gnri.data.table import EXPECTED, Column, Table, coded_column, find_distinct, number_column
from gnri.errors import EncodingError, GnriError, shorten

if TYPE_CHECKING:
    import narwhals as nw

Cells = Sequence[Any] | NDArray[Any] | Column

_DATES = (date, time, timedelta, np.datetime64, np.timedelta64)
_NUMBERS = (Real, Decimal, np.bool_)
_HASHABLE = (str, NoneType, *_NUMBERS)

_KINDS: list[tuple[ColumnKind, tuple[type, ...], Callable[[Any], Scalar]]] = [
    (ColumnKind.FLAG, (bool, np.bool_), bool),
    (ColumnKind.NUMBER, (Real, Decimal), float),
    (ColumnKind.CATEGORY, (str,), str.__str__),
]
"""Of which Python types the cells of each kind are, and how they are kept."""
_CATEGORIES = (ColumnKind.CATEGORY, (str, int, float, np.integer, np.floating, np.bool_), plain)


def from_frame(
    X: Any, names: Sequence[str] | None = None, only: Collection[str] | None = None
) -> Table:
    """Return the table in X: a frame that narwhals knows, an array, a list of rows, or a Table.

    Its columns are called `names`, if these are given. Only those named in `only` are read.
    """
    if isinstance(X, Table):
        cells, wanted = list(X.values()), _wanted(names or X, only)
        return Table({name: cells[i] for i, name in wanted}, X.origin, X.rows)
    frame = as_frame(X)
    if frame is not None:
        wanted = _wanted(names or map(str, frame.columns), only)
        columns = {name: _series_column(name, frame[:, i]) for i, name in wanted}
        return Table(columns, rows=len(frame))
    array = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    wanted = _wanted(names or [f"x{i}" for i in range(array.shape[1])], only)
    return Table({name: _array_column(name, array[:, i]) for i, name in wanted}, rows=len(array))


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """Return X as a frame of narwhals; None if it is none."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        found = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        names = list(X.columns)
        twice = [repr(name) for name in dict.fromkeys(names) if names.count(name) > 1]
        raise GnriError(
            f"column names must differ, got {', '.join(twice)} more than once; rename the columns"
        ) from None
    return found if isinstance(found, nw.DataFrame) else None


def read_cells(name: str, cells: Cells, kind: ColumnKind) -> Column:
    """Return raw cells as a column of `kind`; raise `EncodingError` for a cell of another type.

    A Boolean is no number here, and neither is a decimal, as in every export.
    """
    if isinstance(cells, Column):
        return cells.cast(kind) if cells.kind is None else cells
    found: Any = np.asarray(cells) if hasattr(cells, "__array__") else cells
    if isinstance(found, np.ndarray):
        if kind == ColumnKind.NUMBER and found.dtype.kind in "fiu":
            return number_column(name, found.astype(np.float64))
        if found.dtype.kind not in "mM":  # dates would become plain numbers
            found = found.tolist()
    found = list(found)
    distinct, codes = _find_distinct(found)
    values = [_parse(cell, kind) for cell in distinct]
    for cell, value in zip(distinct, values, strict=True):
        if value is None and not is_missing(cell):
            row = next(row for row, one in enumerate(found) if one is cell)
            raise EncodingError(
                f"column {shorten(name)} must hold {EXPECTED[kind]}, got {show(cell)} of type "
                f"{type(cell).__name__} at row {row}; convert the column first"
            )
    return coded_column(name, kind, values, codes)


def _parse(cell: Any, kind: ColumnKind) -> Scalar | None:
    """Return a raw cell as this kind; None if it is of another, or missing."""
    match kind:
        case ColumnKind.NUMBER:
            if isinstance(cell, bool) or not isinstance(cell, Real) or is_missing(cell):
                return None
            try:
                return float(cell)
            except OverflowError:
                return None
        case ColumnKind.FLAG:
            return bool(cell) if isinstance(cell, Real | np.bool_) and cell in (0, 1) else None
        case ColumnKind.CATEGORY:
            return str.__str__(cell) if isinstance(cell, str) else None


def _wanted(names: Iterable[str], only: Collection[str] | None) -> list[tuple[int, str]]:
    return [(i, name) for i, name in enumerate(names) if only is None or name in only]


def _series_column(name: str, series: "nw.Series[Any]") -> Column:
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_temporal():
        return _unusable_column(dates(name), len(series))
    if dtype.is_numeric():
        return number_column(name, series.cast(nw.Float64).to_numpy())
    if dtype == nw.Boolean and not series.null_count():
        return Column(name, ColumnKind.FLAG, series.to_numpy().astype(np.bool_))
    return object_column(name, series.to_list(), categories=dtype in (nw.Categorical, nw.Enum))


def _array_column(name: str, cells: NDArray[Any]) -> Column:
    if cells.dtype.kind in "mM":
        return _unusable_column(dates(name), len(cells))
    if cells.dtype.kind in "iuf":
        return number_column(name, cells.astype(np.float64))
    if cells.dtype.kind == "b":
        return Column(name, ColumnKind.FLAG, cells)
    return object_column(name, cells.tolist())


def object_column(name: str, cells: Sequence[Any], *, categories: bool = False) -> Column:
    """Return a column of Python objects, whose kind their types decide.

    The values of `categories` are names, numbers too.
    """
    distinct, codes = _find_distinct(cells)
    known = {type(cell) for cell in distinct if not is_missing(cell)}
    for kind, members, read in [_CATEGORIES] if categories else _KINDS:
        if all(issubclass(one, members) for one in known):
            values = [None if is_missing(cell) else read(cell) for cell in distinct]
            return coded_column(name, kind, values, codes)
    if any(issubclass(one, _DATES) for one in known):
        return _unusable_column(dates(name), len(cells))
    said = f"holds {', '.join(sorted({one.__name__ for one in known}))}, not one kind throughout"
    advice = "convert it to one kind, with None where a cell is missing"
    return _unusable_column(Unusable(name, said, advice), len(cells))


def _find_distinct(cells: Sequence[Any]) -> tuple[Sequence[Any], NDArray[np.int32]]:
    """Return the distinct cells and their places; 1, 1.0 and True of several types stay apart."""
    types = set(map(type, cells))
    if not all(issubclass(one, _HASHABLE) or one.__name__ in MISSING_TYPES for one in types):
        return cells, np.arange(len(cells), dtype=np.int32)
    if sum(issubclass(one, _NUMBERS) for one in types) < 2:
        return find_distinct(cells)
    pairs, codes = find_distinct(list(zip(map(type, cells), cells, strict=True)))
    return [cell for _, cell in pairs], codes


def _unusable_column(why: Unusable, rows: int) -> Column:
    return Column(why.column, None, np.zeros(rows, np.int32), None, ("",), why)
