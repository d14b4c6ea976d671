"""The cells of a table: which are missing, and where an atom holds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, values_of

MISSING_TYPES = ("NAType", "NaTType")
"""The markers of missing cells that pandas uses beside None and NaN; they refuse comparison, and
we know them by name to stay free of pandas."""


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, or one of the markers of pandas."""
    if cell is None or type(cell).__name__ in MISSING_TYPES:
        return True
    return isinstance(cell, float | np.floating) and bool(cell != cell)


def truth(atom: Atom, cells: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The atom on each cell: +1 yes, -1 no, 0 where the cell is not known.

    Cells are numbers, Booleans or plain Python values. A category never seen before makes it
    false.

    >>> truth(Above("age", 30.0), np.array([45.0, 30.0, 0.0]), np.array([True, True, False]))
    array([ 1, -1,  0], dtype=int8)
    """
    return np.where(known, np.where(_holds(atom, cells), 1, -1), 0).astype(np.int8)


def _holds(atom: Atom, cells: NDArray[Any]) -> NDArray[np.bool_]:
    if isinstance(atom, Above):
        return np.asarray(cells > atom.cut)
    values = values_of(atom)
    if cells.dtype != object:
        return np.isin(cells, values)
    wanted = frozenset(values)
    return np.fromiter((cell in wanted for cell in cells), np.bool_, len(cells))
