"""Counts by class of the rows that row expressions stand for, wherever the rows are."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

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
        self._sizes, self._answers = _Memory(self._count_sizes), _Memory(self._digest)
        self._counts: dict[int, _LiteralCounts] = {}  # by the identity of the literals

    @classmethod
    def from_values(
        cls, values: NDArray[np.int8], codes: NDArray[np.integer], classes: int
    ) -> "Counter":
        """Return the counter of rows in memory, from their atoms and the place of each class."""
        return cls(MemoryBlocks([on_block.block_from_values(values, codes, classes)]))

    def sizes(self, where: Sequence[Rows]) -> NDArray[np.int64]:
        """Return the rows of each class: (where, classes)."""
        return self._sizes.answer(where)

    def counts(self, where: Sequence[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return those where each literal is true besides: (where, classes, literals)."""
        known = self._counts.get(id(literals))
        if known is None:
            known = _LiteralCounts(self._count_literals, literals, int(self.rows.sum()))
            self._counts[id(literals)] = known
        return known.answer(where)

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

    def _digest(self, where: list[Rows]) -> NDArray[np.uint8]:
        by_block = self.blocks.listed(partial(on_block.answers, where=self._inside(where)))
        return on_block.digests(np.stack(by_block, axis=1))

    def answers(self, where: Sequence[Rows]) -> list[bytes]:
        """Return a digest of the rows in each of these: equal where these are the same rows."""
        return [digest.tobytes() for digest in self._answers.answer(where)]

    def code_sums(
        self, literals: NDArray[np.intp], codes: NDArray[np.uint64], roles: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Return what a round of colour refinement sums up; see `literal_codes`."""
        work = partial(on_block.code_sums, within=self.within, literals=literals)
        return self.blocks.total(partial(work, codes=codes, roles=roles))

    def row_numbers(self, where: Rows) -> NDArray[np.intp] | None:
        """Return which rows these are, in order; None where the rows are not in memory."""
        block = self.blocks.whole
        if block is None or block.numbers is None:
            return None
        return on_block.find_rows(block, where & self.within)[2]

    def table(self) -> tuple[NDArray[np.int8], NDArray[np.intp]] | None:
        """Return the rows as atoms, and their classes; None where they are not in memory."""
        block = self.blocks.whole
        if block is None:
            return None
        bits, classes, _ = on_block.find_rows(block, self.within)
        truth = np.take(on_block.unpack(block.words), bits, axis=1).view(np.int8)
        return np.ascontiguousarray((truth[::2] - truth[1::2]).T), classes

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of each class."""
        return self.sizes([EVERYTHING])[0]


class _Memory:
    """What `count` says of row expressions, as many as there is room for."""

    def __init__(self, count: Callable[[list[Rows]], NDArray[Any]]) -> None:
        self._count = count
        self._known: dict[Rows, NDArray[Any]] = {}

    def answer(self, where: Sequence[Rows]) -> NDArray[Any]:
        """Return what is said of each expression; only those that are not known are counted."""
        known = self._known
        fresh = [rows for rows in dict.fromkeys(where) if rows not in known]
        if fresh:
            known |= zip(fresh, self._count(fresh), strict=True)
        answers = np.stack([known[rows] for rows in where])
        if len(known) * answers[0].size > _REMEMBERED:
            known.clear()
        return answers


class _LiteralCounts(_Memory):
    """Counts of some literals, of which as few are counted as are enough to know all.

    Of an atom that is known on every row, the rows where it is true and those where it is false
    are all rows of any expression: one literal is counted, and the other one follows.
    """

    def __init__(
        self,
        count: Callable[[list[Rows], NDArray[np.intp]], NDArray[np.int64]],
        literals: NDArray[np.intp],
        rows: int,
    ) -> None:
        super().__init__(lambda where: self._complete(count(where, self._counted)))
        self.literals = literals
        first = count([EVERYTHING], literals)[..., :-1]
        self._known[EVERYTHING] = first[0]
        true = first[0].sum(axis=0)
        place = {literal: i for i, literal in enumerate(literals.tolist())}
        other = np.array([place.get(literal ^ 1, -1) for literal in place], np.intp)
        self._opposite = (literals % 2 == 1) & (other >= 0) & (true + true[other] == rows)
        needed = np.where(self._opposite, literals ^ 1, literals)
        self._counted, self._places = np.unique(needed, return_inverse=True)

    def _complete(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts of all literals, from (..., counted + 1) with the number of rows."""
        own, size = found[..., :-1][..., self._places], found[..., -1:]
        return np.where(self._opposite, size - own, own)
