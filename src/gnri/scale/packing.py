"""Rows of Arrow batches as packed blocks: each atom a bit, each class in words of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, pack
from gnri.counts.patterns import collapsed
from gnri.data.arrow import from_arrow
from gnri.data.encode import truth
from gnri.data.schema import Schema
from gnri.data.target import Target
from gnri.scale.parts import Part


@dataclass(frozen=True, eq=False)
class Packing:
    """What it takes to pack a part: the atoms and the target."""

    schema: Schema
    target: Target

    def blocks(self, part: Part) -> Iterator[Block]:
        """The rows of a part, those that are alike together."""
        return collapsed(self._batches(part))

    def _batches(self, part: Part) -> Iterator[Block]:
        for batch in part.batches([self.target.name, *self.schema.columns]):
            if len(batch):
                yield self.block(batch, part.text)

    def block(self, batch: Any, text: bool) -> Block:
        """The rows of a batch."""
        name = self.target.name
        codes = self.target.encode(from_arrow(name, batch.column(name), text=text))
        order = [np.flatnonzero(codes == kind) for kind in range(len(self.target.classes))]
        bounds = np.cumsum([0, *(-(-len(rows) // WORD) for rows in order)]).tolist()
        present = _packed(np.ones((1, len(codes)), np.bool_), order)[0]
        words = np.empty((2 * len(self.schema.atoms), bounds[-1]), np.uint64)
        place = 0
        for name, group in groupby(self.schema.atoms, key=lambda atom: atom.column):
            atoms = list(group)
            positive, known = truth(atoms, from_arrow(name, batch.column(name), text=text))
            mine = words[2 * place : 2 * (place + len(atoms))]
            mine[::2] = _packed(positive, order)
            seen = present if known is None else _packed(known[None], order)
            mine[1::2] = seen & ~mine[::2]
            place += len(atoms)
        return Block(words, present, tuple(bounds))


def _packed(truth: NDArray[np.bool_], order: Sequence[NDArray[np.intp]]) -> NDArray[np.uint64]:
    """Truth (k, rows) as words (k, words), the rows of each class in words of their own."""
    # No place needs to be checked, as none is outside.
    parts = (np.take(truth, rows, axis=1, mode="clip") for rows in order)
    return np.concatenate([pack(part) for part in parts], axis=1)
