"""Rows as packed blocks: each literal a bit, each class in words of its own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import (
    WORD,
    Block,
    leading_atoms,
    make_block,
    pack,
    pack_bytes,
    sort_rows,
    unpack,
)
from gnri.data.encode import column_truths, encode
from gnri.data.schema import Schema
from gnri.data.sources import Partition
from gnri.data.table import Table
from gnri.data.target import Target

MAX_PATTERNS = 1 << 17
"""Patterns after which further rows are kept as they are."""

TRIAL_ROWS = 1 << 15
"""Rows after which further ones are kept as they are if nearly all rows differ."""

Patterns = list[tuple[NDArray[np.uint64], NDArray[np.int64]]]
"""For each class its patterns, a word each, and how many rows each stands for."""


@dataclass(frozen=True, eq=False)
class Packing:
    """What it takes to pack a partition: the atoms and the target."""

    schema: Schema
    target: Target

    def blocks(self, partition: Partition) -> Iterator[Block]:
        """Return the rows of a partition, those that are alike together."""
        return collapse(self._pack(partition))

    def _pack(self, partition: Partition) -> Iterator[Block]:
        for table in partition.batches([self.target.name, *self.schema.columns]):
            codes = self.target.encode(table[self.target.name])
            if (codes >= 0).any():
                block = pack_table(self.schema, table, codes, len(self.target.classes))
                yield replace(block, numbers=None, weight=table.times)


def pack_table(schema: Schema, table: Table, codes: NDArray[np.intp], classes: int) -> Block:
    """Return the block of the rows of a table that have a class, from its columns and these."""
    leading = leading_atoms(table.rows, lambda some: encode(schema, table.take(some)))
    atoms = np.sort(leading)  # so that each column is read once
    values = encode(Schema(tuple(schema.atoms[i] for i in atoms)), table)
    order = sort_rows(values.T[np.searchsorted(atoms, leading)] > 0, codes, classes)
    rows, bounds = np.concatenate(order), np.cumsum([0, *map(len, order)]).tolist()
    present = _pack_classes(np.ones((1, len(rows)), np.bool_), bounds)[0]
    words = np.empty((2 * len(schema.atoms), len(present)), np.uint64)
    for place, positive, known in column_truths(schema, table, rows):
        seen = present if known is None else _pack_classes(np.atleast_2d(known), bounds)
        words[::2][place] = _pack_classes(positive, bounds)
        words[1::2][place] = seen & ~words[::2][place]
    ends = np.cumsum([0, *(-(-len(some) // WORD) for some in order)]).tolist()
    return Block(words, present, tuple(ends), numbers=rows)


def _pack_classes(truth: NDArray[np.bool_], bounds: Sequence[int]) -> NDArray[np.uint64]:
    """Return truth (k, rows) as words (k, words), the rows of each class in words of their own."""
    return np.concatenate([pack(truth[:, first:end]) for first, end in pairwise(bounds)], axis=1)


def collapse(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same rows in fewer words where many are equal, each kept once with a weight.

    A pattern that n rows share goes into a block of weight 2^k for each bit k of n. Blocks of more
    than 64 literals are left as they are.
    """
    found: Patterns = []
    literals, waiting = 0, iter(blocks)
    for block in waiting:
        literals = len(block.words)
        if literals > WORD:
            yield block
            break
        found = _add_patterns(found, block)
        size = sum(len(keys) for keys, _ in found)
        rows = sum(int(times.sum()) for _, times in found)
        # Too many patterns, or nearly as many as rows.
        if size > MAX_PATTERNS or (rows >= TRIAL_ROWS and 10 * size > 9 * rows):
            break
    yield from _blocks(found, literals)
    yield from waiting


def _add_patterns(known: Patterns, block: Block) -> Patterns:
    """Return the known patterns and those of the rows of a block, each of a class once."""
    found = []
    none = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    for i, (first, end) in enumerate(pairwise(block.bounds)):
        there = unpack(block.present[None, first:end])[0].astype(bool)
        rows = np.zeros((np.count_nonzero(there), WORD // 8), np.uint8)
        packed = pack_bytes(unpack(block.words[:, first:end])[:, there])
        rows[:, : len(packed)] = packed.T
        keys, times = known[i] if known else none
        times = np.concatenate([times, np.full(len(rows), block.weight)])
        distinct, places = np.unique(
            np.concatenate([keys, rows.view(np.uint64)[:, 0]]), return_inverse=True
        )
        # Sums of whole numbers, exact in float64 up to 2^53 rows.
        found.append((distinct, np.bincount(places, times, len(distinct)).astype(np.int64)))
    return found


def _blocks(patterns: Patterns, literals: int) -> Iterator[Block]:
    """Yield the rows as blocks, one for each power of two."""
    most = max((int(times.max(initial=0)) for _, times in patterns), default=0)
    for bit in range(most.bit_length()):
        chosen = [keys[(times >> bit) & 1 == 1] for keys, times in patterns]
        if any(map(len, chosen)):
            truth = [unpack(keys[:, None])[:, :literals].T.astype(np.bool_) for keys in chosen]
            yield replace(make_block(truth), weight=1 << bit)
