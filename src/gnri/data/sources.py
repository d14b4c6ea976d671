"""Where tables come from: files, patterns, folders, standard input, Arrow datasets, memory.

A source is cut into partitions, each of which one worker reads by itself, some rows at a time. Read
as a whole or in parts, the same code judges and decodes a file.
"""

import glob
import gzip
import sys
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from gnri.data.delimited import BLOCK, cut, decode_all, decode_batches
from gnri.data.parquet import (
    ParquetPartition,
    dataset_partitions,
    is_dataset,
    large_integers,
    parquet_partitions,
    read_parquet,
)
from gnri.data.structure import Structure
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.messages import shorten

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"


class Partition(Protocol):
    """Some rows of a source that one worker reads by itself; it can be pickled."""

    @property
    def origin(self) -> str:
        """What messages call it."""

    def types(self) -> dict[str, str]:
        """Return the type of each column, by name and in order."""

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield the rows of these columns, a few at a time."""


@dataclass(frozen=True, eq=False)
class Source:
    """A table that can be read twice: partitions with the same columns."""

    origin: str
    partitions: Sequence[Partition]
    names: list[str]

    def without(self, names: Collection[str]) -> "Source":
        """Return the source without these columns."""
        return replace(self, names=[name for name in self.names if name not in names])


@dataclass(frozen=True, eq=False)
class TableSource(Source):
    """A table in memory: one partition."""

    table: Table

    @classmethod
    def of(cls, table: Table) -> "TableSource":
        """Return the source of a table."""
        return cls(table.origin, [TablePartition(table)], list(table), table)


@dataclass(frozen=True, eq=False)
class TablePartition:
    """All rows of a table in memory."""

    table: Table

    @property
    def origin(self) -> str:
        """What messages call it."""
        return self.table.origin

    def types(self) -> dict[str, str]:
        """Return the kind of each column."""
        return {name: str(column.kind) for name, column in self.table.items()}

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield the table itself."""
        yield self.table.select(names)


@dataclass(frozen=True)
class TextPartition:
    """A text file with a separator."""

    origin: str

    def types(self) -> dict[str, str]:
        """Return text for each column of the header."""
        return dict.fromkeys(_structure(self.origin).header(), "text")

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield columns of undecided text."""
        return decode_batches(_structure(self.origin), names)


def read_table(path: Path | str, *, may_be_empty: bool = False) -> Table:
    """Return the table at `path`, or on standard input if it is `-`, read into memory.

    Parquet is known by its first bytes or by its name; anything else is text with a separator: a
    tab if the name ends in `.tsv`, else the first of comma, tab, semicolon and bar that stands in
    the header. Either may be compressed with gzip. With `may_be_empty` there need be no rows.
    """
    piped = str(path) == "-"
    name = "standard input" if piped else str(path)
    blocks = unpack(sys.stdin.buffer.read(), name) if piped else read_blocks(name)
    start = next(blocks, b"")
    if _is_parquet(name, start):
        return read_parquet(b"".join([start, *blocks]), name, may_be_empty=may_be_empty)
    structure = Structure(chain([start], blocks), name, _separator_in(name))
    return decode_all(structure, may_be_empty=may_be_empty)


def is_source(given: Any) -> bool:
    """Return whether this names a table in files: a path, a pattern, several, or a dataset."""
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(one, str | Path) for one in given)
    return isinstance(given, str | Path) or is_dataset(given)


def open_source(given: Any) -> Source:
    """Return the source of a path, a pattern such as `part-*.parquet`, a folder, several of them,
    or an Arrow dataset. All files must have the same columns, in any order.
    """
    if is_dataset(given):
        found = dataset_partitions(given)
        return Source("the dataset", found, list(found[0].types()))
    several = [given] if isinstance(given, str | Path) else list(given)
    named = str(several[0]) if len(several) == 1 else shorten(", ".join(map(str, several)))
    paths = [path for one in several for path in _paths(str(one))]
    partitions: list[Partition] = [part for path in paths for part in _partitions(path)]
    if not partitions:
        raise GnriError(f"{named} has no rows or no columns; it must have both")
    _check_alike(partitions)
    return Source(named, _with_codes(partitions), list(partitions[0].types()))


def read_blocks(path: str, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, unpacked if they are gzip."""
    try:
        with Path(path).open("rb") as file:
            yield from _unpack(file, path, size)
    except OSError as error:
        raise GnriError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(data: bytes, name: str) -> Iterator[bytes]:
    """Yield the data in blocks, unpacked if they are gzip."""
    if not data.startswith(_GZIP):
        return cut(data)
    return _unpack(BufferedReader(BytesIO(data)), name, BLOCK)


def _unpack(file: "BufferedReader[Any]", name: str, size: int) -> Iterator[bytes]:
    packed = file.peek(len(_GZIP)).startswith(_GZIP)
    stream: Any = gzip.GzipFile(fileobj=file) if packed else file
    try:
        yield from iter(partial(stream.read, size), b"")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise GnriError(f"{name} is not a whole gzip file: {error}") from None


def _is_parquet(name: str, start: bytes) -> bool:
    return start.startswith(_PARQUET) or name.removesuffix(".gz").endswith((".parquet", ".pq"))


def _separator_in(name: str) -> str | None:
    return "\t" if name.removesuffix(".gz").endswith(".tsv") else None


def _structure(path: str) -> Structure:
    return Structure(read_blocks(path), path, _separator_in(path))


def _paths(pattern: str) -> list[str]:
    path = Path(pattern)
    if path.is_file():
        return [pattern]
    # Not by Path.glob: a pattern may begin at the root.
    found = map(str, path.iterdir()) if path.is_dir() else glob.glob(pattern)  # noqa: PTH207
    seen = sorted(one for one in found if not Path(one).name.startswith((".", "_")))
    if not seen and path.is_dir():
        raise GnriError(f"{pattern} is a folder without files; name one that holds a table")
    if not seen:
        raise GnriError(f"no file is called {pattern}; check the path, and quote a pattern")
    return seen


def _partitions(path: str) -> list[Partition]:
    """Return a text file as one partition, a Parquet file cut between its row groups."""
    if not _is_parquet(path, next(read_blocks(path, 1 << 10), b"")):
        return [TextPartition(path)]
    with Path(path).open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            raise GnriError(f"{path} is gzip, and Parquet in it cannot be read in parts; unpack it")
    return [*parquet_partitions(path)]


def _check_alike(partitions: Sequence[Partition]) -> None:
    first = partitions[0]
    wanted = first.types()
    for one in {one.origin: one for one in partitions}.values():
        found = one.types()
        for name in [*wanted, *found]:
            if found.get(name) != wanted.get(name):
                raise GnriError(
                    f"all parts must have the same columns, but {shorten(name)} is "
                    f"{found.get(name, 'missing')} in {one.origin} and "
                    f"{wanted.get(name, 'missing')} in {first.origin}; write them with one schema"
                )


def _with_codes(partitions: list[Partition]) -> list[Partition]:
    """Have all partitions read integers as codes where one has some that no float holds."""
    files = dict.fromkeys(one.origin for one in partitions if isinstance(one, ParquetPartition))
    codes = frozenset(name for path in files for name in large_integers(path))
    return [
        replace(one, codes=codes) if isinstance(one, ParquetPartition) else one
        for one in partitions
    ]
