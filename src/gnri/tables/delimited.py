"""Tables of text with a separator, by the standard library alone.

A table is gone through twice: first to find what is wrong with it, keeping nothing, then to keep
its cells. So one that is refused takes hardly any memory, however large it is.
"""

import codecs
import csv
import io
from itertools import islice

from gnri.data.column import text_column
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.tables.separators import separator_of, split_off_separator
from gnri.tables.structure import Structure

_BLOCK = 1 << 14
_ROWS = 256
_WORKBOOKS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}


def read_delimited(
    data: bytes, source: str, separator: str | None = None, *, may_be_empty: bool = False
) -> Table:
    """The table in `data`: a header of distinct names, then rows of as many cells.

    Spaces around a cell are dropped, and so are empty lines. A first line such as `sep=;`, as
    Excel writes it, says the separator. With `may_be_empty` there need be no rows.

    >>> table = read_delimited(b"a, b\\n1, x\\n", "small.csv")
    >>> {name: column.texts() for name, column in table.items()}
    {'a': ['1'], 'b': ['x']}
    """
    check_no_workbook(data, source)
    _check_text(data, source)
    data, said = split_off_separator(data)
    separator = said or separator or separator_of(data)
    Structure(data, source, separator).check(may_be_empty)
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    rows = filter(None, csv.reader(text, delimiter=separator, strict=True))
    header = next(rows)
    columns: list[list[str]] = [[] for _ in header]
    while some := list(islice(rows, _ROWS)):
        for column, cells in zip(columns, zip(*some, strict=True), strict=True):
            column.extend(map(str.strip, cells))
    names = list(map(str.strip, header))
    found = {name: text_column(name, cells) for name, cells in zip(names, columns, strict=True)}
    return Table(found, source)


def width_of(data: bytes) -> int:
    """How many columns the header of a table of text has; 0 if it has none that can be read."""
    data, said = split_off_separator(data)
    return Structure(data, "", said or separator_of(data)).width


def check_no_workbook(data: bytes, source: str) -> None:
    """Raise if these bytes begin a spreadsheet, which many programs call a table too."""
    for start, what in _WORKBOOKS.items():
        if data.startswith(start):
            raise GnriError(f"{source} is {what}, not text; save the sheet as CSV")


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
