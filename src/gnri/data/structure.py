"""What stands between the cells of a table of text.

Whether text with a separator is a table, found block by block, without keeping any of it.

The bytes are gone through with patterns that take what the csv module takes when it is strict: a
cell is quoted, or begins with no quote; a carriage return, a newline or both end a line. A cell of
two bytes is sixty as a string in a list, so none is made before all of them are known to be good.

The first fault counts, in the order of the rows and then of their cells, so that the answer is the
same for blocks of any size. A row is judged when it has ended, or when nothing could mend it.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn

from gnri.data.table import check_names
from gnri.data.text_window import END, ENDS, Window
from gnri.errors import GnriError

SEPARATORS = (b",", b"\t", b";", b"|")

_SAID = re.compile(rb'(?:\xef\xbb\xbf)?"?sep=([^\w"\r\n])"?(?=\r?\n)', re.ASCII)
_END = re.compile(rb"[\r\n]")


def split_off_separator(data: bytes) -> tuple[bytes, str | None]:
    """The table without a first line that says its separator, as Excel writes it, and that.

    The end of that line stays, so that lines are counted as they are in the file.

    >>> split_off_separator(b"sep=;\\na;b\\n"), split_off_separator(b"a;b\\n")
    ((b'\\na;b\\n', ';'), (b'a;b\\n', None))
    """
    said = _SAID.match(data)
    return (data, None) if said is None else (data[said.end() :], said[1].decode("latin-1"))


def separator_of(data: bytes) -> str:
    """The first of comma, tab, semicolon and bar that stands in the first line.

    >>> separator_of(b"age;height, in cm\\n51;1,70\\n"), separator_of(b"age|height")
    (',', '|')
    """
    ended = _END.search(data)
    end = len(data) if ended is None else ended.start()
    found = (mark for mark in SEPARATORS if data.find(mark, 0, end) >= 0)
    return next(found, SEPARATORS[0]).decode()


LONGEST = 1 << 26
"""Bytes that a line may have, as it is held as a whole."""

_QUOTED = re.compile(rb'"[^"]*+(?:""[^"]*+)*+"')
_MARK = b"\xef\xbb\xbf"
_BLOCK = 1 << 14
_CONTINUED = bytes(range(0x80, 0xC0))
_WORKBOOKS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}


class Structure:
    """The lines of a table of text: its header, and then its rows in blocks, as they come.

    A first line such as `sep=;` says the separator; else it is the one given, or looked for.

    >>> found = Structure([b"a, b\\n1, x\\n2", b", y\\n"], "small.csv")
    >>> list(found.header()), list(found.rows())
    (['a', 'b'], [b'1, x\\n', b'2, y\\n'])
    >>> list(Structure([b"a, b\\n1, x\\n2\\n"], "small.csv").rows())
    Traceback (most recent call last):
    gnri.errors.GnriError: every line of small.csv must have 2 cells as its header has, got 1 in \
line 3; quote cells that hold the separator
    """

    def __init__(self, blocks: Iterable[bytes], source: str, separator: str | None = None) -> None:
        blocks = iter(blocks)
        first = next(blocks, b"")
        for start, what in _WORKBOOKS.items():
            if first.startswith(start):
                raise GnriError(f"{source} is {what}, not text; save the sheet as CSV")
        self.origin, self._window = source, Window(chain([first], blocks), source)
        self._window.read_first_line(LONGEST)
        rest, said = split_off_separator(self._window.data)
        self._window.drop(len(self._window.data) - len(rest.removeprefix(_MARK)))
        self._window.drop_ends()
        self._window.read_first_line(LONGEST)
        self.separator = said or separator or separator_of(self._window.data)
        mark = self._mark = re.escape(self.separator.encode())
        cell = rb'(?:%b|[^"%b\r\n][^%b\r\n]*+)?+' % (_QUOTED.pattern, mark, mark)
        self._cell, self._then = re.compile(cell), rb"(?:%b%b)" % (cell, mark)
        self._one = re.compile(rb"(?:\A|%b)(%b)" % (mark, cell))
        self._cells = re.compile(self._then + rb"*+")
        self._any_row = re.compile(rb"(%b)(?:%b++|\Z)" % (self._row(b"*+"), END))
        self._names: Names | None = None

    def header(self) -> "Names":
        """The names of the columns, if each has one and none that of another."""
        names = self.first_line()
        check_names(names, self.origin)
        return names

    def first_line(self) -> "Names":
        """The names of the columns as they are."""
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
        """The rows below the header, if all are as wide as it, in blocks of whole rows.

        With `may_be_empty`, none need be there.
        """
        width, window = len(self.header()), self._window
        if not window.data and not may_be_empty:
            raise GnriError(f"{self.origin} has a header and no rows; add rows below it")
        several = re.compile(rb"(?:%b%b++)*+" % (self._row(b"{%d}+" % (width - 1)), END))
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
        """Where the good rows from here end, as far as none can hold a cell that is too long."""
        data, longest = self._window.data, csv.field_size_limit()
        while (found := several.match(data, place, place + longest)) and found.end() > place:
            # The cut may lie between the two bytes that end a line, or before an empty line.
            ends = ENDS.match(data, found.end())
            place = ends.end() if ends else found.end()
        return place

    def _row_at(self, place: int) -> re.Match[bytes] | None:
        """The row that begins here, if it has ended; its cells are good."""
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
        """Raise if a cell of a row is too long or goes on after its quote, or if the row is.

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
        """Raise if a cell has more characters than the csv module takes."""
        longest = csv.field_size_limit()
        if end - start > longest and self._characters(start, end) > longest:
            self._fail(start + 1, f"field larger than field limit ({longest})")

    def _characters(self, start: int, end: int) -> int:
        """How many characters the text of a cell has, which is not made for it."""
        data = self._window.data
        blocks = (data[i : min(i + _BLOCK, end)] for i in range(start, end, _BLOCK))
        found = sum(len(block.translate(None, _CONTINUED)) for block in blocks)
        if data[start] == ord('"'):  # at either end, and twice for each in the text
            found -= 1 + data.count(b'"', start, end) // 2
        return found

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
        """So many cells with a separator behind them, and one more."""
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
