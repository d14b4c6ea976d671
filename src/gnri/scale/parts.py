"""The files a table is made of, read a few rows at a time."""

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from gnri.errors import GnriError
from gnri.logic.names import shorten
from gnri.tables.table import check_names

BATCH = 1 << 16
"""Rows read at a time: 64 literals of them are half a megabyte when packed."""

_ROWS_OF_A_PART = 1 << 22  # from which a Parquet file is cut into several parts
_BYTES_READ = 1 << 23  # of a text file at a time


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or some row groups of a Parquet file; `text` where its cells are still to be read."""

    path: str
    text: bool
    row_groups: tuple[int, ...] = ()

    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.types())

    def types(self) -> dict[str, Any]:
        """The Arrow type of each column."""
        schema = _guarded(self.path, self._schema)
        return dict(zip(schema.names, schema.types, strict=True))

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows of these columns, as Arrow record batches."""
        reader = _guarded(self.path, self._reader, columns)
        while (batch := _guarded(self.path, next, reader, None)) is not None:
            yield batch

    def _schema(self) -> Any:
        return _csv(self.path).schema if self.text else _parquet(self.path).schema_arrow

    def _reader(self, columns: Sequence[str]) -> Iterator[Any]:
        if self.text:
            return (batch.select(list(columns)) for batch in _csv(self.path))
        return _parquet(self.path).iter_batches(BATCH, list(self.row_groups), list(columns))


def parts_of(source: str | Path | Sequence[str | Path]) -> list[Part]:
    """The parts in the files that a path, a pattern such as `part-*.parquet`, or several name.

    All must have the same columns, in any order.
    """
    given = [source] if isinstance(source, str | Path) else list(source)
    paths = [path for one in given for path in _paths(str(one))]
    parts = [part for path in paths for part in _cut(path)]
    if not parts:
        raise GnriError(f"{shorten(', '.join(map(str, given)))} has no rows; name files with rows")
    _check_alike(parts)
    return parts


def _paths(pattern: str) -> list[str]:
    found = [str(path) for path in Path(pattern).iterdir()] if Path(pattern).is_dir() else [pattern]
    if len(found) == 1 and not Path(found[0]).exists():
        found = glob.glob(pattern)  # noqa: PTH207 - a pattern may begin at the root
    found = sorted(path for path in found if not Path(path).name.startswith((".", "_")))
    if not found:
        raise GnriError(f"no file is called {pattern}; check the path, and quote a pattern")
    return found


def _cut(path: str) -> list[Part]:
    if not path.endswith((".parquet", ".pq")):
        return [Part(path, text=True)]
    metadata = _guarded(path, lambda: _parquet(path).metadata)
    parts: list[Part] = []
    rows = _ROWS_OF_A_PART
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    for group, size in enumerate(sizes):
        if not size:
            continue
        if rows >= _ROWS_OF_A_PART:
            parts.append(Part(path, text=False))
            rows = 0
        parts[-1] = replace(parts[-1], row_groups=(*parts[-1].row_groups, group))
        rows += size
    return parts


def _check_alike(parts: Sequence[Part]) -> None:
    first = parts[0]
    wanted = first.types()
    check_names(first.names(), first.path)
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
        header = stream.read(1 << 16).split(b"\n")[0].decode("utf-8-sig", "replace")
    mark = "\t" if path.removesuffix(".gz").endswith(".tsv") else None
    mark = mark or next((mark for mark in ",\t;" if mark in header), ",")
    names = next(_split(header, mark), [])
    types = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
    )
    return csv.open_csv(
        path,
        csv.ReadOptions(block_size=_BYTES_READ),
        csv.ParseOptions(delimiter=mark, newlines_in_values=True),
        types,
    )


def _split(header: str, mark: str) -> Iterator[list[str]]:
    import csv

    return csv.reader([header.rstrip("\r")], delimiter=mark)


def _guarded(path: str, work: Any, *arguments: Any) -> Any:
    """What the work gives, or an error that says which file cannot be read and why."""
    try:
        import pyarrow as pa
    except ImportError:
        raise GnriError(
            "parts on disk take pyarrow to read; install it with pip install 'gnri[scale]'"
        ) from None
    try:
        return partial(work, *arguments)()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{path} cannot be read as a whole table: {reason}") from None
