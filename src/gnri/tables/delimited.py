"""Tables of text with a separator, by the standard library alone.

A table is gone through twice: first to find what is wrong with it, keeping nothing, then to keep
its cells. So one that is refused takes hardly any memory, however large it is.
"""

import codecs
import csv
import io
from itertools import islice

from gnri.errors import GnriError
from gnri.tables.structure import Structure
from gnri.tables.table import Table

_BLOCK = 1 << 14
_ROWS = 256


def read_delimited(data: bytes, source: str, separator: str | None = None) -> Table:
    """The table in `data`: a header of distinct names, then rows of as many cells.

    Spaces around a cell are dropped, and so are empty lines.

    >>> read_delimited(b"a, b\\n1, x\\n", "small.csv").columns
    {'a': ['1'], 'b': ['x']}
    """
    _check_text(data, source)
    separator = separator or _separator(data)
    Structure(data, source, separator).check()
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    rows = filter(None, csv.reader(text, delimiter=separator, strict=True))
    header = next(rows)
    columns: list[list[str]] = [[] for _ in header]
    while some := list(islice(rows, _ROWS)):
        for column, cells in zip(columns, zip(*some, strict=True), strict=True):
            column.extend(map(str.strip, cells))
    return Table(source, dict(zip(map(str.strip, header), columns, strict=True)))


def width_of(data: bytes) -> int:
    """How many columns the header of a table of text has; 0 if it has none that can be read."""
    return Structure(data, "", _separator(data)).width


def _check_text(data: bytes, source: str) -> None:
    """Raise unless all bytes are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _BLOCK):
        last = start + _BLOCK >= len(data)
        try:
            decoder.decode(data[start : start + _BLOCK], last)
        except UnicodeDecodeError as error:
            # It counts from a character that began in the block before, which is no newline.
            block, place = error.object, error.start
            line = data.count(b"\n", 0, start) + block.count(b"\n", 0, place) + 1
            raise GnriError(
                f"{source} must be UTF-8, but line {line} holds the byte 0x{block[place]:02x}; "
                "save it as UTF-8"
            ) from None


def _separator(data: bytes) -> str:
    """The first of comma, tab and semicolon that stands in the header."""
    end = data.find(b"\n") % (len(data) + 1)  # -1, where there is no newline, is the end
    return next((mark for mark in ",\t;" if data.find(mark.encode(), 0, end) >= 0), ",")
