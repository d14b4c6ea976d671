"""Counts by class of the rows that row expressions stand for, wherever the rows are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gnri.counts import block as on_block
from gnri.counts.blocks import Blocks, MemoryBlocks
from gnri.rules.row_expression import EVERYTHING, Rows

_REMEMBERED = 1 << 22  # numbers kept for later


class Counter:
    """What can be asked of the rows `within` an expression, wherever they are: counts by class.

    What was asked lately is not counted again.

    >>> from gnri.rules.row_expression import cover
    >>> counter = Counter.from_values(np.array([[1], [1], [-1]], np.int8), np.array([1, 0, 0]), 2)
    >>> counter.rows.tolist(), counter.sizes([cover([0])]).tolist()
    ([2, 1], [[1, 1]])
    """

    def __init__(self, blocks: Blocks, within: Rows = EVERYTHING) -> None:
        self.blocks, self.within = blocks, within
        self._sizes = _Memory()
        self._counts: dict[int, tuple[Complements, _Memory]] = {}  # by the identity of the literals

    @classmethod
    def from_values(
        cls, values: NDArray[np.int8], codes: NDArray[np.integer], classes: int
    ) -> "Counter":
        """Return the counter of rows in memory, from their atoms and the place of each class."""
        return cls(MemoryBlocks([on_block.block_from_values(values, codes, classes)]))

    def sizes(self, where: Sequence[Rows]) -> NDArray[np.int64]:
        """Rows of each class: (where, classes)."""
        return self._sizes.answer(where, self._count_sizes)

    def counts(self, where: Sequence[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
        """Those where each literal is true besides: (where, classes, literals)."""
        if id(literals) not in self._counts:
            self._counts[id(literals)] = self._first_counts(literals)
        half, memory = self._counts[id(literals)]
        return memory.answer(
            where, lambda fresh: half.whole(self._count_literals(fresh, half.counted))
        )

    def _first_counts(self, literals: NDArray[np.intp]) -> "tuple[Complements, _Memory]":
        """What to count of the literals, seen by counting all of them once."""
        memory = _Memory()
        found = self._count_literals([EVERYTHING], literals)[..., :-1]
        memory.answer([EVERYTHING], lambda _: found)
        return find_complements(literals, found[0].sum(axis=0), int(self.rows.sum())), memory

    def without(self, taken: Rows) -> "Counter":
        """Return the same of the rows that are not taken."""
        return Counter(self.blocks, self.within & ~taken)

    def _count_sizes(self, where: list[Rows]) -> NDArray[np.int64]:
        return self.blocks.total(partial(on_block.sizes, where=self._inside(where)))

    def _count_literals(self, where: list[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
        inside = self._inside(where)
        return self.blocks.total(partial(on_block.counts, where=inside, literals=literals))

    def _inside(self, where: Sequence[Rows]) -> list[Rows]:
        return [rows & self.within for rows in where]

    def answers(self, where: Sequence[Rows]) -> list[bytes]:
        """A digest of the rows in each of these: equal where these are the same rows."""
        work = partial(on_block.answers, where=self._inside(where))
        return _joined(self.blocks.listed(work))

    @cached_property
    def literal_answers(self) -> list[bytes]:
        """The same for each literal."""
        return _joined(self.blocks.listed(partial(on_block.literal_answers, within=self.within)))

    def code_sums(
        self, literals: NDArray[np.intp], codes: NDArray[np.uint64], roles: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """A round of colour refinement; see `block.code_sums`."""
        work = partial(on_block.code_sums, within=self.within, literals=literals)
        return self.blocks.total(partial(work, codes=codes, roles=roles))

    def row_numbers(self, where: Rows) -> NDArray[np.intp] | None:
        """Return which rows these are, in order; None where the rows are not in memory."""
        block = self.blocks.whole
        if block is None or block.numbers is None:
            return None
        return on_block.row_numbers(block, where & self.within)

    def table(self) -> tuple[NDArray[np.int8], NDArray[np.intp]] | None:
        """Return the rows, in order, and their classes; None where they are not in memory."""
        block = self.blocks.whole
        return None if block is None else on_block.rows_of(block, self.within)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of each class."""
        return self.sizes([EVERYTHING])[0]


class _Memory:
    """Counts of row expressions, as many as there is room for."""

    def __init__(self) -> None:
        self._known: dict[Rows, NDArray[np.int64]] = {}

    def answer(
        self, where: Sequence[Rows], count: Callable[[list[Rows]], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """What `count` says of each expression; it is asked only for those that are not known."""
        known = self._known
        fresh = [rows for rows in dict.fromkeys(where) if rows not in known]
        if fresh:
            found = count(fresh)
            known |= zip(fresh, found, strict=True)
        answers = np.stack([known[rows] for rows in where])
        if len(known) * answers[0].size > _REMEMBERED:
            known.clear()
        return answers


@dataclass(frozen=True, eq=False)
class Complements:
    """Some literals, and of which of them the counts are enough to know all.

    Of an atom that is known on every row, the rows where it is true and those where it is false
    are all rows of any expression: one literal is counted, and the other one follows.
    """

    literals: NDArray[np.intp]
    counted: NDArray[np.intp]
    places: NDArray[np.intp]  # for each literal, the one of `counted` that it follows from
    opposite: NDArray[np.bool_]  # whether it is true where that one is not

    def whole(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts of all literals, from (..., counted + 1) with the number of rows."""
        own, size = found[..., :-1][..., self.places], found[..., -1:]
        return np.where(self.opposite, size - own, own)


def find_complements(literals: NDArray[np.intp], true: NDArray[np.int64], rows: int) -> Complements:
    """Return what to count of literals that are true on so many of all rows.

    >>> find_complements(np.arange(4), np.array([3, 5, 3, 4]), 8).counted
    array([0, 2, 3])
    """
    place = {literal: i for i, literal in enumerate(literals.tolist())}
    other = np.array([place.get(literal ^ 1, -1) for literal in place], np.intp)
    opposite = (literals % 2 == 1) & (other >= 0) & (true + true[other] == rows)
    counted, places = np.unique(np.where(opposite, literals ^ 1, literals), return_inverse=True)
    return Complements(literals, counted, places, opposite)


def _joined(by_block: list[list[bytes]]) -> list[bytes]:
    """The digests of all blocks as one, for each of what they are digests of."""
    size = on_block.DIGEST
    parts = zip(*by_block, strict=True)
    return [blake2b(b"".join(part), digest_size=size).digest() for part in parts]
