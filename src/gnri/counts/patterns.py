"""Equal rows, kept once with a weight.

A pattern that n rows share goes into a block of weight 2^k for each bit k of n. So the blocks of
a table with few patterns grow with the logarithm of its rows, and no count changes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, make_block, pack_bytes, unpack

MAX_PATTERNS = 1 << 17
"""Patterns after which further rows are kept as they are."""

TRIAL_ROWS = 1 << 15
"""Rows after which further ones are kept as they are if nearly all rows differ."""

Patterns = list[tuple[NDArray[np.uint64], NDArray[np.int64]]]
"""For each class its patterns, a word each, and how many rows each stands for."""


def collapse(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same rows in fewer words where many are equal.

    Blocks of more than 64 literals are left as they are.
    """
    found: list[Patterns] = []
    literals, waiting = 0, iter(blocks)
    for block in waiting:
        literals = len(block.words)
        if literals > WORD:
            yield block
            break
        found = [_merge([*found, _patterns(block)])]
        if _too_many(found[0]):
            break
    for patterns in found:
        yield from _blocks(patterns, literals)
    yield from waiting


def _patterns(block: Block) -> Patterns:
    """Return each row of a block as a pattern."""
    found = []
    for first, end in pairwise(block.bounds):
        there = unpack(block.present[None, first:end])[0].astype(bool)
        keys = np.zeros((np.count_nonzero(there), WORD // 8), np.uint8)
        packed = pack_bytes(unpack(block.words[:, first:end])[:, there])
        keys[:, : len(packed)] = packed.T
        found.append((keys.view(np.uint64)[:, 0], np.full(len(keys), block.weight, np.int64)))
    return found


def _merge(several: list[Patterns]) -> Patterns:
    """Return each pattern of a class once, with the number of all its rows."""
    found = []
    for parts in zip(*several, strict=True):
        keys, times = (np.concatenate(part) for part in zip(*parts, strict=True))
        distinct, places = np.unique(keys, return_inverse=True)
        # Sums of whole numbers, exact in float64 up to 2^53 rows.
        found.append((distinct, np.bincount(places, times, len(distinct)).astype(np.int64)))
    return found


def _too_many(patterns: Patterns) -> bool:
    """Return whether there are too many patterns, or nearly as many as rows."""
    size = sum(len(keys) for keys, _ in patterns)
    rows = sum(int(times.sum()) for _, times in patterns)
    return size > MAX_PATTERNS or (rows >= TRIAL_ROWS and 10 * size > 9 * rows)


def _blocks(patterns: Patterns, literals: int) -> Iterator[Block]:
    """Yield the rows as blocks, one for each power of two."""
    most = max((int(times.max(initial=0)) for _, times in patterns), default=0)
    for bit in range(most.bit_length()):
        chosen = [keys[(times >> bit) & 1 == 1] for keys, times in patterns]
        if any(map(len, chosen)):
            block = make_block([_truth(keys, literals) for keys in chosen])
            yield replace(block, weight=1 << bit)


def _truth(keys: NDArray[np.uint64], literals: int) -> NDArray[np.bool_]:
    """Return the truth of each literal in each pattern: (literals, patterns)."""
    packed = keys.view(np.uint8).reshape(len(keys), WORD // 8)
    return np.unpackbits(packed, axis=1)[:, :literals].T.astype(np.bool_)
