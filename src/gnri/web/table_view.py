"""A table that was sent: read, checked and described."""

import re
from typing import Any

from gnri.data.column import Column
from gnri.data.delimited import count_columns, read_delimited
from gnri.data.discretize import make_atoms, make_settings
from gnri.data.kinds import ColumnKind
from gnri.data.samples import SAMPLES
from gnri.data.schema import Above, Atom, atom_name
from gnri.data.table import Table
from gnri.data.target import MANY_CLASSES
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.messages import plural
from gnri.web import Report
from gnri.web.security import Limits

TARGETS = ("class", "target", "label", "outcome", "diagnosis", "y", "result", "survived")
"""Usual names of a column to predict, the likeliest first."""

SHOWN = 6  # questions of a column that the page lists

FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"%PDF": "a PDF",
}
"""The first bytes of files that are not text."""

_LINE = re.compile(rb"[^\r\n]++")


def describe_upload(
    data: bytes | None, name: str, limits: Limits, report: Report
) -> tuple[Table, dict[str, Any]]:
    """Return a table, and its description; without `data`, a bundled one."""
    if data is None and name not in SAMPLES:
        raise GnriError(f"there is no bundled table {name!r}; choose one of {', '.join(SAMPLES)}")
    table = read_upload(SAMPLES[name]().to_csv().encode() if data is None else data, name, limits)
    report(0.5, "describing the columns")
    return table, {
        "name": table.origin,
        "rows": table.rows,
        "target": guess_target(table),
        "columns": [describe_column(name, column) for name, column in table.items()],
    }


def describe_column(name: str, column: Column) -> dict[str, Any]:
    """Return the kind of a column, its share of missing cells and its questions."""
    (atoms, note), kind, no_target = _questions(column), column.decided_kind, _no_target(column)
    return {
        "name": name,
        "kind": str(kind) if atoms else "leave out",
        "reads_as": list(dict.fromkeys([str(kind), str(ColumnKind.CATEGORY)])),
        "missing": column.missing / len(column),
        "classes": not no_target,
        "no_target": no_target,
        "thresholds": [atom.cut for atom in atoms if isinstance(atom, Above)],
        "questions": len(atoms),
        "shown": [atom_name(atom) for atom in atoms[:SHOWN]],
        "note": note,
    }


def guess_target(table: Table) -> str | None:
    """Return the likely target: a column with a usual name, else the last with few classes."""
    able = [name for name, column in table.items() if not _no_target(column)]
    named = [name for usual in TARGETS for name in able if name.lower() == usual]
    few = [name for name in able if len(table[name].categories) <= MANY_CLASSES]
    return next(iter([*named, *reversed(few), *reversed(able)]), None)


def _no_target(column: Column) -> str:
    """Return why the column cannot be predicted, or nothing."""
    missing, distinct = column.missing, len(column.categories)
    if missing:
        return plural(missing, "missing cell")
    if distinct < 2:
        return "one value only"
    if distinct > max(MANY_CLASSES, len(column) / 2):
        return "too many values"
    if column.decided_kind == ColumnKind.NUMBER and not all(
        float(text).is_integer() for text in column.categories
    ):
        return "not whole numbers"
    return ""


def _questions(column: Column) -> tuple[list[Atom], str]:
    """Return the atoms of the column, or why there are none."""
    try:
        atoms = make_atoms(count_values(column.decide()), make_settings("auto", columns=1))
    except GnriError as error:
        return [], str(error)
    return atoms, "" if atoms else "one value only"


def read_upload(data: bytes, source: str, limits: Limits) -> Table:
    """Return the table in a text, with columns of no kind yet; raise if it is too large."""
    for start, what in FOREIGN.items():
        if data.startswith(start):
            raise GnriError(f"{source} is {what}, not text; save the table as CSV and try again")
    if b"\0" in data:
        raise GnriError(
            f"{source} has zero bytes, so it is not text; save the table as CSV in UTF-8"
        )
    check_size(_count_rows(data, limits.rows), count_columns(data), source, limits)
    table = read_delimited(data, source)
    check_size(table.rows, len(table), source, limits)
    return table


def _count_rows(data: bytes, most: int) -> int:
    """Return the number of rows; 0 if it is at most `most`, or if cells may have several lines."""
    if b'"' in data or data.count(b"\n") <= most:
        return 0
    return sum(1 for _ in _LINE.finditer(data)) - 1


def check_size(rows: int, columns: int, source: str, limits: Limits) -> None:
    """Raise if there are too many rows or columns."""
    sizes = ("columns", columns, limits.columns), ("rows", rows, limits.rows)
    for what, number, most in sizes:
        if number > most:
            raise GnriError(
                f"at most {most:,} {what} can be read here, {source} has {number:,}; send fewer, "
                "or use the command line"
            )
