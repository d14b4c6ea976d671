"""The lines of text with a separator: check that they are a table, block by block.

The bytes are matched with patterns that take what the csv module takes when it is strict: a cell is
quoted, or begins with no quote; a carriage return, a newline or both end a line. No cell becomes a
Python string before its block is known to be good.

The first fault is reported, in the order of the rows and then of their cells, so that the message
is the same for blocks of any size.
"""

import codecs
import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NoReturn

from gnri.data.table import check_names
from gnri.errors import GnriError

SEPARATORS = (",", "\t", ";", "|")

LONGEST = 1 << 26
"""Bytes that a line may have, as it is held as a whole."""

_ENDS = rb"(?:\r\n?+|\n)"
_EMPTY_LINES = re.compile(_ENDS + rb"*+")
_END_BEFORE_MORE = re.compile(_ENDS + rb"(?=.)", re.DOTALL)
_FIRST_LINE = re.compile(rb"[^\r\n]*+")
_START = re.compile(rb'(?:\xef\xbb\xbf)?(?:"?sep=([^\w"\r\n])"?(?=\r?\n))?', re.ASCII)
_START_BYTES = 1 << 12  # of which the first line shows another encoding
_WORKBOOKS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}


@dataclass(frozen=True)
class TextFormat:
    """How the text of files is written: the decimal mark of numbers, and the encoding.

    `na_values` are texts that mean missing, besides those of `kinds.MISSING`.
    """

    decimal: str = "."
    encoding: str = "utf-8"
    na_values: Collection[Any] = ()

    def __post_init__(self) -> None:
        given = self.na_values
        several = [given] if isinstance(given, str | int | float) else given
        if not isinstance(several, Collection) or isinstance(several, Mapping):
            raise GnriError(f"na_values must be a list of texts, such as ['k.A.'], got {given!r}")
        object.__setattr__(self, "na_values", tuple(str(one).strip() for one in several))
        if self.decimal not in (".", ","):
            raise GnriError(f"decimal must be a point or a comma, got {self.decimal!r}")
        try:
            "a".encode(self.encoding)
            codecs.getincrementaldecoder(self.encoding)
        except (LookupError, ValueError):
            raise GnriError(
                f"encoding must be the name of an encoding, such as utf-8 or latin-1, got "
                f"{self.encoding!r}"
            ) from None

    def structure(self, blocks: Iterator[bytes], name: str) -> "Structure":
        """Return the lines of a text in this format."""
        separator = "\t" if name.removesuffix(".gz").endswith(".tsv") else None
        return Structure(_recode(blocks, self.encoding, name), name, separator, self.decimal)


PLAIN = TextFormat()


