"""Whether an atom holds in each row of a column: +1 yes, -1 no, 0 where the cell is missing."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.binarizer.column import Column, Kind
from gnri.errors import GnriError
from gnri.schema import Above, Atom, Equals, IsTrue, OneOf


def truth(atom: Atom, column: Column) -> NDArray[np.int8]:
    """The atom on every row; a category never seen before makes it false."""
    signs = np.where(_holds(atom, as_read_by(atom, column)), 1, -1)
    return np.where(column.known, signs, 0).astype(np.int8)


def as_read_by(atom: Atom, column: Column) -> Column:
    """The column in the kind the atom reads, if nothing is lost by that."""
    expected = _kind(atom)
    if column.kind == expected:
        return column
    if not column.known.any():
        return replace(column, kind=expected, cells=np.zeros(len(column.known)))
    if expected == Kind.NUMBER and column.kind == Kind.BOOLEAN:
        return replace(column, kind=expected, cells=column.cells.astype(np.float64))
    if expected == Kind.BOOLEAN and column.kind == Kind.NUMBER and _zero_one(column):
        return replace(column, kind=expected, cells=column.cells == 1)
    if expected == Kind.CATEGORY and not _reads_text(atom):
        return replace(column, kind=expected, cells=column.cells.astype(object))
    raise GnriError(
        f"column {column.name!r} held {_described(atom)} when the table was learnt from, "
        f"and now holds {column.kind}; pass it in its first form"
    )


def _holds(atom: Atom, column: Column) -> NDArray[Any]:
    match atom:
        case Above(_, cut):
            return column.cells > cut
        case Equals(_, value):
            return column.cells == value
        case OneOf(_, values):
            members = set(values)
            return np.array([cell in members for cell in column.cells], dtype=np.bool_)
        case IsTrue(_):
            return column.cells.astype(np.bool_)


def _kind(atom: Atom) -> Kind:
    match atom:
        case Above():
            return Kind.NUMBER
        case IsTrue():
            return Kind.BOOLEAN
        case Equals() | OneOf():
            return Kind.CATEGORY


def _zero_one(column: Column) -> bool:
    return bool(np.isin(column.cells[column.known], (0, 1)).all())


def _reads_text(atom: Atom) -> bool:
    values = [atom.value] if isinstance(atom, Equals) else getattr(atom, "values", ())
    return any(isinstance(value, str) for value in values)


def _described(atom: Atom) -> str:
    return "text" if _reads_text(atom) else str(_kind(atom))
