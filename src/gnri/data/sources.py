"""Where tables come from: files, patterns, folders, standard input, Arrow datasets, memory.

A source is cut into partitions, each of which one worker reads by itself, some rows at a time. Read
as a whole or in parts, the same code judges and decodes a file.
"""

import glob
import gzip
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.arrow import (
    BLOCK,
    column_types,
    dataset_fragments,
    decode_all,
    decode_batches,
    fragment_batches,
    is_dataset,
    large_integers,
    open_parquet,
    parquet_batches,
    read_parquet,
)
from gnri.data.kinds import ColumnKind, is_number, point_for_comma
from gnri.data.structure import PLAIN, Structure, TextFormat
from gnri.data.table import Column, Table, check_has, find_distinct, number_column
from gnri.errors import GnriError, shorten

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class Partition:
    """Some rows of a source that one worker reads by itself; it can be pickled.

    `types` names the type of each column, in order. `batches` yields the rows of the columns that
    it is given, a few at a time. `origin` is what messages call it.
    """

    origin: str
    types: Mapping[str, str]
    batches: Callable[[Sequence[str]], Iterator[Table]]


@dataclass(frozen=True, eq=False)
class Source:
    """A table that can be read twice: partitions with the same columns.

    `weight`, if any, is a further column of the partitions, which is not in `names`; `na_values`
    are further texts that were read as missing.
    """

    origin: str
    partitions: Sequence[Partition]
    names: list[str]
    weight: str | None = field(default=None, kw_only=True)
    na_values: tuple[str, ...] = field(default=(), kw_only=True)

    def without(self, names: Collection[str]) -> "Source":
        """Return the source without these columns."""
        return replace(self, names=[name for name in self.names if name not in names])


@dataclass(frozen=True, eq=False)
class TableSource(Source):
    """A table in memory: one partition. `weights`, if there are any, are above 0.

    `class_copies` says what part of a weight comes from the class of its row.
    """

    table: Table
    weights: NDArray[np.float64] | None = None
    class_copies: Sequence[float] | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        weights: NDArray[np.float64] | None = None,
        class_copies: Sequence[float] | None = None,
    ) -> "TableSource":
        """Return the source of a table; rows of weight 0 are left out."""
        if weights is not None:
            table, weights = table.take(weights > 0), weights[weights > 0]
        types = {name: str(column.kind) for name, column in table.items()}
        whole = Partition(table.origin, types, partial(_select, table))
        own = table, weights, class_copies
        return cls(table.origin, [whole], list(table), *own, na_values=table.na_values)


def _select(table: Table, names: Sequence[str]) -> Iterator[Table]:
    yield table.select(names)


def read_table(path: Path | str, *, may_be_empty: bool = False, text: TextFormat = PLAIN) -> Table:
    """Return the table at `path`, or on standard input if it is `-`, read into memory.

    Parquet is known by its first bytes or by its name, Excel by its name; anything else is text
    with a separator: a tab if the name ends in `.tsv`, else the first of comma, tab, semicolon and
    bar that stands in the header. Any may be compressed with gzip. With `may_be_empty` there need
    be no rows.
    """
    piped = str(path) == "-"
    name = "standard input" if piped else str(path)
    blocks = unpack(BufferedReader(sys.stdin.buffer), name) if piped else read_blocks(name)
    start = next(blocks, b"")
    if _is_parquet(name, start):
        found = read_parquet(b"".join([start, *blocks]), name, may_be_empty=may_be_empty)
    elif _is_workbook(name):
        from gnri.data.workbook import read_workbook

        found = read_workbook(b"".join([start, *blocks]), name, may_be_empty=may_be_empty)
    else:
        found = decode_all(text.structure(chain([start], blocks), name), may_be_empty=may_be_empty)
    return read_missing(found, text.na_values)


def open_source(given: Any, text: TextFormat = PLAIN) -> Source:
    """Return the source of a path, a pattern, a folder, several of them, or an Arrow dataset.

    All files must have the same columns, in any order.
    """
    if is_dataset(given):
        return _clean(_open_dataset(given), text)
    several = [str(one) for one in ([given] if isinstance(given, str | Path) else given)]
    named = several[0] if len(several) == 1 else shorten(", ".join(several))
    paths = [path for one in several for path in _paths(one)]
    parquet = {path: open_parquet(path) for path in paths if _is_parquet_file(path)}
    # Integers that no float holds in one file are read as text in all of them.
    codes = frozenset(name for path in sorted(parquet) for name in large_integers(path))
    partitions: list[Partition] = []
    for path in paths:
        if path not in parquet:
            names = read_table(path) if _is_workbook(path) else _open_text(path, text).header
            types = dict.fromkeys(names, "text")
            partitions.append(Partition(path, types, partial(_text_batches, path, text)))
            continue
        types, row_groups = parquet[path]
        for some in row_groups:
            batches = partial(parquet_batches, path, some, codes)
            partitions.append(Partition(path, types, batches))
    if not partitions:
        raise GnriError(f"{named} has no rows or no columns; it must have both")
    _check_alike(partitions)
    return _clean(Source(named, partitions, list(partitions[0].types)), text)


def _clean(source: Source, text: TextFormat) -> Source:
    """Return the source with cells that mean missing read so."""
    if not text.na_values:
        return source
    clean = partial(_clean_batches, tuple(text.na_values))
    parts = [replace(one, batches=partial(clean, one.batches)) for one in source.partitions]
    return replace(source, partitions=parts, na_values=tuple(text.na_values))


