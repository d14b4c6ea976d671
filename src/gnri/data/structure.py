"""Whether text with a separator is a table, found block by block, without keeping any of it.

The bytes are gone through with patterns that take what the csv module takes when it is strict: a
cell is quoted, or begins with no quote; a carriage return, a newline or both end a line. A cell of
two bytes is sixty as a string in a list, so none is made before all of them are known to be good.

The first fault counts, in the order of the rows and then of their cells, so that the answer is the
same for blocks of any size. A row is judged when it has ended, or when nothing could mend it.
"""

import codecs
import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn

from gnri.data.table import check_names
from gnri.errors import GnriError

SEPARATORS = (b",", b"\t", b";", b"|")

LONGEST = 1 << 26
"""Bytes that a line may have, as it is held as a whole."""

_ENDS = rb"(?:\r\n?+|\n)"
_EMPTY_LINES = re.compile(_ENDS + rb"*+")
_END_BEFORE_MORE = re.compile(_ENDS + rb"(?=.)", re.DOTALL)
_FIRST_LINE = re.compile(rb"[^\r\n]*+")
_START = re.compile(rb'(?:\xef\xbb\xbf)?(?:"?sep=([^\w"\r\n])"?(?=\r?\n))?', re.ASCII)
_QUOTED = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')
_BLOCK = 1 << 14
_CONTINUED = bytes(range(0x80, 0xC0))
_WORKBOOKS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}


class Structure:
    r"""The lines of a table of text: its header, and then its rows in blocks, as they come.

    A first line such as `sep=;` says the separator; else it is the one given, or looked for.

    >>> found = Structure([b"a, b\n1, x\n2", b", y\n"], "small.csv")
    >>> list(found.header()), list(found.rows())
    (['a', 'b'], [b'1, x\n', b'2, y\n'])
    """

    def __init__(self, blocks: Iterable[bytes], source: str, separator: str | None = None) -> None:
        blocks = iter(blocks)
        first = next(blocks, b"")
        for magic, what in _WORKBOOKS.items():
            if first.startswith(magic):
                raise GnriError(f"{source} is {what}, not text; save the sheet as CSV")
        self.origin, self._window = source, Window(chain([first], blocks), source)
        self._window.read_first_line(LONGEST)
        start = _START.match(self._window.data)
        assert start is not None, "it may be empty"
        self._window.drop(start.end())
        self._window.drop_ends()
        self._window.read_first_line(LONGEST)
        said = start[1].decode("latin-1") if start[1] else separator
        self.separator = said or self._find_separator()
        mark = self._mark = re.escape(self.separator.encode())
        cell = rb'(?:(?!")[^%b\r\n]*+|%b)' % (mark, _QUOTED.pattern)
        self._cell, self._then = re.compile(cell), rb"(?:%b%b)" % (cell, mark)
        self._one = re.compile(rb"(?:\A|%b)(%b)" % (mark, cell))
        self._cells = re.compile(self._then + rb"*+")
        self._any_row = re.compile(rb"(%b)(?:%b++|\Z)" % (self._row(b"*+"), _ENDS))
        self._names: Names | None = None

    def _find_separator(self) -> str:
        """Return the first of comma, tab, semicolon and bar that stands in the first line."""
        line = _FIRST_LINE.match(self._window.data)
        found = (mark for mark in SEPARATORS if line and mark in line[0])
        return next(found, SEPARATORS[0]).decode()

    def header(self) -> "Names":
        """Return the names of the columns; raise unless each has one of its own."""
        names = self.first_line()
        check_names(names, self.origin)
        return names

    def first_line(self) -> "Names":
        """Return the names of the columns as they are."""
        if self._names is None:
            self._window.drop_ends()
            if not self._window.data:
                raise GnriError(
                    f"{self.origin} is empty; it must begin with a line of column names"
                )
            while (found := self._row_at(0)) is None:
                self._read_row()
            self._names = Names(found[1], self._one)
            self._window.drop(found.end())
        return self._names

    def rows(self, may_be_empty: bool = False) -> Iterator[bytes]:
        """Yield the rows below the header, all as wide as it, in blocks of whole rows."""
        width, window = len(self.header()), self._window
        if not window.data and not may_be_empty:
            raise GnriError(f"{self.origin} has a header and no rows; add rows below it")
        several = re.compile(rb"(?:%b%b++)*+" % (self._row(b"{%d}+" % (width - 1)), _ENDS))
        while window.data:
            place = self._pass(several, 0)
            while (found := self._row_at(place)) is not None:
                self._check_width(found, width)
                place = self._pass(several, found.end())
            if place:
                yield window.data[:place]
                window.drop(place)
                window.drop_ends()
            else:
                self._read_row()

    def _pass(self, several: re.Pattern[bytes], place: int) -> int:
        """Return where the good rows end, as far as none can hold a cell that is too long."""
        data, longest = self._window.data, csv.field_size_limit()
        while (found := several.match(data, place, place + longest)) and found.end() > place:
            # The cut may lie between the two bytes that end a line, or before an empty line.
            ends = _EMPTY_LINES.match(data, found.end())
            place = ends.end() if ends else found.end()
        return place

    def _row_at(self, place: int) -> re.Match[bytes] | None:
        """Return the row that begins here, if it has ended; its cells are good."""
        data, last = self._window.data, self._window.last
        found = self._any_row.match(data, place) if place < len(data) else None
        if found is None or (found.end() == len(data) and not last):
            return None
        self._check_cells(place, found.end(1))
        return found

    def _read_row(self) -> None:
        """Read more of a row that was begun and has not ended, if it still can be a good one."""
        window = self._window
        self._check_cells(0, len(window.data))
        if window.last:
            self._fail(len(window.data), "unexpected end of data")
        window.read()

    def _check_cells(self, start: int, end: int) -> None:
        """Raise if a row, or a cell of it, is too long, or goes on after a quote.

        The last one need not have ended.
        """
        data, row, end = self._window.data, start, min(end, start + LONGEST + 1)
        good = self._cells.match(data, row, end)
        start = good.end() if good else row
        self._check_lengths(row, start)
        quoted = _QUOTED.match(data, start, end)
        plain = self._cell.match(data, start, end)
        after = end if data[start : start + 1] == b'"' or plain is None else plain.end()
        after = after if quoted is None else quoted.end()
        self._check_length(start, after)
        if quoted is not None and after < end and data[after] not in b"\r\n":
            self._fail(after + 1, f"'{self.separator}' expected after '\"'")
        if end - row > LONGEST:
            raise GnriError(
                f"line {self._window.line(row + 1)} of {self.origin} has more than {LONGEST} "
                "bytes; check that its lines end, and its quotes"
            )

    def _check_lengths(self, start: int, end: int) -> None:
        """Raise if a cell between these, where cells begin, is too long."""
        data, longest = self._window.data, csv.field_size_limit()
        if end - start <= longest:
            return
        short = rb'(?:"[^"]{0,%d}+"|[^"%b\r\n]{0,%d}+)' % (longest, self._mark, longest)
        if re.compile(rb"(?:%b%b)*+" % (short, self._mark)).fullmatch(data, start, end):
            return
        for cell in self._one.finditer(memoryview(data)[start:end]):
            self._check_length(start + cell.start(1), start + cell.end(1))

    def _check_length(self, start: int, end: int) -> None:
        """Raise if a cell has more characters than the csv module takes; no text is made for it."""
        data, longest = self._window.data, csv.field_size_limit()
        if end - start <= longest:
            return
        blocks = (data[i : min(i + _BLOCK, end)] for i in range(start, end, _BLOCK))
        size = sum(len(block.translate(None, _CONTINUED)) for block in blocks)
        if data[start] == ord('"'):  # at either end, and twice for each in the text
            size -= 1 + data.count(b'"', start, end) // 2
        if size > longest:
            self._fail(start + 1, f"field larger than field limit ({longest})")

    def _check_width(self, row: re.Match[bytes], width: int) -> None:
        found = len(Names(row[1], self._one))
        if found != width:
            raise GnriError(
                f"every line of {self.origin} must have {width} cells as its header has, got "
                f"{found} in line {self._window.line(row.end(1))}; quote cells that hold the "
                "separator"
            )

    def _fail(self, end: int, reason: str) -> NoReturn:
        line = self._window.line(end)
        raise GnriError(f"line {line} of {self.origin} cannot be read: {reason}; check its quotes")

    def _row(self, times: bytes) -> bytes:
        """Return the pattern of so many cells with a separator behind them, and one more."""
        return self._then + times + self._cell.pattern


