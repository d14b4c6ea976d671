"""The search problem of one rail: find clauses that cover its target rows and no others."""

from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnri.counts.fingerprint import mix

Clause = frozenset[int]
"""A conjunction of literal classes, by their place in the table."""

LOG_UNIT = 1 << 20
"""Logarithms are whole numbers of this fraction of a bit, so that equal counts are equal gains."""

_LARGE = 1 << 14  # words of a table from which empty ones are worth leaving out
_BATCH = 1 << 17  # words counted at a time, so that they stay in the cache
_CACHED = 1 << 15  # the same where each word is looked at for one mask alone
_REMEMBERED = 1 << 22  # words of covers kept for later
_CODES = (1 << 64) - 1


class Rail:
    """Packed truth of the literal classes, with the target rows in the first words.

    Nothing in it depends on the order of rows; only `codes` and `prices` tell classes apart.
    A target row counts `weights[0]` times, another `weights[1]` times.
    """

    def __init__(
        self,
        words: NDArray[np.uint64],
        codes: NDArray[np.uint64],
        rows: tuple[int, int],
        weights: tuple[int, int] = (1, 1),
    ) -> None:
        self.words, self.rows = words, rows
        self.split = -(-rows[0] // 64)
        self._starts = np.array([0, self.split])  # of target rows and of others, in words
        self._by_word = np.ascontiguousarray(words.T)
        self._covers: dict[Clause, NDArray[np.uint64]] = {}
        self._weigh(weights)
        self._tell_apart(codes, np.zeros(len(words), np.int64))

    def _weigh(self, weights: tuple[int, int]) -> None:
        """Let rows count so often, and forget what followed from their weights before."""
        self.weights = weights
        self.target, self.rest = (rows * w for rows, w in zip(self.rows, weights, strict=True))
        vars(self).pop("logs", None)  # if this is a copy, they were those of smaller counts

    def _tell_apart(self, codes: NDArray[np.uint64], prices: NDArray[np.int64]) -> None:
        """Take these codes and prices, and what follows from them."""
        self.codes, self.prices = codes, prices
        self.cheapest = int(prices.min()) if len(prices) else 0
        distinct, ranks = np.unique(codes, return_inverse=True)
        self.ranks = ranks.astype(np.int64)
        self.tied = len(distinct) < len(codes)  # whether some classes look the same
        self._price, self._code = prices.tolist(), codes.tolist()  # quicker one at a time

    def priced(self, prices: NDArray[np.int64]) -> Self:
        """The same rail with these prices, which tell classes apart besides.

        The covers that one of them finds serve both.
        """
        rail = copy(self)
        rail._tell_apart(mix(self.codes + mix(prices.astype(np.uint64))), prices)
        return rail

    def stricter(self, times: int) -> Self:
        """The same rail where a row that is none of the target counts so many times as often."""
        rail = copy(self)
        rail._weigh((self.weights[0], self.weights[1] * times))
        return rail

    @cached_property
    def everything(self) -> NDArray[np.uint64]:
        """All rows: the cover of the empty clause."""
        bits = [np.arange(-(-rows // 64) * 64) < rows for rows in self.rows]
        return np.packbits(np.concatenate(bits)).view(np.uint64)

    @cached_property
    def logs(self) -> NDArray[np.int64]:
        """log2 of each possible count, in LOG_UNIT; of 0, anything."""
        counts = np.arange(self.target + self.rest + 1)
        return np.rint(np.log2(np.maximum(counts, 1)) * LOG_UNIT).astype(np.int64)

    def cover(self, clause: Clause) -> NDArray[np.uint64]:
        """The rows on which a clause is true."""
        found = self._covers.get(clause)
        if found is None:
            literals = self.words[list(clause)]
            found = np.bitwise_and.reduce(literals, axis=0) if clause else self.everything
            if len(self._covers) * len(found) > _REMEMBERED:
                self._covers.clear()
            self._covers[clause] = found
        return found

    def price(self, clause: Clause) -> int:
        return sum([self._price[literal] for literal in clause])

    def code(self, clause: Clause) -> int:
        """An order-free code of a clause: equal only for symmetric ones."""
        return sum([self._code[literal] for literal in clause]) & _CODES

    def size(self, masks: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many target rows and how many others each mask (..., words) holds."""
        return self._sums(np.bitwise_count(masks))

    def count(self, masks: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same with each literal true besides: two arrays (masks, literals)."""
        shape = len(masks), len(self.words)
        target, rest = np.empty(shape, np.int64), np.empty(shape, np.int64)
        if self.words.size > _LARGE:
            for i, mask in enumerate(masks):
                target[i], rest[i] = self._count_where_needed(mask)
            return target, rest
        step = max(1, _BATCH // max(self.words.size, 1))
        for start in range(0, len(masks), step):
            part = slice(start, start + step)
            target[part], rest[part] = self._sums(np.bitwise_count(masks[part, None] & self.words))
        return target, rest

    def _count_where_needed(
        self, mask: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The counts for one mask, on the words where it holds any row."""
        first, second = self.weights
        target, rest = self._hits(mask, 0, self.split), self._hits(mask, self.split, len(mask))
        return target * first, rest * second

    def _hits(self, mask: NDArray[np.uint64], first: int, end: int) -> NDArray[np.int64]:
        """Rows of some words where each literal is true besides, a few words at a time."""
        total = np.zeros(len(self.words), np.int64)
        step = max(1, _CACHED // max(len(self.words), 1))
        places = first + np.flatnonzero(mask[first:end])
        if 2 * len(places) > end - first:  # then to leave the others out costs more than it saves
            pieces: list[Any] = [slice(i, min(i + step, end)) for i in range(first, end, step)]
        else:
            pieces = [places[i : i + step] for i in range(0, len(places), step)]
        for piece in pieces:
            hits = np.bitwise_count(self._by_word[piece] & mask[piece, None])
            total += hits.sum(axis=0, dtype=np.uint32)
        return total

    def information(
        self,
        target: NDArray[np.int64],
        rest: NDArray[np.int64],
        among: tuple[int, int],
    ) -> NDArray[np.int64]:
        """FOIL's gain of covering `target` and `rest` rows out of `among`.

        target * (log2(precision) - log2(precision of all)), in LOG_UNIT.
        """
        logs, (all_target, all_rest) = self.logs, among
        start = int(logs[all_target] - logs[all_target + all_rest])
        return target * (logs[target] - logs[target + rest] - start)

    def _sums(self, hits: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if not 0 < self.split < hits.shape[-1]:  # one side has no rows, which reduceat cannot do
            sides = [hits[..., : self.split], hits[..., self.split :]]
            target, rest = (side.sum(axis=-1, dtype=np.int64) for side in sides)
        else:
            both = np.add.reduceat(hits, self._starts, axis=-1, dtype=np.int64)
            target, rest = both[..., 0], both[..., 1]
        first, second = self.weights
        return (target, rest) if first == second == 1 else (target * first, rest * second)
