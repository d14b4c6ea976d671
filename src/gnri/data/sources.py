"""Where tables come from: files, patterns, folders, standard input, Arrow datasets, memory.

A source is cut into partitions, each of which one worker reads by itself, some rows at a time. Read
as a whole or in parts, the same code judges and decodes a file.
"""

import glob
import gzip
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, Protocol

from gnri.data.arrow import from_arrow, name_type, whole_numbers_beyond
from gnri.data.delimited import BLOCK, cut, decode_all, decode_batches
from gnri.data.structure import Structure
from gnri.data.table import Table, check_names
from gnri.errors import GnriError
from gnri.messages import shorten

BATCH = 1 << 16
"""Rows read at a time, at most: 64 literals of them are half a megabyte when packed."""

CELLS = 1 << 23
"""Cells read at a time, about: of a wide table fewer rows are read at a time."""

ROWS_OF_A_PARTITION = 1 << 22
"""Rows from which a Parquet file is cut into several partitions."""

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


@dataclass(frozen=True)
class ParquetPartition:
    """Some row groups of a Parquet file; integers in `codes` are read as text."""

    origin: str
    row_groups: tuple[int, ...]
    codes: frozenset[str] = frozenset()

    def types(self) -> dict[str, str]:
        """Return the type of each column, text for codes."""
        schema = _guard(self.origin, lambda: _parquet(self.origin).schema_arrow)
        check_names(schema.names, self.origin)
        return {field.name: name_type(field.type) for field in schema}

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield columns in the types they were written with."""
        file = _guard(self.origin, _parquet, self.origin)
        rows = file.iter_batches(
            rows_at_a_time(len(names)), list(self.row_groups), list(names), use_threads=False
        )
        return _tables(self.origin, rows, names, self.codes)


@dataclass(frozen=True, eq=False)
class FragmentPartition:
    """A fragment of an Arrow dataset with this schema."""

    origin: str
    fragment: Any
    schema: Any

    def types(self) -> dict[str, str]:
        """Return the type of each column."""
        return {field.name: name_type(field.type) for field in self.schema}

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield columns in the types of the dataset."""
        rows = self.fragment.to_batches(
            schema=self.schema,
            columns=list(names),
            batch_size=rows_at_a_time(len(names)),
            batch_readahead=2,  # more would not be bounded by what is asked for
            fragment_readahead=1,
            use_threads=False,
        )
        return _tables(self.origin, iter(rows), names, frozenset())


