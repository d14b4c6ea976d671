"""Columns as truths of atoms, for frames, files and rows in parts alike."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Atom, IsTrue, Scalar, Schema, column_kinds, values_of
from gnri.data.table import Column, Table
from gnri.errors import ShapeError, closest, shorten

if TYPE_CHECKING:
    from gnri.data.frames import Cells

Truth = NDArray[np.bool_]


def encode(schema: Schema, table: Table) -> NDArray[np.int8]:
    """Return the truth of every atom in every row (rows, atoms): +1, -1, or 0 where unknown.

    A category never seen before makes its atoms false.
    """
    values = np.empty((table.rows, len(schema.atoms)), np.int8)
    for place, positive, known in column_truths(schema, table):
        signs = 2 * positive.view(np.int8) - 1
        values[:, place] = (signs if known is None else signs * known).T
    return values


def column_truths(
    schema: Schema, table: Table, rows: NDArray[np.intp] | None = None
) -> Iterator[tuple[slice, Truth, Truth | None]]:
    """Yield of each column the places of its atoms, and what `truth` returns of all or some rows.

    The rows are in the order given.
    """
    place = 0
    for name, group in groupby(schema.atoms, key=lambda atom: atom.column):
        atoms = list(group)
        column = table[name] if rows is None else table[name].take(rows)
        yield slice(place, place + len(atoms)), *truth(atoms, column)
        place += len(atoms)


def truth(atoms: Sequence[Atom], column: Column) -> tuple[Truth, Truth | None]:
    """Return where each atom of a column is true (atoms, rows), and which cells are known.

    A cell that is not known makes no atom true; None: all are known. Where codes are unknown to
    some atoms, what is known is (atoms, rows).
    """
    read = _as_read(atoms, column)
    if read.kind == ColumnKind.CATEGORY:
        found = _of_categories(atoms, read)
    else:
        found = np.array([_holds(atom, read.values) for atom in atoms])
    known = read.known
    codes = [atom.codes if isinstance(atom, Above) else () for atom in atoms]
    if any(codes):
        own = np.array([~np.isin(read.values, some) for some in codes])
        known = own if known is None else own & known
    if known is not None:
        found &= known
    return found, known


def answer_cells(
    atoms: Sequence[Atom], kind: ColumnKind, cells: Sequence[Scalar]
) -> NDArray[np.int8]:
    """Return how cells of one kind, none missing, answer the atoms of a column (cells, atoms)."""
    name = atoms[0].column
    if kind == ColumnKind.CATEGORY:
        column = Column(name, kind, np.arange(len(cells)), categories=tuple(cells))
    else:
        dtype = np.bool_ if kind == ColumnKind.FLAG else np.float64
        column = Column(name, kind, np.array(cells, dtype))
    return np.where(truth(atoms, column)[0].T, 1, -1).astype(np.int8)


def encode_cells(schema: Schema, columns: "Mapping[str, Cells]") -> NDArray[np.int8]:
    """Return the truths of raw cells by column; only the columns that atoms read are looked at."""
    kinds = column_kinds(schema.atoms)
    for name in kinds:
        if name not in columns:
            near = closest(name, [key for key in columns if isinstance(key, str)])
            hint = "" if near is None else f" (there is {shorten(near)})"
            raise ShapeError(
                f"the rules read column {shorten(name)}, which the table does not have{hint}; "
                "add it, with empty cells where it is unknown"
            )
    from gnri.data.frames import read_cells

    found = {name: read_cells(name, columns[name], kind) for name, kind in kinds.items()}
    rows = -1 if found else next((len(columns[name]) for name in columns), 0)
    return encode(schema, Table(found, rows=rows))


def _as_read(atoms: Sequence[Atom], column: Column) -> Column:
    """Return the column in the kind that the atoms read, if nothing is lost by that."""
    if column.kind is None or any(isinstance(atom, Above | IsTrue) for atom in atoms):
        return column.cast(column_kinds(atoms)[atoms[0].column])
    # Categories may be numbers; those are looked for in columns of any kind.
    wanted = [value for atom in atoms if not isinstance(atom, Above) for value in values_of(atom)]
    return column.cast(ColumnKind.CATEGORY) if any(isinstance(v, str) for v in wanted) else column


def _of_categories(atoms: Sequence[Atom], column: Column) -> Truth:
    """Return where each atom holds, by way of the categories, which are few."""
    found = np.zeros((len(atoms), max(len(column.categories), 1)), np.bool_)
    for i, atom in enumerate(atoms):
        assert not isinstance(atom, Above), "numbers are compared, categories are not"
        wanted = frozenset(values_of(atom))
        found[i, : len(column.categories)] = [one in wanted for one in column.categories]
    return np.take(found, column.values, axis=1)


def _holds(atom: Atom, cells: NDArray[Any]) -> Truth:
    if isinstance(atom, Above):
        return np.asarray(cells > atom.cut)
    if isinstance(atom, IsTrue):
        return cells
    return np.isin(cells, [value for value in values_of(atom) if not isinstance(value, str)])
