"""Tables of text with a separator, by the standard library alone."""

import csv
import io
from collections.abc import Iterator

from gnri.errors import GnriError
from gnri.tables.table import Table, check_names


def read_delimited(data: bytes, source: str, separator: str | None = None) -> Table:
    """The table in `data`: a header of distinct names, then rows of as many cells.

    Spaces around a cell are dropped, and so are empty lines.

    >>> read_delimited(b"a, b\\n1, x\\n", "small.csv").columns
    {'a': ['1'], 'b': ['x']}
    """
    text = _text(data, source)
    first = text.partition("\n")[0]
    rows = _rows(text, source, separator or _separator(first))
    header = next(rows, None)
    if header is None:
        raise GnriError(f"{source} is empty; it must begin with a line of column names")
    check_names(header, source)
    body = list(rows)
    if not body:
        raise GnriError(f"{source} has a header and no rows; add rows below it")
    return Table(source, dict(zip(header, map(list, zip(*body, strict=True)), strict=True)))


def _rows(text: str, source: str, separator: str) -> Iterator[list[str]]:
    """The header, then each row, checked to be as wide."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    width = None
    try:
        for cells in reader:
            if not cells:
                continue
            if width not in (None, len(cells)):
                raise GnriError(
                    f"every line of {source} must have {width} cells as its header has, got "
                    f"{len(cells)} in line {reader.line_num}; quote cells that hold the separator"
                )
            width = len(cells)
            yield [cell.strip() for cell in cells]
    except csv.Error as error:
        raise GnriError(
            f"line {reader.line_num} of {source} cannot be read: {error}; check its quotes"
        ) from None


def _text(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GnriError(
            f"{source} must be UTF-8, but line {line} holds the byte 0x{data[error.start]:02x}; "
            "save it as UTF-8"
        ) from None


def _separator(header: str) -> str:
    return next((mark for mark in ",\t;" if mark in header), ",")
