"""Whether text with a separator is a table, found without keeping any of it.

The bytes are gone through with patterns that take what the csv module takes when it is strict: a
cell is quoted, or begins with no quote; a carriage return, a newline or both end a line. A cell of
two bytes is sixty as a string in a list, so none is made before all of them are known to be good.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from gnri.data.table import check_names
from gnri.errors import GnriError

_END = rb"(?:\r\n?+|\n)"
_QUOTED = rb'"[^"]*+(?:""[^"]*+)*+"'
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?+" + _END + rb"*+")
_BLOCK = 1 << 14
_CONTINUED = bytes(range(0x80, 0xC0))
_END_BEFORE_MORE = re.compile(_END + rb"(?=.)", re.DOTALL)


class Structure:
    """The lines of a table of text.

    >>> Structure(b"a, b\\n1, x\\n", "small.csv", ",").check()
    >>> Structure(b"a, b\\n1, x\\n2\\n", "small.csv", ",").check()
    Traceback (most recent call last):
    gnri.errors.GnriError: every line of small.csv must have 2 cells as its header has, got 1 in \
line 3; quote cells that hold the separator
    """

    def __init__(self, data: bytes, source: str, separator: str) -> None:
        self._data, self._source, self._separator = data, source, separator
        mark = self._mark = re.escape(separator.encode())
        self._cell = rb'(?:%b|[^"%b\r\n][^%b\r\n]*+)?+' % (_QUOTED, mark, mark)
        self._then = rb"(?:%b%b)" % (self._cell, mark)
        self._one = re.compile(rb"(?:\A|%b)(%b)" % (mark, self._cell))
        self._any_row = self._row(b"*+")

    @property
    def width(self) -> int:
        """How many cells the header has; 0 if there is none that can be read."""
        header = self._any_row.match(self._data, self._start())
        return 0 if header is None else self._count(header)

    def check(self, may_be_empty: bool = False) -> None:
        """Raise unless there is a header of good names and rows below it, all as wide.

        With `may_be_empty`, none need be there.
        """
        start = self._start()
        if start == len(self._data):
            raise GnriError(f"{self._source} is empty; it must begin with a line of column names")
        header = self._any_row.match(self._data, start) or self._fail_in_quotes(start)
        self._check_lengths(header)
        check_names(self._names(header), self._source)
        if header.end() == len(self._data) and not may_be_empty:
            raise GnriError(f"{self._source} has a header and no rows; add rows below it")
        self._check_rows(header.end(), self._count(header))

    def _check_rows(self, place: int, width: int) -> None:
        row = self._row(b"{%d}+" % (width - 1))
        while place < len(self._data):
            found = row.match(self._data, place) or self._fail_in_row(place, width)
            self._check_lengths(found)
            place = found.end()

    def _check_lengths(self, row: re.Match[bytes]) -> None:
        """Raise if a cell has more characters than the csv module takes."""
        longest, (start, end) = csv.field_size_limit(), row.span(1)
        if end - start <= longest:
            return
        short = rb'(?:"[^"]{0,%d}+"|[^"%b\r\n]{0,%d}+)' % (longest, self._mark, longest)
        all_short = re.compile(rb"(?:%b%b)*+%b" % (short, self._mark, short))
        if all_short.fullmatch(self._data, start, end):
            return
        for cell in self._one.finditer(memoryview(self._data)[start:end]):
            place, after = start + cell.start(1), start + cell.end(1)
            if after - place > longest and self._characters(place, after) > longest:
                self._fail(self._line(place + 1), f"field larger than field limit ({longest})")

    def _characters(self, start: int, end: int) -> int:
        """How many characters the text of a cell has, which is not made for it."""
        blocks = (self._data[i : min(i + _BLOCK, end)] for i in range(start, end, _BLOCK))
        found = sum(len(block.translate(None, _CONTINUED)) for block in blocks)
        if self._data[start] == ord('"'):  # at either end, and twice for each in the text
            found -= 1 + self._data.count(b'"', start, end) // 2
        return found

    def _fail_in_row(self, place: int, width: int) -> NoReturn:
        row = self._any_row.match(self._data, place) or self._fail_in_quotes(place)
        raise GnriError(
            f"every line of {self._source} must have {width} cells as its header has, got "
            f"{self._count(row)} in line {self._line(row.end(1))}; quote cells "
            "that hold the separator"
        )

    def _fail_in_quotes(self, place: int) -> NoReturn:
        """No row begins here, so that one of its cells goes on after its quote or never ends."""
        good = re.compile(self._then + rb"*+").match(self._data, place)
        quoted = re.compile(_QUOTED).match(self._data, good.end() if good else place)
        if quoted is None:
            self._fail(self._line(len(self._data)), "unexpected end of data")
        self._fail(self._line(quoted.end() + 1), f"'{self._separator}' expected after '\"'")

    def _fail(self, line: int, reason: str) -> NoReturn:
        raise GnriError(f"line {line} of {self._source} cannot be read: {reason}; check its quotes")

    def _row(self, times: bytes) -> re.Pattern[bytes]:
        """So many cells with a separator behind them and one more; empty lines are no rows."""
        return re.compile(rb"(%b%b%b)(?:%b++|\Z)" % (self._then, times, self._cell, _END))

    def _count(self, row: re.Match[bytes]) -> int:
        return sum(1 for _ in self._one.finditer(memoryview(self._data)[slice(*row.span(1))]))

    def _names(self, row: re.Match[bytes]) -> "_Names":
        return _Names(memoryview(self._data)[slice(*row.span(1))], self._one)

    def _start(self) -> int:
        found = _BEFORE.match(self._data)
        return found.end() if found else 0

    def _line(self, end: int) -> int:
        """The line of the last byte before `end`, from 1."""
        return 1 + sum(1 for _ in _END_BEFORE_MORE.finditer(self._data, 0, end))


@dataclass(frozen=True)
class _Names:
    """The cells of a line without the spaces around them, made anew each time."""

    line: memoryview
    one: re.Pattern[bytes]

    def __iter__(self) -> Iterator[str]:
        return (_text(found[1]).strip() for found in self.one.finditer(self.line))


def _text(cell: bytes) -> str:
    text = cell.decode()
    return text[1:-1].replace('""', '"') if text.startswith('"') else text
