"""How fast packed rows are counted, beside how fast this machine reads memory at all."""

from dataclasses import dataclass
from time import process_time

import numpy as np

from gnri.counts import block as on_block
from gnri.counts.block import Block
from gnri.rules.row_expression import EVERYTHING, cover

LITERALS, WORDS = 64, 1 << 18
"""A block of 16.8 million rows: 134 MB, more than any cache holds."""


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Bytes a second of one core: summed by numpy, and counted for one selection."""

    memory: float
    counting: float

    @property
    def rows(self) -> float:
        """Rows a second that are counted for one selection and 64 literals."""
        return self.counting / LITERALS * 8


def bandwidth(words: int = WORDS, rounds: int = 3) -> Bandwidth:
    """The best of some rounds of each."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 63, (LITERALS, words), np.uint64)
    present = np.full(words, (1 << 64) - 1, np.uint64)
    block = Block(bits, present, (0, words // 2, words))
    literals = np.arange(LITERALS)
    reading, counting = [], []
    for _ in range(rounds):
        start = process_time()
        bits.max()  # one comparison a word: as near to reading alone as numpy comes
        reading.append(process_time() - start)
        start = process_time()
        on_block.counts(block, [cover([0, 3]), EVERYTHING], literals)
        counting.append((process_time() - start) / 2)
    return Bandwidth(bits.nbytes / min(reading), bits.nbytes / min(counting))