def _clean_batches(
    na_values: tuple[str, ...],
    batches: Callable[[Sequence[str]], Iterator[Table]],
    names: Sequence[str],
) -> Iterator[Table]:
    return (read_missing(table, na_values) for table in batches(names))


def _open_dataset(dataset: Any) -> Source:
    types = column_types(dataset.schema, "the dataset")
    partitions = []
    for fragment in dataset_fragments(dataset):
        origin = str(getattr(fragment, "path", "the dataset"))
        batches = partial(fragment_batches, origin, fragment, dataset.schema)
        partitions.append(Partition(origin, types, batches))
    return Source("the dataset", partitions, list(types))


def _text_batches(path: str, text: TextFormat, names: Sequence[str]) -> Iterator[Table]:
    if _is_workbook(path):
        return _select(read_table(path), names)
    return decode_batches(_open_text(path, text), names)


def _open_text(path: str, text: TextFormat) -> Structure:
    return text.structure(read_blocks(path), path)


def read_blocks(path: str, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, unpacked if they are gzip."""
    try:
        with Path(path).open("rb") as file:
            yield from unpack(file, path, size)
    except OSError as error:
        raise GnriError(f"{path} cannot be read: {error.strerror or error}") from None


def unpack(file: "BufferedReader[Any]", name: str, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the bytes of an open file in blocks, unpacked if they are gzip."""
    packed = file.peek(len(_GZIP)).startswith(_GZIP)
    stream: Any = gzip.GzipFile(fileobj=file) if packed else file
    try:
        yield from iter(partial(stream.read, size), b"")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise GnriError(f"{name} is not a whole gzip file: {error}") from None


def _is_parquet(name: str, start: bytes) -> bool:
    return start.startswith(_PARQUET) or name.removesuffix(".gz").endswith((".parquet", ".pq"))


def _is_workbook(name: str) -> bool:
    return name.lower().endswith((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"))


def read_missing(table: Table, na_values: Collection[str]) -> Table:
    """Return the table with each cell that is one of these texts missing, or the same number."""
    if not na_values:
        return table
    wanted = set(map(_comparable, na_values))
    columns = {name: _read_missing(column, wanted) for name, column in table.items()}
    return replace(table, columns=columns, na_values=tuple(na_values))


def _read_missing(column: Column, wanted: Set[Any]) -> Column:
    if column.kind == ColumnKind.NUMBER:
        found = np.isin(column.values, [one for one in wanted if isinstance(one, float)])
        return number_column(column.name, np.where(found, np.nan, column.values))
    kept = [_comparable(one) not in wanted for one in column.categories]
    if all(kept):
        return column
    if column.kind is None:
        texts = [one if keep else "" for one, keep in zip(column.categories, kept, strict=True)]
        distinct, codes = find_distinct(texts)
        return replace(column, values=codes[column.values], categories=distinct)
    known = np.array(kept)[column.values]
    return replace(column, known=known if column.known is None else known & column.known)


def _comparable(cell: Any) -> Any:
    """Return the number that a text writes, or the cell as it is."""
    number = point_for_comma(cell) if isinstance(cell, str) else ""
    return float(number) if is_number(number) else cell


def _paths(pattern: str) -> list[str]:
    path = Path(pattern)
    if path.is_file():
        return [pattern]
    # Not by Path.glob: a pattern may begin at the root.
    found = map(str, path.iterdir()) if path.is_dir() else glob.glob(pattern)  # noqa: PTH207
    seen = sorted(one for one in found if not Path(one).name.startswith((".", "_")))
    if folder := next((one for one in seen if Path(one).is_dir()), None):
        raise GnriError(
            f"{folder} is a folder in {pattern}, and folders in it are not read; name the files, "
            f"as in '{folder}/*'"
        )
    if not seen and path.is_dir():
        raise GnriError(f"{pattern} is a folder without files; name one that holds a table")
    if not seen:
        raise GnriError(f"no file is called {pattern}; check the path, and quote a pattern")
    return seen


def _is_parquet_file(path: str) -> bool:
    if not _is_parquet(path, next(read_blocks(path, 1 << 10), b"")):
        return False
    with Path(path).open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            raise GnriError(f"{path} is gzip, and Parquet in it cannot be read in parts; unpack it")
    return True


def _check_alike(partitions: Sequence[Partition]) -> None:
    first = partitions[0]
    for one in partitions:
        for name in [*first.types, *one.types] if one.types != first.types else ():
            wanted, found = (part.types.get(name, "missing") for part in (first, one))
            if found != wanted:
                raise GnriError(
                    f"all parts must have the same columns, but {shorten(name)} is {found} in "
                    f"{one.origin} and {wanted} in {first.origin}; write them with one schema"
                )


def feature_names(source: Source, target: Any, ignore: Sequence[str] = ()) -> list[str]:
    """Return the columns to learn from; raise if the target or an ignored column is missing."""
    names = source.names
    if not isinstance(target, str):
        raise GnriError(
            f"target must be the name of a column, got {type(target).__name__}; the columns are "
            f"{shorten(names)}"
        )
    for name in (target, *ignore):
        check_has(name, names, source.origin)
    found = [name for name in names if name not in (target, *ignore)]
    if not found:
        raise GnriError(
            f"{source.origin} has no column besides {shorten(target)}; add columns to learn from"
        )
    return found
