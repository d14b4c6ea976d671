"""The files a table is made of, read a few rows at a time."""

import glob
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from gnri.data.structure import Structure
from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.tables.reading import is_packed, is_parquet, read_blocks, separator_in
from gnri.tables.table import check_names

BATCH = 1 << 16
"""Rows read at a time, at most: 64 literals of them are half a megabyte when packed."""

CELLS = 1 << 23
"""Cells read at a time, about: a wide table is read fewer rows at a time."""

ROWS_OF_A_PART = 1 << 22
"""Rows from which a Parquet file is cut into several parts."""

_MARK = b"\xef\xbb\xbf"
_WIDE = 1 << 11  # columns from which Arrow is slow
_CELLS_HELD = 1 << 20  # as Python texts, at a time
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
        import pyarrow as pa

        if self.text:
            return dict.fromkeys(_structure(self.path).header(), pa.string())
        schema = _parquet(self.path).schema_arrow
        check_names(schema.names, self.path)
        return dict(zip(schema.names, map(_plain, schema.types), strict=True))

    def _reader(self, columns: Sequence[str]) -> Iterator[Any]:
        names = list(columns)
        if self.text:
            return _text_batches(_structure(self.path), names)
        groups, rows = list(self.row_groups), batch_rows(len(names))
        batches = _parquet(self.path).iter_batches(rows, groups, names, use_threads=False)
        return map(_without_views, batches)


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
        named = str(given[0]) if len(given) == 1 else shorten(", ".join(map(str, given)))
        raise GnriError(f"{named} has no rows or no columns; it must have both")
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
    start = next(read_blocks(path, 1 << 10), b"")
    if not is_parquet(path, start):
        return [FilePart(path, text=True)]
    _check_unpacked(path)
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


def _check_unpacked(path: str) -> None:
    with Path(path).open("rb") as file:
        if is_packed(file):
            raise GnriError(f"{path} is gzip, and Parquet in it cannot be read in parts; unpack it")


def _check_alike(parts: Sequence[Part]) -> None:
    first = parts[0]
    wanted = first.types()
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


def _without_views(batch: Any) -> Any:
    """The batch with text in the one type that Arrow counts and encodes."""
    import pyarrow as pa

    schema = pa.schema([field.with_type(_plain(field.type)) for field in batch.schema])
    return batch if schema.equals(batch.schema) else batch.cast(schema)


def _plain(kind: Any) -> Any:
    import pyarrow as pa

    return pa.string() if pa.types.is_string_view(kind) else kind


def _structure(path: str) -> Structure:
    return Structure(read_blocks(path, _BYTES_READ), path, separator_in(path))


def _text_batches(structure: Structure, columns: list[str]) -> Iterator[Any]:
    """Batches in which every cell is text, as it stands."""
    names = list(structure.header())
    decode = _decode_wide if len(columns) > _WIDE else _decode
    return (
        batch
        for block in structure.rows()
        for batch in decode(block, structure.separator, names, columns)
    )


def _decode(block: bytes, mark: str, names: list[str], columns: list[str]) -> Iterable[Any]:
    """The rows of a block, by Arrow."""
    import pyarrow as pa
    from pyarrow import csv

    block = _MARK + block if block.startswith(_MARK) else block  # Arrow leaves one out
    return csv.read_csv(
        pa.BufferReader(block),
        csv.ReadOptions(column_names=names, block_size=len(block) + 1),
        csv.ParseOptions(delimiter=mark, newlines_in_values=True),
        csv.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            include_columns=columns,
            strings_can_be_null=False,
        ),
    ).to_batches()


def _decode_wide(block: bytes, mark: str, names: list[str], columns: list[str]) -> Iterator[Any]:
    """The same by the csv module, as Arrow takes 17 KB and 0.1 ms for each column of a block."""
    import csv

    import pyarrow as pa

    text = io.TextIOWrapper(io.BytesIO(block), encoding="utf-8", newline="")
    rows = filter(None, csv.reader(text, delimiter=mark, strict=True))
    place = {name: i for i, name in enumerate(names)}
    wanted = [place[name] for name in columns]
    while some := list(islice(rows, max(1, _CELLS_HELD // len(names)))):
        cells = list(zip(*some, strict=True))
        yield pa.record_batch([pa.array(cells[i], pa.string()) for i in wanted], columns)
