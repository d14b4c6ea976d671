"""Rows as packed blocks: each literal a bit, each class in words of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, pack
from gnri.data.encode import column_truths
from gnri.data.schema import Schema
from gnri.data.sources import Partition
from gnri.data.table import Table
from gnri.data.target import Target


@dataclass(frozen=True, eq=False)
class Packing:
    """What it takes to pack a partition: the atoms and the target."""

    schema: Schema
    target: Target

    def blocks(self, partition: Partition) -> Iterator[Block]:
        """Return the rows of a partition, those that are alike together."""
        names = [self.target.name, *self.schema.columns]
        from gnri.counts.patterns import collapse

        return collapse(self.block(batch) for batch in partition.batches(names) if batch.rows)

    def block(self, table: Table) -> Block:
        """Return all rows of a table."""
        codes = self.target.encode(table[self.target.name])
        return replace(
            pack_table(self.schema, table, codes, len(self.target.classes)), numbers=None
        )


def pack_table(schema: Schema, table: Table, codes: NDArray[np.intp], classes: int) -> Block:
    """Return the block of all rows of a table, from its columns and the place of each class."""
    order = [np.flatnonzero(codes == kind) for kind in range(classes)]
    bounds = np.cumsum([0, *(-(-len(rows) // WORD) for rows in order)]).tolist()
    present = _pack_classes(np.ones((1, len(codes)), np.bool_), order)[0]
    words = np.empty((2 * len(schema.atoms), bounds[-1]), np.uint64)
    for place, positive, known in column_truths(schema, table):
        seen = present if known is None else _pack_classes(known[None], order)
        words[::2][place] = _pack_classes(positive, order)
        words[1::2][place] = seen & ~words[::2][place]
    return Block(words, present, tuple(bounds), numbers=np.concatenate(order))


def _pack_classes(
    truth: NDArray[np.bool_], order: Sequence[NDArray[np.intp]]
) -> NDArray[np.uint64]:
    """Return truth (k, rows) as words (k, words), the rows of each class in words of their own."""
    # No place needs to be checked, as none is outside.
    parts = (np.take(truth, rows, axis=1, mode="clip") for rows in order)
    return np.concatenate([pack(part) for part in parts], axis=1)
