"""Parquet files and Arrow datasets: read as a whole, or cut into partitions."""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from gnri.data.arrow import from_arrow, name_type, whole_numbers_beyond
from gnri.data.kinds import LARGEST_EXACT
from gnri.data.table import Table, check_names
from gnri.errors import GnriError

BATCH = 1 << 16
"""Rows read at a time, at most: 64 literals of them are half a megabyte when packed."""

CELLS = 1 << 23
"""Cells read at a time, about: of a wide table fewer rows are read at a time."""

ROWS_OF_A_PARTITION = 1 << 22
"""Rows from which a Parquet file is cut into several partitions."""


@dataclass(frozen=True)
class ParquetPartition:
    """Some row groups of a Parquet file; integers in `codes` are read as text."""

    origin: str
    row_groups: tuple[int, ...]
    codes: frozenset[str] = frozenset()

    def types(self) -> dict[str, str]:
        """Return the type of each column, text for codes."""
        with _whole(self.origin):
            schema = _open(self.origin).schema_arrow
        check_names(schema.names, self.origin)
        return _types(schema)

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield columns in the types they were written with."""
        with _whole(self.origin):
            rows = _open(self.origin).iter_batches(
                _rows_at_a_time(names), list(self.row_groups), list(names), use_threads=False
            )
            yield from (_table(self.origin, some, names, self.codes) for some in rows if len(some))


@dataclass(frozen=True, eq=False)
class FragmentPartition:
    """A fragment of an Arrow dataset with this schema."""

    origin: str
    fragment: Any
    schema: Any

    def types(self) -> dict[str, str]:
        """Return the type of each column."""
        return _types(self.schema)

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield columns in the types of the dataset."""
        with _whole(self.origin):
            rows = self.fragment.to_batches(
                schema=self.schema,
                columns=list(names),
                batch_size=_rows_at_a_time(names),
                batch_readahead=2,  # more would not be bounded by what is asked for
                fragment_readahead=1,
                use_threads=False,
            )
            yield from (_table(self.origin, some, names) for some in rows if len(some))


def read_parquet(data: bytes, origin: str, *, may_be_empty: bool = False) -> Table:
    """Return the table in the bytes of a Parquet file."""
    with _whole(origin):
        found = _open(BytesIO(data)).read(use_threads=False)
        check_names(found.column_names, origin)
        if not (found.num_rows or may_be_empty) or not found.num_columns:
            raise GnriError(f"{origin} has no rows or no columns; it must have both")
        codes = {name for name in found.column_names if whole_numbers_beyond(found[name])}
        return _table(origin, found, found.column_names, codes)


def parquet_partitions(path: str) -> list[ParquetPartition]:
    """Return a file cut between its row groups; none if it has no rows."""
    with _whole(path):
        metadata = _open(path).metadata
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


def dataset_partitions(dataset: Any) -> list[FragmentPartition]:
    """Return the fragments of a dataset, large Parquet files cut between their row groups."""
    check_names(list(dataset.schema.names), "the dataset")
    try:
        fragments = list(dataset.get_fragments())
    except ValueError as error:  # pyarrow keeps the parts of a filtered dataset to itself
        raise GnriError(
            f"the dataset cannot be read in parts: {error} Write the rows you want to files"
        ) from None
    found = [
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
    with _whole(fragment.path):
        few = fragment.metadata.num_rows <= ROWS_OF_A_PARTITION
    return [fragment] if few else list(fragment.split_by_row_group())


def _types(schema: Any) -> dict[str, str]:
    return {field.name: name_type(field.type) for field in schema}


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
