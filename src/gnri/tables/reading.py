"""A table out of a file, or out of standard input."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from functools import partial
from io import BufferedReader, BytesIO
from pathlib import Path

from gnri.errors import GnriError
from gnri.tables.delimited import read_delimited
from gnri.tables.parquet import MAGIC, read_parquet
from gnri.tables.table import Table

_GZIP = b"\x1f\x8b"


def read_table(path: Path | str, *, may_be_empty: bool = False) -> Table:
    """The table at `path`, or on standard input if it is `-`; it need have no rows if so allowed.

    Parquet is known by its first bytes or by its name; anything else is text with a separator:
    a tab if the name ends in `.tsv`, else a comma, or what stands in the header where no comma
    does, a tab, a semicolon or a bar. Either may be compressed with gzip.
    """
    name = "standard input" if str(path) == "-" else str(path)
    data = (
        unpack(sys.stdin.buffer.read(), name) if str(path) == "-" else b"".join(read_blocks(name))
    )
    if is_parquet(name, data):
        return read_parquet(data, name, may_be_empty=may_be_empty)
    return read_delimited(data, name, separator_in(name), may_be_empty=may_be_empty)


def is_parquet(name: str, start: bytes) -> bool:
    """Whether a file of this name that begins with these bytes, unpacked, is Parquet."""
    return start.startswith(MAGIC) or name.removesuffix(".gz").endswith((".parquet", ".pq"))


def separator_in(name: str) -> str | None:
    """The separator that the name of a file says, if any."""
    return "\t" if name.removesuffix(".gz").endswith(".tsv") else None


def read_blocks(path: str, size: int = -1) -> Iterator[bytes]:
    """The bytes of a file in blocks of this size or all at once, unpacked if they are gzip."""
    try:
        with Path(path).open("rb") as file:
            yield from unpack_blocks(file, path, size)
    except OSError as error:
        raise GnriError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack_blocks(file: BufferedReader, name: str, size: int = -1) -> Iterator[bytes]:
    """The same of what is left of an open file."""
    packed = gzip.GzipFile(fileobj=file) if is_packed(file) else None
    try:
        yield from iter(partial((packed or file).read, size), b"")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise GnriError(f"{name} is not a whole gzip file: {error}") from None


def is_packed(file: BufferedReader) -> bool:
    """Whether gzip comes next."""
    return file.peek(len(_GZIP)).startswith(_GZIP)


def unpack(data: bytes, name: str) -> bytes:
    """The data, unpacked if they are gzip."""
    if not data.startswith(_GZIP):
        return data
    return b"".join(unpack_blocks(BufferedReader(BytesIO(data)), name))
