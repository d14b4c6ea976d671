"""Parquet files and Arrow datasets: read as a whole, or in batches."""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from gnri.data.arrow import from_arrow, whole_numbers_beyond
from gnri.data.kinds import LARGEST_EXACT
from gnri.data.table import Table, check_names
from gnri.errors import GnriError

BATCH = 1 << 16
"""Rows read at a time, at most: 64 literals of them are half a megabyte when packed."""

CELLS = 1 << 23
"""Cells read at a time, about: of a wide table fewer rows are read at a time."""

ROWS_OF_A_PARTITION = 1 << 22
"""Rows from which a Parquet file is cut into several partitions."""


def read_parquet(data: bytes, origin: str, *, may_be_empty: bool = False) -> Table:
    """Return the table in the bytes of a Parquet file."""
    with _whole(origin):
        found = _open(BytesIO(data)).read(use_threads=False)
        check_names(found.column_names, origin)
        if not (found.num_rows or may_be_empty) or not found.num_columns:
            raise GnriError(f"{origin} has no rows or no columns; it must have both")
        codes = {name for name in found.column_names if whole_numbers_beyond(found[name])}
        return _table(origin, found, found.column_names, codes)


def open_parquet(path: str) -> tuple[dict[str, str], list[list[int]]]:
    """Return the type of each column of a file, and the row groups of each of its partitions."""
    with _whole(path):
        file = _open(path)
        types = column_types(file.schema_arrow, path)
    partitions: list[list[int]] = []
    rows = ROWS_OF_A_PARTITION
    for group in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if size and rows >= ROWS_OF_A_PARTITION:
            partitions.append([])
            rows = 0
        if size:
            partitions[-1].append(group)
            rows += size
    return types, partitions


def column_types(schema: Any, origin: str) -> dict[str, str]:
    """Return the type of each column of an Arrow schema; any text is text."""
    from pyarrow import types

    check_names(schema.names, origin)
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    return {
        field.name: "text" if any(test(field.type) for test in texts) else str(field.type)
        for field in schema
    }


def parquet_batches(
    path: str, row_groups: list[int], codes: Set[str], names: Sequence[str]
) -> Iterator[Table]:
    """Yield some row groups of a file, a few rows at a time; integers in `codes` become text."""
    with _whole(path):
        rows = _open(path).iter_batches(
            _rows_at_a_time(names), row_groups, list(names), use_threads=False
        )
        yield from (_table(path, some, names, codes) for some in rows if len(some))


def large_integers(path: str) -> list[str]:
    """Return the integer columns of which the statistics of a file name numbers beyond 2^53."""
    with _whole(path):
        metadata = _open(path).metadata
        groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
        found = []
        for i in range(metadata.num_columns):
            known = [one.statistics for group in groups if (one := group.column(i)).is_stats_set]
            bounds = [bound for one in known if one.has_min_max for bound in (one.min, one.max)]
            if any(isinstance(bound, int) and abs(bound) > LARGEST_EXACT for bound in bounds):
                found.append(metadata.schema.column(i).path)
        return found


def is_dataset(given: Any) -> bool:
    """Return whether this is an Arrow dataset, without loading pyarrow to find out."""
    kinds = {f"{kind.__module__}.{kind.__name__}" for kind in type(given).__mro__}
    return "pyarrow._dataset.Dataset" in kinds


def dataset_fragments(dataset: Any) -> list[Any]:
    """Return the fragments of a dataset, large Parquet files cut between their row groups."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:  # pyarrow keeps the parts of a filtered dataset to itself
        raise GnriError(
            f"the dataset cannot be read in parts: {error} Write the rows you want to files"
        ) from None
    if not fragments:
        raise GnriError("the dataset has no files; name some with rows")
    return [piece for fragment in fragments for piece in _pieces(fragment)]


def fragment_batches(
    origin: str, fragment: Any, schema: Any, names: Sequence[str]
) -> Iterator[Table]:
    """Yield a fragment of a dataset with this schema, a few rows at a time."""
    with _whole(origin):
        rows = fragment.to_batches(
            schema=schema,
            columns=list(names),
            batch_size=_rows_at_a_time(names),
            batch_readahead=2,  # more would not be bounded by what is asked for
            fragment_readahead=1,
            use_threads=False,
        )
        yield from (_table(origin, some, names) for some in rows if len(some))


def _pieces(fragment: Any) -> list[Any]:
    if not hasattr(fragment, "split_by_row_group"):
        return [fragment]
    with _whole(fragment.path):
        few = fragment.metadata.num_rows <= ROWS_OF_A_PARTITION
    return [fragment] if few else list(fragment.split_by_row_group())


def _table(origin: str, rows: Any, names: Sequence[str], codes: Set[str] = frozenset()) -> Table:
    """Return an Arrow table or batch as a table."""
    found = {name: from_arrow(name, rows.column(name), codes=name in codes) for name in names}
    return Table(found, origin)


def _rows_at_a_time(names: Sequence[str]) -> int:
    return max(1 << 8, min(BATCH, CELLS // max(len(names), 1)))


def _open(file: Any) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(file)


@contextmanager
def _whole(origin: str) -> Iterator[None]:
    """Say in one line which file cannot be read and why."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"{origin} is not a whole Parquet file: {reason}") from None
