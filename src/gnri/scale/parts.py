"""The files a table is made of, read a few rows at a time."""

import glob
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from gnri.data.table import check_names
from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.tables.delimited import check_no_workbook
from gnri.tables.separators import separator_of, split_off_separator

BATCH = 1 << 16
"""Rows read at a time, at most: 64 literals of them are half a megabyte when packed."""

CELLS = 1 << 23
"""Cells read at a time, about: a wide table is read fewer rows at a time."""

ROWS_OF_A_PART = 1 << 22
"""Rows from which a Parquet file is cut into several parts."""

_BYTES_READ = 1 << 23  # of a text file at a time


class Part(Protocol):
    """Some rows of a table; `text` where what its cells mean is still to be seen."""

    @property
    def path(self) -> str:
        """What it is called in messages."""

    @property
    def text(self) -> bool: ...

    def types(self) -> dict[str, Any]:
        """The Arrow type of each column, by name and in order."""

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows of these columns, as Arrow record batches."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A text file, or some row groups of a Parquet file."""

    path: str
    text: bool
    row_groups: tuple[int, ...] = ()

    def types(self) -> dict[str, Any]:
        found: dict[str, Any] = guarded(self.path, self._types)
        return found

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        reader = guarded(self.path, self._reader, columns)
        while (batch := guarded(self.path, next, reader, None)) is not None:
            yield batch

    def _types(self) -> dict[str, Any]:
        schema = _csv(self.path).schema if self.text else _parquet(self.path).schema_arrow
        return dict(zip(schema.names, schema.types, strict=True))

    def _reader(self, columns: Sequence[str]) -> Iterator[Any]:
        names = list(columns)
        if self.text:
            return (batch.select(names) for batch in _csv(self.path))
        groups, rows = list(self.row_groups), batch_rows(len(names))
        return _parquet(self.path).iter_batches(rows, groups, names, use_threads=False)


def batch_rows(columns: int) -> int:
    """How many rows to read at a time of a table of so many columns."""
    return max(1 << 8, min(BATCH, CELLS // max(columns, 1)))


def files_of(given: Sequence[str | Path]) -> list[Part]:
    """The parts in the files that paths, patterns such as `part-*.parquet` and folders name.

    All must have the same columns, in any order.
    """
    paths = [path for one in given for path in _paths(str(one))]
    parts: list[Part] = [part for path in paths for part in _cut(path)]
    if not parts:
        raise GnriError(f"{shorten(', '.join(map(str, given)))} has no rows; name files with rows")
    _check_alike(parts)
    return parts


def guarded(path: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """What the work gives, or an error that says which file cannot be read and why."""
    try:
        import pyarrow as pa
    except ImportError:
        raise GnriError(
            "parts on disk take pyarrow to read; install it with pip install 'gnri[scale]'"
        ) from None
    try:
        return partial(work, *arguments)()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{path} cannot be read as a whole table: {reason}") from None


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


def _cut(path: str) -> list[FilePart]:
    if not path.endswith((".parquet", ".pq")):
        return [FilePart(path, text=True)]
    metadata = guarded(path, lambda: _parquet(path).metadata)
    parts: list[FilePart] = []
    rows = ROWS_OF_A_PART
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    for group, size in enumerate(sizes):
        if not size:
            continue
        if rows >= ROWS_OF_A_PART:
            parts.append(FilePart(path, text=False))
            rows = 0
        parts[-1] = replace(parts[-1], row_groups=(*parts[-1].row_groups, group))
        rows += size
    return parts


def _check_alike(parts: Sequence[Part]) -> None:
    first = parts[0]
    wanted = first.types()
    check_names(list(wanted), first.path)
    for part in {part.path: part for part in parts}.values():
        found = part.types()
        for name in [*wanted, *found]:
            if found.get(name) != wanted.get(name):
                raise GnriError(
                    f"all parts must have the same columns, but {shorten(name)} is "
                    f"{found.get(name, 'missing')} in {part.path} and "
                    f"{wanted.get(name, 'missing')} in {first.path}; write them with one schema"
                )


def _parquet(path: str) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)


def _csv(path: str) -> Any:
    """A reader of batches in which every cell is text, without the spaces around it."""
    import pyarrow as pa
    from pyarrow import csv

    with pa.input_stream(path) as stream:
        start = stream.read(1 << 16)
    check_no_workbook(start, path)
    start, said = split_off_separator(start)
    mark = said or ("\t" if path.removesuffix(".gz").endswith(".tsv") else separator_of(start))
    header = start.lstrip(b"\r\n").split(b"\n")[0].decode("utf-8-sig", "replace")
    names = next(_split(header, mark), [])
    types = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
    )
    return csv.open_csv(
        path,
        csv.ReadOptions(block_size=_BYTES_READ, skip_rows=0 if said is None else 1),
        csv.ParseOptions(delimiter=mark, newlines_in_values=True),
        types,
    )


def _split(header: str, mark: str) -> Iterator[list[str]]:
    import csv

    return csv.reader([header.rstrip("\r")], delimiter=mark)
