"""A table out of a file, or out of standard input."""

import gzip
import sys
import zlib
from pathlib import Path

from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.tables.delimited import read_delimited
from gnri.tables.parquet import MAGIC, read_parquet

_GZIP = b"\x1f\x8b"


def read_table(path: Path | str, *, may_be_empty: bool = False) -> Table:
    """The table at `path`, or on standard input if it is `-`; it need have no rows if so allowed.

    Parquet is known by its first bytes or by its name; anything else is text with a separator:
    a tab if the name ends in `.tsv`, else a comma, or what stands in the header where no comma
    does, a tab, a semicolon or a bar. Either may be compressed with gzip.
    """
    name = "standard input" if str(path) == "-" else str(path)
    data = _unpacked(_bytes(path, name), name)
    stem = name.removesuffix(".gz")
    if data.startswith(MAGIC) or stem.endswith((".parquet", ".pq")):
        return read_parquet(data, name, may_be_empty=may_be_empty)
    separator = "\t" if stem.endswith(".tsv") else None
    return read_delimited(data, name, separator, may_be_empty=may_be_empty)


def _bytes(path: Path | str, name: str) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise GnriError(f"{name} cannot be read: {error.strerror}") from None


def _unpacked(data: bytes, name: str) -> bytes:
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise GnriError(f"{name} is not a whole gzip file: {error}") from None
