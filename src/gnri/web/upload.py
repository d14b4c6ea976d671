"""A table that was sent, if it is no larger than may be."""

import re

from gnri.data.delimited import count_columns, read_delimited
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.web.security import Limits

FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"%PDF": "a PDF",
}
"""What files that are called .csv all the same begin with."""

_LINE = re.compile(rb"[^\r\n]++")


def read_upload(data: bytes, source: str, limits: Limits) -> Table:
    """Return the table in the text `data`, its columns undecided; of most that are too large, no
    cell is read.
    """
    _check_text(data, source)
    _check_columns(count_columns(data), source, limits)
    check_rows(_plain_rows(data, limits.rows), source, limits)
    table = read_delimited(data, source)
    _check_columns(len(table), source, limits)
    check_rows(table.rows, source, limits)
    return table


def _plain_rows(data: bytes, most: int) -> int:
    """The rows, where there may be more than `most`; 0 where quotes might hold ends of lines."""
    if b'"' in data or data.count(b"\n") <= most:
        return 0
    return sum(1 for _ in _LINE.finditer(data)) - 1


def _check_text(data: bytes, source: str) -> None:
    for start, what in FOREIGN.items():
        if data.startswith(start):
            raise GnriError(f"{source} is {what}, not text; save the table as CSV and try again")
    if b"\0" in data:
        raise GnriError(f"{source} holds bytes that no text has; save the table as CSV, in UTF-8")


def _check_columns(columns: int, source: str, limits: Limits) -> None:
    if columns > limits.columns:
        raise GnriError(
            f"at most {limits.columns:,} columns can be read here, {source} has {columns:,}; "
            "leave some out, or use the command line"
        )


def check_rows(rows: int, source: str, limits: Limits) -> None:
    """Raise if there are more rows than may be."""
    if rows > limits.rows:
        raise GnriError(
            f"at most {limits.rows:,} rows can be read here, {source} has {rows:,}; send fewer, "
            "or use the command line"
        )
