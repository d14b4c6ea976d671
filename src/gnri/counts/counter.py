"""Count the rows of each class where row expressions hold: in memory, a file or on workers."""

from collections.abc import Callable, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property, partial
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts import block as on_block
from gnri.counts.blocks import Blocks, MemoryBlocks
from gnri.rules.row_expression import EVERYTHING, Rows

_MAX_CACHED = 1 << 22  # numbers in a cache


class Counter:
    """Count the rows of each class where the expression `within` is true; cache the counts.

    Where classes have weights, a row counts as `row_copies` copies on average: as evidence, so many
    copies are worth one row. `class_copies` are those of a row of each class, divided by the least.

    >>> from gnri.rules.row_expression import cover
    >>> counter = Counter.from_values(np.array([[1], [1], [-1]], np.int8), np.array([1, 0, 0]), 2)
    >>> counter.rows.tolist(), counter.sizes([cover([0])]).tolist()
    ([2, 1], [[1, 1]])
    """

    def __init__(self, blocks: Blocks, within: Rows = EVERYTHING, row_copies: float = 1.0) -> None:
        self.blocks, self.within, self.row_copies = blocks, within, row_copies
        self.class_copies: Sequence[Fraction] = ()
        self._sizes = _Cache(lambda where: self._count(where, np.empty(0, np.intp))[..., -1])
        self._digests = _Cache(self._digest)
        self._counts: dict[int, _LiteralCounts] = {}  # by id of the literals
        self.known_classes: dict[Any, Any] = {}
        """What `find_classes` found; clauses and points are learnt from the same classes."""

    @classmethod
    def from_values(
        cls, values: NDArray[np.int8], codes: NDArray[np.integer], classes: int
    ) -> "Counter":
        """Return the counter of rows in memory, from their atoms and class codes."""
        return cls(MemoryBlocks([on_block.block_from_values(values, codes, classes)]))

    def sizes(self, where: Sequence[Rows]) -> NDArray[np.int64]:
        """Return the rows of each class in each expression: (where, classes)."""
        return self._sizes.look_up(where)

    def counts(self, where: Sequence[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the same, of rows where a literal is true as well: (where, classes, literals)."""
        known = self._counts.get(id(literals))
        if known is None:
            known = _LiteralCounts(self._count, literals, int(self.rows.sum()))
            self._counts[id(literals)] = known
        return known.look_up(where)

    def without(self, taken: Rows) -> "Counter":
        """Return the counter of the rows that are not in `taken`."""
        found = Counter(self.blocks, self.within & ~taken, self.row_copies)
        found.class_copies = self.class_copies
        return found

    def with_class_copies(self, copies: Sequence[float]) -> "Counter":
        """Return the counter, told that it holds so many copies of each row of a class.

        Only their ratios count. `row_copies` becomes their mean over the counted rows.
        """
        shares = [Fraction(one) / Fraction(min(copies)) for one in copies]
        rows = self.rows.tolist()
        found = copy(self)
        found.class_copies = shares
        found.row_copies = float(sum(map(mul, shares, rows)) / sum(rows))
        return found

    def _count(self, where: list[Rows], literals: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the counts of the literals; the last entry counts the rows of the expression."""
        inside = self._inside(where)
        return self.blocks.total(partial(on_block.counts, where=inside, literals=literals))

    def _inside(self, where: Sequence[Rows]) -> list[Rows]:
        return [rows & self.within for rows in where]

    def _digest(self, where: list[Rows]) -> NDArray[np.uint8]:
        by_block = self.blocks.each(partial(on_block.row_digests, where=self._inside(where)))
        return on_block.digest_arrays(np.stack(list(by_block), axis=1))

    def digests(self, where: Sequence[Rows]) -> list[bytes]:
        """Return a digest for each expression; expressions with the same rows have the same one."""
        return [digest.tobytes() for digest in self._digests.look_up(where)]

    def code_sums(
        self, literals: NDArray[np.intp], codes: NDArray[np.uint64], roles: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Return the sums of one round of colour refinement; see `literal_codes`."""
        work = partial(on_block.code_sums, within=self.within, literals=literals)
        return self.blocks.total(partial(work, codes=codes, roles=roles))

    def row_numbers(self, where: Rows) -> NDArray[np.intp] | None:
        """Return the indices of these rows, sorted, or None where they are not in memory."""
        block = self.blocks.whole
        if block is None or block.numbers is None:
            return None
        return on_block.find_rows(block, where & self.within)[2]

    def table(self) -> tuple[NDArray[np.int8], NDArray[np.intp]] | None:
        """Return the atoms (rows, atoms) and class of each row, or None if not in memory."""
        block = self.blocks.whole
        if block is None:
            return None
        bits, classes, _ = on_block.find_rows(block, self.within)
        truth = np.take(on_block.unpack(block.words), bits, axis=1).view(np.int8)
        return np.ascontiguousarray((truth[::2] - truth[1::2]).T), classes

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The number of rows of each class."""
        return self.sizes([EVERYTHING])[0]


class _Cache:
    """Results of `count` by row expression, cleared when there are too many."""

    def __init__(self, count: Callable[[list[Rows]], NDArray[Any]]) -> None:
        self._count = count
        self._known: dict[Rows, NDArray[Any]] = {}

    def look_up(self, where: Sequence[Rows]) -> NDArray[Any]:
        """Return the result of each expression; count only those that are not known."""
        known = self._known
        fresh = [rows for rows in dict.fromkeys(where) if rows not in known]
        if fresh:
            known |= zip(fresh, self._count(fresh), strict=True)
        results = np.stack([known[rows] for rows in where])
        if len(known) * results[0].size > _MAX_CACHED:
            known.clear()
        return results


class _LiteralCounts(_Cache):
    """Counts of some literals.

    If an atom has no missing cells, only one of its two literals is counted. The count of the
    other literal is the number of rows minus that count.
    """

    def __init__(
        self,
        count: Callable[[list[Rows], NDArray[np.intp]], NDArray[np.int64]],
        literals: NDArray[np.intp],
        rows: int,
    ) -> None:
        super().__init__(lambda where: self._complete(count(where, self._counted)))
        self.literals = literals  # keep the array alive: `Counter` finds this cache by its id
        first = count([EVERYTHING], literals)[..., :-1]
        self._known[EVERYTHING] = first[0]
        true = first[0].sum(axis=0)
        place = {literal: i for i, literal in enumerate(literals.tolist())}
        other = np.array([place.get(literal ^ 1, -1) for literal in place], np.intp)
        self._opposite = (literals % 2 == 1) & (other >= 0) & (true + true[other] == rows)
        needed = np.where(self._opposite, literals ^ 1, literals)
        self._counted, self._places = np.unique(needed, return_inverse=True)

    def _complete(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts of all literals; the last entry of `found` is the number of rows."""
        own, size = found[..., :-1][..., self._places], found[..., -1:]
        return np.where(self._opposite, size - own, own)
