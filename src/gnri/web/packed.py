"""A table in little memory: each column as its distinct cells and a number for each row."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.tables.cells import MISSING, Kind, kind_of, parsed
from gnri.tables.delimited import read_delimited, width_of
from gnri.tables.frame import Frame
from gnri.tables.table import Table
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


@dataclass(frozen=True, eq=False)
class PackedColumn:
    """The distinct cells in the order they first come, and the place of each row's cell."""

    distinct: tuple[str, ...]
    places: NDArray[np.int32]

    @property
    def cells(self) -> list[str]:
        return [self.distinct[place] for place in self.places.tolist()]

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where the cell is missing."""
        absent = np.array([cell in MISSING for cell in self.distinct], np.bool_)
        return np.asarray(absent[self.places])

    @cached_property
    def kind(self) -> Kind:
        return kind_of(self.distinct)

    def read_as(self, kind: Kind, name: str) -> NDArray[np.generic]:
        """The cells as numbers, Booleans or text."""
        return np.asarray(parsed(list(self.distinct), kind, name)[self.places])


@dataclass(frozen=True, eq=False)
class PackedTable:
    """Columns by name, and what the table is called."""

    source: str
    rows: int
    columns: dict[str, PackedColumn]

    def frame(self, kinds: Mapping[str, Kind]) -> Frame:
        """The named columns, read as these kinds."""
        return Frame({name: self.columns[name].read_as(kind, name) for name, kind in kinds.items()})

    def row(self, place: int) -> dict[str, str]:
        """The cells of one row as they stand in the file."""
        return {
            name: column.distinct[int(column.places[place])]
            for name, column in self.columns.items()
        }


def pack(data: bytes, source: str, limits: Limits) -> PackedTable:
    """The table in the text `data`.

    >>> table = pack(b"odor,class\\nfoul,bad\\nnone,good\\nfoul,bad\\n", "small.csv", Limits())
    >>> table.columns["odor"].distinct, table.columns["odor"].places.tolist()
    (('foul', 'none'), [0, 1, 0])
    """
    table = read_within(data, source, limits)
    columns = {name: _packed(list(cells)) for name, cells in table.columns.items()}
    return PackedTable(source, table.rows, columns)


def read_within(data: bytes, source: str, limits: Limits) -> Table:
    """The table in the text `data`, if it is no larger than may be; of most that are, no cell is
    read.
    """
    _check_text(data, source)
    _check_columns(width_of(data), source, limits)
    check_rows(_plain_rows(data, limits.rows), source, limits)
    table = read_delimited(data, source)
    _check_columns(len(table.columns), source, limits)
    check_rows(table.rows, source, limits)
    return table


def _plain_rows(data: bytes, most: int) -> int:
    """The rows, where there may be more than `most`; 0 where quotes might hold ends of lines."""
    if b'"' in data or data.count(b"\n") <= most:
        return 0
    return sum(1 for _ in _LINE.finditer(data)) - 1


def _packed(cells: list[str]) -> PackedColumn:
    place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    places = np.fromiter((place[cell] for cell in cells), np.int32, len(cells))
    return PackedColumn(tuple(place), places)


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
