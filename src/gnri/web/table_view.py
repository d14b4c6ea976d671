"""Read an uploaded table, check its size, and describe its columns for the page."""

import re
from typing import Any

from gnri.data.arrow import count_columns, read_delimited
from gnri.data.discretize import make_atoms, make_settings, why_unusable
from gnri.data.kinds import ColumnKind, missing_texts
from gnri.data.samples import read_sample
from gnri.data.schema import Above, Atom, atom_name
from gnri.data.table import Column, Table
from gnri.data.target import MANY_CLASSES
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.web import Report
from gnri.web.security import Limits

TARGETS = ("class", "target", "label", "outcome", "diagnosis", "y", "result", "survived")
"""Usual names of a target column, the most likely first."""

SHOWN = 6  # atoms of a column that the page lists; it calls them questions

FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"%PDF": "a PDF",
}
"""First bytes of common binary files, and what an error message calls such a file."""

_LINE = re.compile(rb"[^\r\n]++")


def describe_upload(
    data: bytes | None, name: str, limits: Limits, report: Report
) -> tuple[Table, dict[str, Any]]:
    """Return the uploaded table and its description; without `data`, the bundled table `name`."""
    table = read_upload(read_sample(name) if data is None else data, name, limits)
    report(0.5, "describing the columns")
    return table, {
        "name": table.origin,
        "rows": table.rows,
        "target": guess_target(table),
        "columns": [describe_column(name, column) for name, column in table.items()],
    }


def describe_column(name: str, column: Column) -> dict[str, Any]:
    """Describe a column: its kind, share of missing cells, atoms, and if it can be the target.

    The note says why it is left out, or which text makes a category of a column of numbers.
    """
    odd = column.near_number_note()
    (atoms, note), kind, reason = _try_atoms(column), column.decided_kind, _why_no_target(column)
    return {
        "name": name,
        "kind": "leave out" if note else str(kind),
        "reads_as": list(dict.fromkeys([str(kind), str(ColumnKind.CATEGORY)])),
        "missing": column.missing / len(column),
        "classes": not reason,
        "no_target": reason,
        "thresholds": [atom.cut for atom in atoms if isinstance(atom, Above)],
        "questions": len(atoms),
        "shown": [atom_name(atom) for atom in atoms[:SHOWN]],
        "note": f"it {odd}" if odd else note,
    }


def guess_target(table: Table) -> str | None:
    """Return the column to offer as the target, of those that can be one; None if none can.

    A column with a usual name comes first, then the last column with few classes, then the last.
    """
    candidates = [name for name, column in table.items() if not _why_no_target(column)]
    named = [name for usual in TARGETS for name in candidates if name.lower() == usual]
    few = [name for name in candidates if len(table[name].categories) <= MANY_CLASSES]
    return next(iter([*named, *reversed(few), *reversed(candidates)]), None)


def _why_no_target(column: Column) -> str:
    """Return why the column cannot be the target; an empty text if it can."""
    kind = column.decided_kind
    labels = {one: n for one, n in column.counts().items() if one not in missing_texts(kind)}
    if not column.name:
        return "it has no name"
    if len(labels) < 2:
        return "one value only"
    if len(labels) > max(MANY_CLASSES, sum(labels.values()) / 2):
        return "too many values"
    if kind == ColumnKind.NUMBER and not all(float(text).is_integer() for text in labels):
        return "not whole numbers"
    return ""


def _try_atoms(column: Column) -> tuple[list[Atom], str]:
    """Return the atoms of the column, and why it should be left out; an empty text if not."""
    settings = make_settings("auto", columns=1)
    try:
        counts = count_values(column.decide())
        why = why_unusable(counts, settings)
        atoms = make_atoms(counts, settings)
    except GnriError as error:
        return [], str(error)
    return atoms, f"it {why.said}" if why else "" if atoms else "one value only"


def read_upload(data: bytes, source: str, limits: Limits) -> Table:
    """Parse an upload; raise if it is not text or too large. Column kinds are not decided yet."""
    for start, what in FOREIGN.items():
        if data.startswith(start):
            raise GnriError(f"{source} is {what}, not text; save the table as CSV and try again")
    if b"\0" in data:
        raise GnriError(
            f"{source} has zero bytes, as UTF-16 and binary files have; save it as CSV in UTF-8"
        )
    check_size(_count_rows(data, limits.rows), count_columns(data), source, limits)
    table = read_delimited(data, source)
    check_size(table.rows, len(table), source, limits)
    return table


def _count_rows(data: bytes, most: int) -> int:
    """Count the rows without parsing, to refuse a file that is too large early.

    Return 0 if there are at most `most` line feeds, or if quoted cells may contain line breaks: the
    rows are then counted after parsing.
    """
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
