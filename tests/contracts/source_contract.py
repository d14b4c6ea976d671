"""What every source must do: give the same columns, and refuse the same tables, as any other."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
from pyarrow import parquet

from gnri.counts.executors import merge_counts
from gnri.data.sources import Source, TableSource, open_source, read_table
from gnri.data.table import Table, text_column
from gnri.data.target import read_target
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError
from tests.columns import count_partition

Columns = dict[str, list[str]]
"""Cells as text by name; an empty one is missing."""

GOOD: Columns = {
    "height (cm)": ["1.5", "", "-3", "1e3", "7", "7"],
    "odor": ["foul", "none", "", "a, b", 'say "so"', "é"],
    "ring": ["true", "false", "true", "", "true", "false"],
    "zone": ["007", "012", "007", "x", "", "012"],
    "label": ["yes", "no", "yes", "", "yes", "no"],
}
BAD: dict[str, tuple[Columns, str]] = {
    "no rows": ({"a": [], "label": []}, "no rows"),
    "a name twice": ({"a": ["1", "2"], "a ": ["1", "2"]}, "'a' more than once"),
    "no name": ({"a": ["1", "2"], "": ["1", "2"]}, "column 2 has none"),
    "an infinite number": ({"a": ["1", "inf"], "label": ["x", "y"]}, "column 'a' holds inf"),
    "no label": ({"a": ["1", "2"], "label": ["", ""]}, "no row has a label: column 'label' is em"),
    "one class": ({"a": ["1", "2"], "label": ["x", "x"]}, "at least 2 classes, got 1 class, 'x'"),
    "numbers for labels": ({"a": ["1", "2"], "label": ["1.5", "2"]}, "numbers such as 1.5"),
}
"""Tables that are refused, and what is said in any case."""

Open = Callable[[Columns, Path, Any], Source]


def delimited(columns: Columns, separator: str = ",") -> bytes:
    """The columns as text, every cell quoted."""
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    quoted = ([f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows)
    return "".join(separator.join(row) + "\n" for row in quoted).encode()


def arrow(columns: Columns) -> pa.Table:
    """The columns in the types that their cells are of."""
    decided = {name: text_column(name, cells).decided_kind for name, cells in columns.items()}
    arrays = [
        pa.array([_typed(cell, decided[name]) for cell in cells] or pa.array([], pa.string()))
        for name, cells in columns.items()
    ]
    return pa.Table.from_arrays(arrays, names=[name.strip() for name in columns])


def _typed(cell: str, kind: str) -> object:
    known = {"number": float, "flag": lambda text: text == "true", "category": str}
    return known[kind](cell) if cell else None


def _file(name: str, data: bytes, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _written(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out, row_group_size=2)
    return out.getvalue()


def _memory(columns: Columns, folder: Path, monkeypatch: Any) -> Source:
    return TableSource.of(read_table(_file("t.csv", delimited(columns), folder)))


def _input(columns: Columns, folder: Path, monkeypatch: Any) -> Source:
    given = io.TextIOWrapper(io.BytesIO(gzip.compress(delimited(columns))))
    monkeypatch.setattr("sys.stdin", given)
    return TableSource.of(read_table("-"))


def _dataset(columns: Columns, folder: Path, monkeypatch: Any) -> Source:
    table = arrow(columns)
    _file("t.parquet", _written(table), folder)
    return open_source(pa.dataset.dataset(folder, schema=table.schema))


SOURCES: dict[str, Open] = {
    "CSV in memory": _memory,
    "standard input": _input,
    "CSV in parts": lambda c, f, _: open_source(_file("t.csv", delimited(c), f)),
    "TSV": lambda c, f, _: open_source(_file("t.tsv", delimited(c, "\t"), f)),
    "gzip": lambda c, f, _: open_source(_file("t.csv.gz", gzip.compress(delimited(c)), f)),
    "Parquet in memory": lambda c, f, _: TableSource.of(
        read_table(_file("t.parquet", _written(arrow(c)), f))
    ),
    "Parquet in parts": lambda c, f, _: open_source(_file("t.parquet", _written(arrow(c)), f)),
    "Arrow dataset": _dataset,
}
"""How columns are put into each source."""


def plain_counts(source: Source) -> list[object]:
    """What is counted of each column, once it is decided; the last one is the target."""
    counts = _counts(source)
    read_target(counts[-1])
    return [plain(one.decide()) for one in counts]


def _counts(source: Source) -> list[ValueCounts]:
    parts = [count_partition(partition, source.names) for partition in source.partitions]
    found = parts[0]
    for part in parts[1:]:
        found = merge_counts(found, part)
    return found


def plain(one: ValueCounts) -> object:
    numbers = zip(one.numbers.lowest.tolist(), one.numbers.counts.tolist(), strict=True)
    return one.name, str(one.kind), dict(numbers), dict(one.values), one.missing


def expected(columns: Columns) -> list[object]:
    """The same, of the cells themselves."""
    found = (count_values(text_column(name, cells)) for name, cells in columns.items())
    return [plain(one.decide()) for one in found]


def cells(source: Source) -> Columns:
    """The text of each cell, of all batches in turn."""
    found: Columns = {name: [] for name in source.names}
    for partition in source.partitions:
        for batch in partition.batches(source.names):
            assert isinstance(batch, Table) and list(batch) == source.names
            for name, column in batch.items():
                found[name] += column.decide().texts()
    return found


def refusal(open_it: Callable[[], Source]) -> str:
    """What a table is refused with."""
    try:
        plain_counts(open_it())
    except GnriError as error:
        return str(error)
    raise AssertionError("it was taken")
