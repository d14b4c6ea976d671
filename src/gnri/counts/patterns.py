"""Rows that are alike, counted once and weighed.

A pattern that n rows share is put into a block of weight 2^k for each bit k of n. So the blocks of
a table with few patterns grow with the logarithm of its rows, and all counts stay what they were.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, block_of, unpack

MOST = 1 << 17
"""Patterns that are looked for; where there are more, further rows are kept as they are."""

SOME = 1 << 15
"""Rows from which it is told whether they are alike at all."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The different rows of each class, each as one word, and how many rows each stands for."""

    keys: list[NDArray[np.uint64]]
    times: list[NDArray[np.int64]]
    literals: int

    def __len__(self) -> int:
        return sum(map(len, self.keys))

    @property
    def hopeless(self) -> bool:
        """Whether nearly all rows of some thousands differ."""
        rows = sum(int(times.sum()) for times in self.times)
        return rows >= SOME and 10 * len(self) > 9 * rows

    def __add__(self, other: "Patterns") -> "Patterns":
        kinds = range(len(self.keys))
        keys = [np.concatenate([self.keys[i], other.keys[i]]) for i in kinds]
        times = [np.concatenate([self.times[i], other.times[i]]) for i in kinds]
        return _merged(keys, times, self.literals)

    def blocks(self) -> Iterator[Block]:
        """The rows again, a block for each power of two."""
        most = max((int(times.max(initial=0)) for times in self.times), default=0)
        for bit in range(most.bit_length()):
            chosen = [
                keys[(times >> bit) & 1 == 1]
                for keys, times in zip(self.keys, self.times, strict=True)
            ]
            if any(map(len, chosen)):
                block = block_of([_truth(keys, self.literals) for keys in chosen])
                yield replace(block, weight=1 << bit)


def collapsed(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same rows in fewer words where many are alike; blocks of more than 64 literals as is."""
    found: Patterns | None = None
    waiting = iter(blocks)
    for block in waiting:
        if len(block.words) > WORD:
            yield block
            break
        found = patterns_of(block) if found is None else found + patterns_of(block)
        if len(found) > MOST or found.hopeless:
            break
    if found is not None:
        yield from found.blocks()
    yield from waiting


def patterns_of(block: Block) -> Patterns:
    """The patterns of a block."""
    keys, times = [], []
    for first, end in pairwise(block.bounds):
        there = unpack(block.present[None, first:end])[0].astype(bool)
        octets = np.packbits(unpack(block.words[:, first:end])[:, there], axis=0)
        padded = np.zeros((octets.shape[1], WORD // 8), np.uint8)
        padded[:, : len(octets)] = octets.T
        keys.append(padded.view(np.uint64)[:, 0])
        times.append(np.full(len(padded), block.weight, np.int64))
    return _merged(keys, times, len(block.words))


def _merged(
    keys: list[NDArray[np.uint64]], times: list[NDArray[np.int64]], literals: int
) -> Patterns:
    """Each key once, with all its times."""
    found = [np.unique(part, return_inverse=True) for part in keys]
    totals = [  # sums of whole numbers, exact in float64 up to 2^53 rows
        np.bincount(places, some, len(distinct)).astype(np.int64)
        for (distinct, places), some in zip(found, times, strict=True)
    ]
    return Patterns([distinct for distinct, _ in found], totals, literals)


def _truth(keys: NDArray[np.uint64], literals: int) -> NDArray[np.bool_]:
    """The truth of each literal in each pattern: (literals, patterns)."""
    octets = keys.view(np.uint8).reshape(len(keys), WORD // 8)
    return np.unpackbits(octets, axis=1)[:, :literals].T.astype(np.bool_)
