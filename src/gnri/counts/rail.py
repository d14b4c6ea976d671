"""A rail: one of the two search problems of a table, with one label as the target.

The search on a rail looks for clauses that cover the target rows and no other rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, digest_arrays, find_basis
from gnri.counts.counter import Counter
from gnri.rules.row_expression import EVERYTHING, Rows, cover, mix

Clause = frozenset[int]
"""A conjunction of literal classes, by their place in the problem."""

Masks = NDArray[np.uint64]
"""Sets of rows, along the last axis: words of bits, or one row expression as an object."""

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The numbers of target rows and of others."""

LOG_UNIT = 1 << 20
"""Logarithms are integers, in this fraction of a bit, so that equal counts give equal gains."""

_SPARSE_WORDS = 1 << 14  # words of a table from which it pays to skip the empty ones of a mask
_UNCACHED_WORDS = 1 << 11  # words of a table up to which it is faster to count again
_BATCH_WORDS = 1 << 17  # words counted at a time, so that they stay in the cache
_MASK_WORDS = 1 << 15  # the same for one mask
_MAX_CACHED_WORDS = 1 << 22  # words of covers, and numbers of counts, kept for later


class Rail(ABC):
    """What a search needs to know: how many target rows, and how many others, a mask holds.

    Masks are arrays with &, |, ~ and stacking. Nothing depends on the order of rows, and literal
    classes differ by their codes and prices only. A target row has the weight `weights[0]`, any
    other `weights[1]`. As evidence, `row_copies` of the counted rows are worth one; see `Counter`.
    """

    row_copies = 1.0

    words: Masks  # the mask of each literal class
    everything: Masks  # all rows: the cover of the empty clause

    def __init__(
        self, rows: tuple[int, int], weights: tuple[int, int], codes: NDArray[np.uint64]
    ) -> None:
        self.weights = weights
        self.target, self.rest = rows[0] * weights[0], rows[1] * weights[1]
        self.packed_size = len(codes) * sum(-(-some // WORD) for some in rows)
        """The number of words that the masks of all literal classes fill if packed."""
        self._set_prices(codes, np.zeros(len(codes), np.int64))

    def _set_prices(self, codes: NDArray[np.uint64], prices: NDArray[np.int64]) -> None:
        """Set codes and prices, and what is derived from them."""
        self.codes, self.prices = codes, prices
        self.cheapest = int(prices.min()) if len(prices) else 0
        distinct, ranks = np.unique(codes, return_inverse=True)
        self.ranks = ranks.astype(np.int64)
        self.tied = len(distinct) < len(codes)  # whether some classes look the same
        self._price, self._code = prices.tolist(), codes.tolist()  # quicker one at a time

    @abstractmethod
    def cover(self, clause: Clause) -> Masks:
        """Return the rows on which a clause is true."""

    @abstractmethod
    def size(self, masks: Masks) -> Counts:
        """Return how many target rows and how many others each mask holds."""

    @abstractmethod
    def count(self, masks: Masks) -> Counts:
        """Return these counts where each literal is true too: two arrays (masks, literals)."""

    @abstractmethod
    def mask_keys(self, masks: Masks) -> list[bytes]:
        """Return a key of each mask; the same rows have the same key, on either rail."""

    def information(
        self, target: NDArray[np.int64], rest: NDArray[np.int64], among: tuple[int, int]
    ) -> NDArray[np.int64]:
        """Return the FOIL gain of a clause that covers `target` and `rest` of the rows `among`.

        It is target * (log2(precision) - log2(precision on `among`)), times LOG_UNIT.
        """
        start = int(self._log(among[0]) - self._log(sum(among)))
        return target * (self._log(target) - self._log(target + rest) - start)

    def _log(self, counts: NDArray[np.int64] | int) -> NDArray[np.int64]:
        return _log2(counts)

    def price(self, clause: Clause) -> int:
        """Return the sum of the prices in a clause."""
        return sum([self._price[literal] for literal in clause])

    def code(self, clause: Clause) -> int:
        """Return a 64-bit code of a clause; symmetric clauses have equal codes."""
        return sum([self._code[literal] for literal in clause]) % (1 << 64)

    def with_prices(self, prices: NDArray[np.int64]) -> Self:
        """Return the rail with these prices, and codes that differ where prices do."""
        rail = copy(self)  # both share the cache of covers
        rail._set_prices(mix(self.codes + mix(prices.astype(np.uint64))), prices)
        return rail

    def weigh_rest(self, times: int) -> Self:
        """Return the rail with the weight of non-target rows multiplied by `times`."""
        rail = copy(self)
        rail.weights, rail.rest = (self.weights[0], self.weights[1] * times), self.rest * times
        return rail

    def _weigh(self, target: NDArray[np.int64], rest: NDArray[np.int64]) -> Counts:
        first, second = self.weights
        return (target, rest) if first == second == 1 else (target * first, rest * second)


class PackedRail(Rail):
    """A rail in memory. A mask is an array of words, a bit for each row.

    The literals of the block are one of each literal class, in the order of their numbers, and its
    classes are the two sides, of which the first or the second is the target.
    """

    def __init__(
        self,
        block: Block,
        literals: NDArray[np.intp],
        weights: tuple[int, int],
        codes: NDArray[np.uint64],
        target_first: bool,
    ) -> None:
        self.words, self.everything = block.words, block.present
        self._split, self._target_first = block.bounds[1], target_first
        first, second = map(int, self._sides(np.bitwise_count(self.everything)))
        super().__init__((first, second) if target_first else (second, first), weights, codes)
        self._covers: dict[Clause, NDArray[np.uint64]] = {}
        self._counts: dict[bytes, NDArray[np.int64]] = {}  # by the key of a mask
        self._large = self.words.size > _SPARSE_WORDS
        if self._large:
            basis, self._whole, self._less = find_basis(self.words, literals)
        self._by_word = np.ascontiguousarray((basis if self._large else self.words).T)

    def other_side(self, codes: NDArray[np.uint64]) -> "PackedRail":
        """Return the rail whose targets are the other rows; masks and counts are shared."""
        rail = copy(self)
        rail._target_first = not self._target_first
        rail.weights, rail.target, rail.rest = self.weights[::-1], self.rest, self.target
        rail._set_prices(codes, np.zeros(len(codes), np.int64))
        return rail

    def cover(self, clause: Clause) -> NDArray[np.uint64]:
        """Return the rows on which a clause is true, cached."""
        found = self._covers.get(clause)
        if found is None:
            literals = self.words[list(clause)]
            found = np.bitwise_and.reduce(literals, axis=0) if clause else self.everything
            if len(self._covers) * len(found) > _MAX_CACHED_WORDS:
                self._covers.clear()
            self._covers[clause] = found
        return found

    def size(self, masks: NDArray[np.uint64]) -> Counts:
        """Count the bits of each mask."""
        return self._weigh_sides(*self._sides(np.bitwise_count(masks)))

    def count(self, masks: NDArray[np.uint64]) -> Counts:
        """Count the bits that each mask shares with each literal class, cached if they are many."""
        if self.words.size > _UNCACHED_WORDS and len(masks):
            keys, known = self.mask_keys(masks), self._counts
            if 2 * len(known) * len(self.words) > _MAX_CACHED_WORDS:
                known.clear()
            fresh = {key: i for i, key in enumerate(keys) if key not in known}
            known |= zip(fresh, self._count(masks[list(fresh.values())]), strict=True)
            found = np.array([known[key] for key in keys])
        else:
            found = self._count(masks)
        return self._weigh_sides(found[:, 0], found[:, 1])

    def _count(self, masks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the counts of the rows of each side: (masks, 2, literals)."""
        found = np.empty((len(masks), 2, len(self.words)), np.int64)
        if self._large:
            for i, mask in enumerate(masks):
                for side, (first, end) in enumerate(pairwise((0, self._split, len(mask)))):
                    hits = self._hits(mask, first, end)
                    found[i, side] = hits[self._whole] - hits[self._less]
            return found
        step = max(1, _BATCH_WORDS // max(self.words.size, 1))
        for start in range(0, len(masks), step):
            part = slice(start, start + step)
            hits = np.bitwise_count(masks[part, :, None] & self._by_word)
            for side, some in enumerate((hits[:, : self._split], hits[:, self._split :])):
                found[part, side] = some.sum(axis=1, dtype=np.uint32)
        return found

    def _hits(self, mask: NDArray[np.uint64], first: int, end: int) -> NDArray[np.int64]:
        """Count the rows of words `first` to `end` in the mask, for each word of the basis.

        Skip the words where the mask is empty, if these are many.
        """
        total = np.zeros(self._by_word.shape[1], np.int64)
        step = max(1, _MASK_WORDS // max(len(total), 1))
        places = first + np.flatnonzero(mask[first:end])
        if 2 * len(places) > end - first:
            pieces: list[Any] = [slice(i, min(i + step, end)) for i in range(first, end, step)]
        else:
            pieces = [places[i : i + step] for i in range(0, len(places), step)]
        for piece in pieces:
            hits = np.bitwise_count(self._by_word[piece] & mask[piece, None])
            total += hits.sum(axis=0, dtype=np.uint32)
        return total

    def _sides(self, hits: NDArray[np.uint8]) -> Counts:
        """Return the sums over the words before `split`, and over the others."""
        if not 0 < self._split < hits.shape[-1]:  # one side has no rows, which reduceat cannot do
            sides = [hits[..., : self._split], hits[..., self._split :]]
            first, second = (side.sum(axis=-1, dtype=np.int64) for side in sides)
            return first, second
        both = np.add.reduceat(hits, [0, self._split], axis=-1, dtype=np.int64)
        return both[..., 0], both[..., 1]

    def _weigh_sides(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Counts:
        return self._weigh(first, second) if self._target_first else self._weigh(second, first)

    def _log(self, counts: NDArray[np.int64] | int) -> NDArray[np.int64]:
        return _log_table(self.target + self.rest)[counts]

    def mask_keys(self, masks: NDArray[np.uint64]) -> list[bytes]:
        """Return the words of each mask, or a digest of them if they are many."""
        several = digest_arrays(masks) if masks.shape[1] > WORD else masks
        return [one.tobytes() for one in several]


class DeferredRail(Rail):
    """A rail whose rows are counted where they are kept. A mask is one row expression.

    `literals` has, for each literal class, the index of one member in the blocks. The target rows
    are those of the class `kind` or, on a `swapped` rail, all others.
    """

    def __init__(
        self,
        counter: Counter,
        literals: NDArray[np.intp],
        kind: int,
        weights: tuple[int, int],
        codes: NDArray[np.uint64],
        swapped: bool = False,
    ) -> None:
        self._counter, self._literals, self._kind, self._swapped = counter, literals, kind, swapped
        target, rest = self._split(counter.rows)
        super().__init__((int(target), int(rest)), weights, codes)
        self.words = _masks([cover([i]) for i in literals.tolist()])
        self.everything = _masks([EVERYTHING])[0]

    def _split(self, by_class: NDArray[np.int64]) -> Counts:
        """Return counts (..., classes) as those of the target and of the rest."""
        mine = by_class[..., self._kind]
        others = by_class.sum(axis=-1) - mine
        return (others, mine) if self._swapped else (mine, others)

    def cover(self, clause: Clause) -> NDArray[Any]:
        """Return the expression of the rows on which a clause is true."""
        return _masks([cover(self._literals[list(clause)].tolist())])[0]

    def size(self, masks: NDArray[Any]) -> Counts:
        """Count the rows of each expression."""
        found = self._counter.sizes(masks[..., 0].reshape(-1).tolist())
        return self._weigh(*self._split(found.reshape(*masks.shape[:-1], -1)))

    def count(self, masks: NDArray[Any]) -> Counts:
        """Count the rows of each expression where each literal class is true."""
        found = self._counter.counts(masks[:, 0].tolist(), self._literals)
        return self._weigh(*self._split(found.transpose(0, 2, 1)))

    def mask_keys(self, masks: NDArray[Any]) -> list[bytes]:
        """Return a digest of the rows of each expression."""
        return self._counter.digests(masks[:, 0].tolist())


def _log2(counts: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return log2 times LOG_UNIT, rounded; 0 for a count of 0."""
    return np.rint(np.log2(np.maximum(counts, 1)) * LOG_UNIT).astype(np.int64)


@lru_cache(maxsize=8)
def _log_table(most: int) -> NDArray[np.int64]:
    """Return the logarithms of all counts up to `most`; a look-up is faster than a logarithm."""
    return _log2(np.arange(most + 1))


def _masks(several: Sequence[Rows]) -> NDArray[Any]:
    """Return row expressions as masks (several, 1)."""
    masks = np.empty((len(several), 1), object)
    masks[:, 0] = several
    return masks
