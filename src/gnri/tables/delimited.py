"""Tables of text with a separator, by the standard library alone.

A table is gone through twice: first to find what is wrong with it, keeping nothing, then to keep
its cells. So one that is refused takes hardly any memory, however large it is.
"""

import csv
import io
from collections.abc import Iterator
from itertools import islice

from gnri.data.structure import Structure, split_off_separator
from gnri.errors import GnriError
from gnri.tables.table import Table

_BLOCK = 1 << 16
_ROWS = 256


def read_delimited(
    data: bytes, source: str, separator: str | None = None, *, may_be_empty: bool = False
) -> Table:
    """The table in `data`: a header of distinct names, then rows of as many cells.

    Spaces around a cell are dropped, and so are empty lines. A first line such as `sep=;`, as
    Excel writes it, says the separator. With `may_be_empty` there need be no rows.

    >>> read_delimited(b"a, b\\n1, x\\n", "small.csv").columns
    {'a': ['1'], 'b': ['x']}
    """
    structure = Structure(_blocks(data), source, separator)
    for _ in structure.rows(may_be_empty):
        pass
    data, separator = split_off_separator(data)[0], structure.separator
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
    try:
        return len(Structure(_blocks(data), "").first_line())
    except GnriError:
        return 0


def _blocks(data: bytes) -> Iterator[bytes]:
    return (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))
