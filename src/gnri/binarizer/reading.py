"""A column in the form that the atoms learnt from it read."""

from dataclasses import replace

import numpy as np

from gnri.binarizer.column import Column, Kind
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.errors import GnriError


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