class Structure:
    r"""The lines of a table of text: its header, and then its rows in blocks, as they come.

    A first line such as `sep=;` says the separator; else it is the one given, or looked for.
    `decimal` is the mark in the numbers of its cells.

    >>> found = Structure([b"a, b\n1, x\n2", b", y\n"], "small.csv")
    >>> found.header, list(found.rows())
    (['a', 'b'], [b'1, x\n', b'2, y\n'])
    """

    def __init__(
        self,
        blocks: Iterable[bytes],
        source: str,
        separator: str | None = None,
        decimal: str = ".",
    ) -> None:
        blocks = iter(blocks)
        first = next(blocks, b"")
        for magic, what in _WORKBOOKS.items():
            if first.startswith(magic):
                raise GnriError(f"{source} is {what}, not text; save the sheet as CSV")
        self.decimal = decimal
        self.origin, self._window = source, _Window(chain([first], blocks), source)
        self._window.read_first_line()
        line = _first_line(self._window.data[:_START_BYTES])
        if 4 * line.count(0) > len(line):
            raise GnriError(
                f"{source} must be UTF-8, but {line.count(0)} of its first {len(line)} bytes are "
                "0, as in UTF-16 or a file that was not written; save it as UTF-8"
            )
        start = _START.match(self._window.data)
        assert start is not None, "it may be empty"
        self._window.drop(start.end())
        self._window.drop_ends()
        self._window.read_first_line()
        said = start[1].decode("latin-1") if start[1] else separator
        line = _first_line(self._window.data)
        self.separator = said or next((one for one in SEPARATORS if one.encode() in line), ",")
        mark = self._mark = re.escape(self.separator.encode())
        plain, text = rb'(?!")[^%b\r\n]*+' % mark, rb'[^"]*+(?:""[^"]*+)*+'
        row = self._row_pattern(rb'(?:%b|"%b")' % (plain, text), b"*+")
        self._row = re.compile(rb"(%b)(?:%b++|\Z)" % (row, _ENDS))
        # In an open row, the quotes of the last cell may not be closed.
        self._cell = re.compile(rb'(?:\A|%b)(?:(%b)|"(%b)"?+)' % (mark, plain, text))
        # Cells whose bytes are no more than a cell may have characters need no closer look.
        most = min(csv.field_size_limit(), LONGEST)
        short = rb'(?!")[^%b\r\n]{0,%d}+|"[^"]{0,%d}+"(?!")' % (mark, most, most)
        self._short_cell = rb'(?:%b|"(?:[^"]|""){0,%d}+")' % (short, most)
        self._short_row = re.compile(self._row_pattern(self._short_cell, b"*+"))

    def _row_pattern(self, cell: bytes, times: bytes) -> bytes:
        """Return the pattern of so many cells with a separator behind them, and one more."""
        return rb"(?:%b%b)%b%b" % (cell, self._mark, times, cell)

    @cached_property
    def header(self) -> list[str]:
        """Return the names of the columns; raise unless each has one of its own."""
        names = (_text(cell).strip() for cell in self._cell.finditer(self._first_row[0]))
        return check_names(names, self.origin)

    @property
    def width(self) -> int:
        """Return how many columns the header has; their names are not looked at."""
        return self._first_row[1]

    @cached_property
    def _first_row(self) -> tuple[bytes, int]:
        """Return the first row, which is then behind us, and how many cells it has."""
        self._window.drop_ends()
        if not self._window.data:
            raise GnriError(f"{self.origin} is empty; it must begin with a line of column names")
        while (found := self._row_at(0)) is None:
            self._read_row()
        width = self._check_row(0, found.end(1))
        self._window.drop(found.end())
        return found[1], width

    def rows(self, may_be_empty: bool = False) -> Iterator[bytes]:
        """Yield the rows below the header, all as wide as it, in blocks of whole rows."""
        width, window = len(self.header), self._window
        if not window.data and not may_be_empty:
            raise GnriError(f"{self.origin} has a header and no rows; add rows below it")
        row = self._row_pattern(self._short_cell, b"{%d}+" % (width - 1))
        short_rows = re.compile(rb"(?:%b%b++)*+" % (row, _ENDS))
        while window.data:
            place = self._pass(short_rows, 0)
            while (found := self._row_at(place)) is not None:
                count = self._check_row(place, found.end(1))
                if count != width:
                    raise GnriError(
                        f"every line of {self.origin} must have {width} cells as its header has, "
                        f"got {count} in line {window.line(found.end(1))}; quote cells that hold "
                        "the separator"
                    )
                place = self._pass(short_rows, found.end())
            if place:
                yield window.data[:place]
                window.drop(place)
            else:
                self._read_row()
            window.drop_ends()

    def _pass(self, rows: re.Pattern[bytes], place: int) -> int:
        """Return where the good rows from `place` on end."""
        data = self._window.data
        found = rows.match(data, place) if len(data) <= LONGEST else None
        return found.end() if found else place

    def _row_at(self, place: int) -> re.Match[bytes] | None:
        """Return the row that begins here, if it has ended."""
        data, last = self._window.data, self._window.last
        found = self._row.match(data, place) if place < len(data) else None
        return None if found is None or (found.end() == len(data) and not last) else found

    def _read_row(self) -> None:
        """Read more of a row that has not ended; raise if it is too long, or there is no more."""
        window = self._window
        if window.ended or len(window.data) > LONGEST:
            self._check_row(0, len(window.data))
            if window.last:
                self._fail(len(window.data), "unexpected end of data")
        window.read()

    def _check_row(self, start: int, end: int) -> int:
        """Return how many cells a row has; raise if it, or a cell, is too long or badly quoted."""
        row = self._window.data[start : min(end, start + LONGEST + 1)]
        if b'"' not in row and len(row) <= LONGEST and self._short_row.fullmatch(row):
            return row.count(self.separator.encode()) + 1
        longest, count, place = csv.field_size_limit(), 0, 0
        for cell in self._cell.finditer(row):
            if cell.start() > place:
                break
            count, place = count + 1, cell.end()
            if place - cell.start() > longest and len(_text(cell)) > longest:
                first = cell.start() + (count > 1) * len(self.separator.encode())
                self._fail(start + first + 1, f"field larger than field limit ({longest})")
        if row[place : place + 1] not in (b"", b"\r", b"\n"):
            self._fail(start + place + 1, f"'{self.separator}' expected after '\"'")
        if len(row) > LONGEST:
            raise GnriError(
                f"line {self._window.line(start + 1)} of {self.origin} has more than {LONGEST} "
                "bytes; check that its lines end, and its quotes"
            )
        return count

    def _fail(self, end: int, reason: str) -> NoReturn:
        line = self._window.line(end)
        raise GnriError(f"line {line} of {self.origin} cannot be read: {reason}; check its quotes")


