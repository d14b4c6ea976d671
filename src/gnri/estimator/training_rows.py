"""Training rows, in memory or in parts, as atoms and classes that are ready to be counted."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.packing import Packing, pack_table
from gnri.data.encode import encode
from gnri.data.schema import Schema
from gnri.data.sources import Partition
from gnri.data.table import Table
from gnri.data.target import Target
from gnri.data.value_counts import ValueCounts

if TYPE_CHECKING:
    from gnri.counts.executors import Executor


def count_table(schema: Schema, table: Table, codes: NDArray[np.intp], classes: int) -> Counter:
    """Return a counter of the rows of a table in memory."""
    return Counter(MemoryBlocks([pack_table(schema, table, codes, classes)]))


@dataclass
class Parts:
    """A table in parts: how to pack its rows, and how often it was read."""

    executor: "Executor"
    partitions: Sequence[Partition]
    target: Target
    reads: int = 1  # to count values

    @contextmanager
    def pack(self, schema: Schema) -> Iterator[Counter]:
        """Yield a counter of the rows, which are packed until the end."""
        self.reads += 1
        with self.executor.pack(self.partitions, Packing(schema, self.target)) as blocks:
            yield Counter(blocks)


class Rows(NamedTuple):
    """The rows of a source as atoms and classes, ready to be counted."""

    schema: Schema
    target: Target
    counter: Counter
    missing: dict[str, int]
    values: NDArray[np.int8] | None = None
    codes: NDArray[np.intp] | None = None
    table: Table | None = None
    twins: Mapping[str, str] | None = None  # those left out, each with one that says the same
    counts: Sequence[ValueCounts] = ()  # of each column
    parts: Parts | None = None

    def pack(self, schema: Schema) -> AbstractContextManager[Counter]:
        """Return a counter of the same rows with other atoms."""
        if self.parts is not None:
            return self.parts.pack(schema)
        assert self.table is not None and self.codes is not None, "rows are in memory or in parts"
        return nullcontext(count_table(schema, self.table, self.codes, len(self.target.classes)))

    @contextmanager
    def recode(self, schema: Schema) -> Iterator["Rows"]:
        """Yield the same rows with other atoms."""
        values = None if self.table is None else encode(schema, self.table)
        with self.pack(schema) as counter:
            yield self._replace(schema=schema, counter=counter, values=values)
