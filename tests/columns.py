"""Labels and value counts of tables, as tests compare them."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.executors import merge_counts
from gnri.data.sources import Partition
from gnri.data.table import Column, Table
from gnri.data.target import Target, are_labels, read_target, split_labelled
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError, shorten


def encode_target(column: Column) -> tuple[Target, NDArray[np.intp]]:
    """Return the target in a column, and the place of each row's class; raise if one has none."""
    counts, (known, doubtful) = count_values(column), split_labelled(column)
    if are_labels(counts):
        known |= doubtful
    if not known.all():
        row = int(known.argmin())
        cell = column.categories[column.values[row]] if column.categories else ""
        said = f" ({shorten(cell)} is read as missing)" if cell else ""
        raise GnriError(
            f"every row needs a label, but column {shorten(column.name)} has none in row {row + 1} "
            f"below the header{said}; fill it in, or drop the row"
        )
    found = read_target(counts)
    return found, found.encode(column)


def read_labels(table: Table, name: str) -> NDArray[Any]:
    """Return the class of each row, which the column of this name holds."""
    target, codes = encode_target(table[name])
    return target.classes[codes]


def count_partition(partition: Partition, names: Sequence[str]) -> list[ValueCounts]:
    """Return the value counts of each column in one partition."""
    batches = [
        [count_values(column, bounded=True) for column in batch.select(names).values()]
        for batch in partition.batches(names)
    ]
    if not batches:
        raise GnriError(f"{partition.origin} has no rows below its header; leave the file out")
    return reduce(merge_counts, batches)
