"""Raw cells to atom values: +1 true, -1 false, 0 where the cell is missing.

Numbers are read as 64-bit floats, in every export alike.
"""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cells import is_missing, truth
from gnri.data.schema import Schema
from gnri.errors import EncodingError, ShapeError
from gnri.messages import closest, shorten
from gnri.rules.checks import column_kinds, show

Cells = Sequence[Any] | NDArray[Any]


def read_atoms(schema: Schema, columns: Mapping[str, Cells]) -> NDArray[np.int8]:
    """The values of all atoms of the schema, rows x atoms; other columns are not looked at."""
    kinds = column_kinds(schema.atoms)
    found = {name: _column(columns, name, kind) for name, kind in kinds.items()}
    known = {name: _known(cells) for name, cells in found.items()}
    rows = _rows(found, columns)
    values = np.zeros((rows, len(schema.atoms)), dtype=np.int8)
    for i, atom in enumerate(schema.atoms):
        values[:, i] = truth(atom, found[atom.column], known[atom.column])
    return values


def _known(cells: NDArray[Any]) -> NDArray[np.bool_]:
    return cells != np.array(None) if cells.dtype == object else ~np.isnan(cells)


def _rows(found: Mapping[str, NDArray[Any]], columns: Mapping[str, Cells]) -> int:
    """The length of the columns read or, if the rules read none, of the first one there is."""
    lengths = {name: len(cells) for name, cells in found.items()}
    if not lengths:
        return next((len(columns[name]) for name in columns), 0)
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise ShapeError(
                f"columns must have one length, got {lengths[first]} cells in {shorten(first)} "
                f"and {length} in {shorten(name)}"
            )
    return lengths[first]


def _column(columns: Mapping[str, Cells], name: str, kind: str) -> NDArray[Any]:
    """One column as floats with NaN, or as objects with None, where cells are missing."""
    if name not in columns:
        near = closest(name, [key for key in columns if isinstance(key, str)])
        hint = "" if near is None else f" (there is {shorten(near)})"
        raise ShapeError(
            f"the rules read column {shorten(name)}, which the table does not have{hint}; "
            "give it that column"
        )
    raw = columns[name]
    cells = np.asarray(raw) if hasattr(raw, "__array__") else raw
    if isinstance(cells, np.ndarray) and kind != "text" and cells.dtype.kind in "fiub":
        fast = _numeric_array(cells, kind)
        if fast is not None:
            return fast
    parsed = [_parsed(cell, row, name, kind) for row, cell in enumerate(cells)]
    return np.array(parsed, dtype=object if kind == "text" else np.float64)


def _parsed(cell: Any, row: int, name: str, kind: str) -> float | str | None:
    if is_missing(cell):
        return None
    value = _READERS[kind](cell)
    if value is None:
        raise EncodingError(
            f"column {shorten(name)} must hold {_EXPECTED[kind]}, got {show(cell)} of type "
            f"{type(cell).__name__} at row {row}; convert the column first"
        )
    return value


def _numeric_array(cells: NDArray[Any], kind: str) -> NDArray[np.float64] | None:
    """The array as floats; None if some cell is wrong and has to be looked for."""
    if kind == "number":
        return None if cells.dtype.kind == "b" else cells.astype(np.float64)
    floats = cells.astype(np.float64)
    return floats if np.isin(floats[~np.isnan(floats)], (0.0, 1.0)).all() else None


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, Real):
        return None
    try:
        return float(cell)
    except OverflowError:
        return None


def _flag(cell: Any) -> float | None:
    if isinstance(cell, Real | np.bool_) and cell in (0, 1):
        return float(cell)
    return None


def _text(cell: Any) -> str | None:
    return cell if isinstance(cell, str) else None


_READERS: dict[str, Callable[[Any], float | str | None]] = {
    "number": _number,
    "flag": _flag,
    "text": _text,
}
_EXPECTED = {"number": "numbers", "flag": "Booleans, or 0 and 1", "text": "text"}
