"""What is in a table: its columns, their kinds, and which of them is to be told."""

from typing import Any

import numpy as np

from gnri.binarizer.column import Column, boolean_column, number_column, object_column
from gnri.binarizer.learn import atoms_of, settings_of
from gnri.data.samples import SAMPLES
from gnri.data.schema import Above, Atom, atom_name
from gnri.errors import GnriError
from gnri.messages import counted
from gnri.tables.cells import MANY_CLASSES, Kind
from gnri.web.learnt import Report
from gnri.web.packed import PackedColumn, PackedTable, pack
from gnri.web.security import Limits

TARGETS = ("class", "target", "label", "outcome", "diagnosis", "y", "result", "survived")
"""What a column to predict is often called, the likeliest first."""

SHOWN = 6
"""So many questions, or values, are shown of a column."""


def describe_file(
    data: bytes, source: str, limits: Limits, report: Report
) -> tuple[PackedTable, dict[str, Any]]:
    """The table in a file, and what is in it."""
    table = pack(data, source, limits)
    report(0.5, "looking at the columns")
    return table, describe(table)


def describe_bundled(
    name: str, limits: Limits, report: Report
) -> tuple[PackedTable, dict[str, Any]]:
    """The same for a table that comes with the package."""
    if name not in SAMPLES:
        raise GnriError(f"no bundled table is called {name!r}; there are {', '.join(SAMPLES)}")
    return describe_file(SAMPLES[name]().to_csv().encode(), name, limits, report)


def describe(table: PackedTable) -> dict[str, Any]:
    """The columns, and the one that is likely to be the target."""
    target = guess_target(table)
    return {
        "name": table.source,
        "rows": table.rows,
        "target": target,
        "columns": [describe_column(name, column) for name, column in table.columns.items()],
    }


def describe_column(name: str, column: PackedColumn) -> dict[str, Any]:
    """Kind, missing share, and the questions that the column would be asked."""
    atoms, note = _questions(name, column)
    no_target = _no_target(column)
    cuts = [atom.cut for atom in atoms if isinstance(atom, Above)]
    return {
        "name": name,
        "kind": str(column.kind) if atoms else "leave out",
        "reads_as": _readings(column),
        "missing": float(column.missing.mean()),
        "distinct": len(column.distinct) - bool(column.missing.any()),
        "classes": not no_target,
        "no_target": no_target,
        "cuts": cuts,
        "questions": len(atoms),
        "shown": [atom_name(atom) for atom in atoms[:SHOWN]],
        "note": note,
    }


def guess_target(table: PackedTable) -> str | None:
    """A column of classes: by its name, else the last there is."""
    able = [name for name, column in table.columns.items() if not _no_target(column)]
    named = sorted(
        (name for name in able if name.lower() in TARGETS),
        key=lambda name: TARGETS.index(name.lower()),
    )
    few = [name for name in able if len(table.columns[name].distinct) <= MANY_CLASSES]
    return next(iter([*named, *reversed(few), *reversed(able)]), None)


def _no_target(column: PackedColumn) -> str:
    """Why the column cannot be predicted; nothing if it can."""
    missing, distinct = int(column.missing.sum()), len(column.distinct)
    if missing:
        return counted(missing, "missing cell")
    if distinct < 2:
        return "one value only"
    if distinct > max(MANY_CLASSES, len(column.places) / 2):
        return "too many values"
    if column.kind == Kind.NUMBER and not all(float(c).is_integer() for c in column.distinct):
        return "not whole numbers"
    return ""


def _readings(column: PackedColumn) -> list[str]:
    """The kinds that all cells can be read as; text always can."""
    match column.kind:
        case Kind.TEXT:
            return [str(Kind.TEXT)]
        case Kind.NUMBER:
            return [str(Kind.NUMBER), str(Kind.TEXT)]
        case Kind.FLAG:
            return [str(Kind.FLAG), str(Kind.TEXT)]


def _questions(name: str, column: PackedColumn) -> tuple[list[Atom], str]:
    """The atoms of the column, or why there are none."""
    try:
        atoms = atoms_of(_column(name, column), settings_of("auto", columns=1))
    except GnriError as error:
        return [], str(error)
    return atoms, "" if atoms else "it does not vary"


def _column(name: str, column: PackedColumn) -> Column:
    cells = column.read_as(column.kind, name)
    if cells.dtype.kind == "f":
        return number_column(name, cells)
    if cells.dtype.kind == "b":
        return boolean_column(name, np.asarray(cells, np.bool_))
    return object_column(name, np.asarray(cells, object))