def _recode(blocks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """Return text as UTF-8."""
    if codecs.lookup(encoding).name == "utf-8":
        return blocks  # the structure check says where it is wrong
    decoder = codecs.getincrementaldecoder(encoding)("strict")

    def recode(block: bytes, last: bool = False) -> bytes:
        try:
            return decoder.decode(block, last).encode()
        except UnicodeError as error:
            why = getattr(error, "reason", error)
            raise GnriError(
                f"{name} is not text in {encoding}: {why}; give --encoding another name, such as "
                "latin-1"
            ) from None

    return chain(map(recode, blocks), (recode(b"", last=True) for _ in range(1)))


def _first_line(data: bytes) -> bytes:
    found = _FIRST_LINE.match(data)
    return found[0] if found else b""


def _text(cell: re.Match[bytes]) -> str:
    plain, quoted = cell.groups()
    # The last character of a row that is too long may be cut.
    return (quoted.replace(b'""', b'"') if plain is None else plain).decode(errors="ignore")


class _Window:
    """The bytes that were read and not yet dropped, and how many lines were dropped.

    The data ends before the first byte that is not UTF-8; reading on from there is an error.
    """

    def __init__(self, blocks: Iterable[bytes], source: str) -> None:
        self._blocks, self._source = iter(blocks), source
        self.data, self.last = b"", False
        self._begun = b""  # the first bytes of a character
        self._fault: int | None = None  # a byte that is not UTF-8, behind the data
        self._lines, self._carriage = 0, False  # dropped, and whether they ended so

    @property
    def ended(self) -> bool:
        """Return whether there is nothing more to read."""
        return self.last or self._fault is not None

    def read(self) -> None:
        """Read on, at least as much as is held, so that a long line is gone through few times."""
        if self._fault is not None:
            raise GnriError(
                f"{self._source} must be UTF-8, but line {self._lines + _lines(self.data) + 1} "
                f"holds the byte 0x{self._fault:02x}; save it as UTF-8, or say its "
                "encoding, such as --encoding latin-1 (in Python encoding='latin-1')"
            )
        blocks: list[bytes] = []
        while not self.last and sum(map(len, blocks)) <= len(self.data):
            block = next(self._blocks, None)
            self.last = block is None
            blocks.append(block or b"")
        new = b"".join([self._begun, *blocks])
        try:
            good = codecs.utf_8_decode(new, "strict", self.last)[1]
        except UnicodeDecodeError as error:
            good = error.start
            self.last, self._fault = False, new[good]
        self.data, self._begun = self.data + new[:good], new[good:]

    def read_first_line(self) -> None:
        """Read till a line has ended and more has come, or it is too long."""
        while not (self.last or len(self.data) > LONGEST or _END_BEFORE_MORE.search(self.data)):
            self.read()

    def drop(self, place: int) -> None:
        """Forget what is before `place`, but for how many lines it is."""
        if not place:
            return
        joined = self._carriage and self.data.startswith(b"\n")
        self._lines += _lines(self.data, place) - joined
        self._carriage = self.data[place - 1 : place] == b"\r"
        self.data = self.data[place:]

    def drop_ends(self) -> None:
        """Drop empty lines, and read on until there is other data or the end."""
        while True:
            found = _EMPTY_LINES.match(self.data)
            self.drop(found.end() if found else 0)
            if self.data or self.last:
                return
            self.read()

    def line(self, end: int) -> int:
        """Return the line of the last byte before `end`, from 1."""
        return self._lines + 1 + sum(1 for _ in _END_BEFORE_MORE.finditer(self.data, 0, end))


def _lines(data: bytes, end: int | None = None) -> int:
    """Return how many lines end in the data."""
    newlines, returns, both = (data.count(mark, 0, end) for mark in (b"\n", b"\r", b"\r\n"))
    return newlines + returns - both