def rows_at_a_time(columns: int) -> int:
    """Return how many rows to read at a time of a table of so many columns."""
    return max(1 << 8, min(BATCH, CELLS // max(columns, 1)))


def read_table(path: Path | str, *, may_be_empty: bool = False) -> Table:
    """Return the table at `path`, or on standard input if it is `-`, read into memory.

    Parquet is known by its first bytes or by its name; anything else is text with a separator: a
    tab if the name ends in `.tsv`, else the first of comma, tab, semicolon and bar that stands in
    the header. Either may be compressed with gzip. With `may_be_empty` there need be no rows.
    """
    name = "standard input" if str(path) == "-" else str(path)
    blocks = _read_input() if str(path) == "-" else read_blocks(name)
    start = next(blocks, b"")
    if _is_parquet(name, start):
        return read_parquet(b"".join([start, *blocks]), name, may_be_empty=may_be_empty)
    structure = Structure(_chain(start, blocks), name, _separator_in(name))
    return decode_all(structure, may_be_empty=may_be_empty)


def is_source(given: Any) -> bool:
    """Return whether this names a table in files: a path, a pattern, several, or a dataset."""
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(one, str | Path) for one in given)
    return isinstance(given, str | Path) or _is_dataset(given)


def open_source(given: Any) -> Source:
    """Return the source of a path, a pattern such as `part-*.parquet`, a folder, several of them,
    or an Arrow dataset. All files must have the same columns, in any order.
    """
    if _is_dataset(given):
        found = _dataset_partitions(given)
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


def _read_input() -> Iterator[bytes]:
    return unpack(sys.stdin.buffer.read(), "standard input")


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


def _chain(start: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield start
    yield from blocks


def _is_parquet(name: str, start: bytes) -> bool:
    return start.startswith(_PARQUET) or name.removesuffix(".gz").endswith((".parquet", ".pq"))


def _separator_in(name: str) -> str | None:
    return "\t" if name.removesuffix(".gz").endswith(".tsv") else None


def _structure(path: str) -> Structure:
    return Structure(read_blocks(path), path, _separator_in(path))


def read_parquet(data: bytes, origin: str, *, may_be_empty: bool = False) -> Table:
    """Return the table in the bytes of a Parquet file."""

    def read() -> Table:
        import pyarrow.parquet

        found = pyarrow.parquet.ParquetFile(BytesIO(data)).read(use_threads=False)
        check_names(found.column_names, origin)
        if not (found.num_rows or may_be_empty) or not found.num_columns:
            raise GnriError(f"{origin} has no rows or no columns; it must have both")
        columns = {
            name: from_arrow(name, column, codes=whole_numbers_beyond(column))
            for name, column in zip(found.column_names, found.columns, strict=True)
        }
        return Table(columns, origin)

    table: Table = _guard(origin, read)
    return table


def _tables(
    origin: str, batches: Iterator[Any], names: Sequence[str], codes: frozenset[str]
) -> Iterator[Table]:
    """Yield Arrow batches as tables."""

    def convert(batch: Any) -> Table:
        columns = {
            name: from_arrow(name, batch.column(name), codes=name in codes) for name in names
        }
        return Table(columns, origin)

    while (batch := _guard(origin, next, batches, None)) is not None:
        if len(batch):
            # Text is bytes until it is asked for, and need not be UTF-8.
            yield _guard(origin, convert, batch)


def _guard(origin: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """Return what the work gives, or say in one line which file cannot be read and why."""
    import pyarrow as pa

    try:
        return work(*arguments)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{origin} is not a whole Parquet file: {reason}") from None


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
    metadata = _guard(path, lambda: _parquet(path).metadata)
    groups: list[list[int]] = []
    rows = ROWS_OF_A_PARTITION
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        if size and rows >= ROWS_OF_A_PARTITION:
            groups.append([])
            rows = 0
        if size:
            groups[-1].append(group)
            rows += size
    return [ParquetPartition(path, tuple(some)) for some in groups]


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
    codes = frozenset(name for path in files for name in _guard(path, _beyond, path))
    return [
        ParquetPartition(one.origin, one.row_groups, codes)
        if isinstance(one, ParquetPartition)
        else one
        for one in partitions
    ]


def _beyond(path: str) -> list[str]:
    """Return the integer columns of which the statistics of a file name numbers beyond 2^53."""
    from gnri.data.kinds import LARGEST_EXACT

    metadata = _parquet(path).metadata
    found = []
    for i in range(metadata.num_columns):
        chunks = (metadata.row_group(group).column(i) for group in range(metadata.num_row_groups))
        known = [one.statistics for one in chunks if one.is_stats_set]
        bounds = [b for one in known if one.has_min_max for b in (one.min, one.max)]
        if any(isinstance(bound, int) and abs(bound) > LARGEST_EXACT for bound in bounds):
            found.append(metadata.schema.column(i).path)
    return found


def _parquet(path: str) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)


def _is_dataset(given: Any) -> bool:
    """Return whether this is an Arrow dataset, without loading pyarrow to find out."""
    kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(given).__mro__}
    return "pyarrow._dataset.Dataset" in kinds


def _dataset_partitions(dataset: Any) -> list[Partition]:
    """Return the fragments of a dataset, large Parquet files cut between their row groups."""
    check_names(list(dataset.schema.names), "the dataset")
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:  # pyarrow keeps the parts of a filtered dataset to itself
        raise GnriError(
            f"the dataset cannot be read in parts: {error} Write the rows you want to files"
        ) from None
    found: list[Partition] = [
        FragmentPartition(str(getattr(piece, "path", "the dataset")), piece, dataset.schema)
        for fragment in fragments
        for piece in _pieces(fragment)
    ]
    if not found:
        raise GnriError("the dataset has no files; name some with rows")
    return found


def _pieces(fragment: Any) -> list[Any]:
    if not hasattr(fragment, "split_by_row_group"):
        return [fragment]
    metadata = _guard(fragment.path, lambda: fragment.metadata)
    if metadata.num_rows <= ROWS_OF_A_PARTITION:
        return [fragment]
    return list(fragment.split_by_row_group())