@dataclass(frozen=True)
class Names:
    """The cells of a line without the spaces around them, made anew each time."""

    line: bytes
    one: re.Pattern[bytes]

    def __iter__(self) -> Iterator[str]:
        return (_text(found[1]).strip() for found in self.one.finditer(self.line))

    def __len__(self) -> int:
        return sum(1 for _ in self.one.finditer(self.line))


def _text(cell: bytes) -> str:
    text = cell.decode()
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


class Window:
    """What was read and not yet dropped, whether it is the last, and which line it is in.

    All of `data` is UTF-8. Bytes that are not are refused when what is before them is not enough.
    """

    def __init__(self, blocks: Iterable[bytes], source: str) -> None:
        self._blocks, self._source = iter(blocks), source
        self.data, self.last = b"", False
        self._begun = b""  # the first bytes of a character
        self._fault: int | None = None  # a byte that is not UTF-8, behind the data
        self._lines, self._carriage = 0, False  # dropped, and whether they ended so

    def read(self) -> None:
        """Read on, at least as much as is held, so that a long line is gone through few times."""
        if self._fault is not None:
            raise GnriError(
                f"{self._source} must be UTF-8, but line {self._lines + _lines(self.data) + 1} "
                f"holds the byte 0x{self._fault:02x}; save it as UTF-8"
            )
        held, size, found = len(self.data), 0, [self.data, self._begun]
        while not self.last and size <= held:
            block = next(self._blocks, None)
            self.last = block is None
            found.append(block or b"")
            size += len(found[-1])
        self.data = b"".join(found)
        good, broken = _valid(self.data, held, self.last)
        if broken:
            self.last, self._fault = False, self.data[good]
        self.data, self._begun = self.data[:good], self.data[good:]

    def read_first_line(self, longest: int) -> None:
        """Read till a line has ended and more has come, or it is longer than this."""
        while not (self.last or len(self.data) > longest or _END_BEFORE_MORE.search(self.data)):
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
        """Forget empty lines, and read on till there is something else, if there is."""
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


def _valid(data: bytes, place: int, last: bool) -> tuple[int, bool]:
    """Return where the whole characters from `place` on end, and whether the rest can be none."""
    if data.isascii():
        return len(data), False
    while place < len(data):
        some = memoryview(data)[place : place + _BLOCK]
        try:
            used = codecs.utf_8_decode(some, "strict", last and place + _BLOCK >= len(data))[1]
        except UnicodeDecodeError as error:
            return place + error.start, True
        if not used:
            break
        place += used
    return place, False
