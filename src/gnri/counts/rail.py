"""The search problem of one rail: find clauses that cover its target rows and no others."""

from collections.abc import Iterable
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, mix
from gnri.counts.counter import Counter
from gnri.rules.row_expression import EVERYTHING, Rows, cover

Clause = frozenset[int]
"""A conjunction of literal classes, by their place in the problem."""

Masks = NDArray[np.uint64]
"""Rows, along the last axis: words of bits or, as an object in a word's place, a row expression."""

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Target rows, and others."""

LOG_UNIT = 1 << 20
"""Logarithms are whole numbers of this fraction of a bit, so that equal counts are equal gains."""

_LARGE = 1 << 14  # words of a table from which empty ones are worth leaving out
_BATCH = 1 << 17  # words counted at a time, so that they stay in the cache
_CACHED = 1 << 15  # the same where each word is looked at for one mask alone
_REMEMBERED = 1 << 22  # words of covers kept for later
_CODES = (1 << 64) - 1


class Rail(Protocol):
    """What a search needs to know: how many rows of the target, and others, a mask holds.

    Masks are opaque: arrays that know &, |, ~ and stacking. Nothing depends on the order of rows;
    only `codes` and `prices` tell literal classes apart.
    """

    target: int
    rest: int
    codes: NDArray[np.uint64]
    prices: NDArray[np.int64]
    ranks: NDArray[np.int64]  # of the codes
    cheapest: int  # of the prices
    tied: bool  # whether some classes look the same
    words: Any
    """The mask of each literal class; `size` is that of the words they fill if packed."""

    @property
    def everything(self) -> Masks:
        """All rows: the cover of the empty clause."""

    def cover(self, clause: Clause) -> Masks:
        """Return the rows on which a clause is true."""

    def size(self, masks: Masks) -> Counts:
        """Return how many target rows and how many others each mask holds."""

    def count(self, masks: Masks) -> Counts:
        """Return the same with each literal true besides: two arrays (masks, literals)."""

    def answer_key(self, masks: Masks) -> list[bytes]:
        """Return a key of each mask: equal for the same rows, on both rails of a problem."""

    def information(
        self, target: NDArray[np.int64], rest: NDArray[np.int64], among: tuple[int, int]
    ) -> NDArray[np.int64]:
        """Return FOIL's gain of covering `target` and `rest` rows out of `among`.

        target * (log2(precision) - log2(precision of all)), in LOG_UNIT.
        """

    def price(self, clause: Clause) -> int:
        """Return what the literals of a clause cost."""

    def code(self, clause: Clause) -> int:
        """Return an order-free code of a clause: equal only for symmetric ones."""

    def priced(self, prices: NDArray[np.int64]) -> Self:
        """Return the same rail with these prices, which tell classes apart besides."""

    def stricter(self, times: int) -> Self:
        """Return the rail where a row that is none of the target counts so many times as often."""


class _Tellable:
    """What tells literal classes apart, the same for every rail: their codes and prices."""

    def _tell_apart(self, codes: NDArray[np.uint64], prices: NDArray[np.int64]) -> None:
        """Take these codes and prices, and what follows from them."""
        self.codes, self.prices = codes, prices
        self.cheapest = int(prices.min()) if len(prices) else 0
        distinct, ranks = np.unique(codes, return_inverse=True)
        self.ranks = ranks.astype(np.int64)
        self.tied = len(distinct) < len(codes)
        self._price, self._code = prices.tolist(), codes.tolist()  # quicker one at a time

    def priced(self, prices: NDArray[np.int64]) -> Self:
        rail = copy(self)  # the covers that one of them finds serve both
        rail._tell_apart(mix(self.codes + mix(prices.astype(np.uint64))), prices)
        return rail

    def price(self, clause: Clause) -> int:
        return sum([self._price[literal] for literal in clause])

    def code(self, clause: Clause) -> int:
        return sum([self._code[literal] for literal in clause]) & _CODES


class PackedRail(_Tellable):
    """A rail in memory: packed truth of the literal classes, the target rows in the first words.

    A mask is an array of words, a bit for each row. A target row counts `weights[0]` times,
    another `weights[1]` times. On a `swapped` rail the target rows are the negative ones.
    """

    def __init__(
        self,
        words: NDArray[np.uint64],
        codes: NDArray[np.uint64],
        rows: tuple[int, int],
        weights: tuple[int, int] = (1, 1),
        swapped: bool = False,
    ) -> None:
        self.words, self.rows, self.swapped = words, rows, swapped
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

    def stricter(self, times: int) -> Self:
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
        return _log(np.arange(self.target + self.rest + 1))

    def cover(self, clause: Clause) -> NDArray[np.uint64]:
        found = self._covers.get(clause)
        if found is None:
            literals = self.words[list(clause)]
            found = np.bitwise_and.reduce(literals, axis=0) if clause else self.everything
            if len(self._covers) * len(found) > _REMEMBERED:
                self._covers.clear()
            self._covers[clause] = found
        return found

    def size(self, masks: NDArray[np.uint64]) -> Counts:
        """How many target rows and how many others each mask (..., words) holds."""
        return self._sums(np.bitwise_count(masks))

    def count(self, masks: NDArray[np.uint64]) -> Counts:
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

    def _count_where_needed(self, mask: NDArray[np.uint64]) -> Counts:
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

    def answer_key(self, masks: NDArray[np.uint64]) -> list[bytes]:
        """Return a key of each mask (masks, words), equal for the same rows, on either rail."""
        if self.swapped:  # then in the order of the other rail
            masks = np.concatenate([masks[:, self.split :], masks[:, : self.split]], axis=1)
        return [mask.tobytes() for mask in masks]

    def information(
        self,
        target: NDArray[np.int64],
        rest: NDArray[np.int64],
        among: tuple[int, int],
    ) -> NDArray[np.int64]:
        logs, (all_target, all_rest) = self.logs, among
        start = int(logs[all_target] - logs[all_target + all_rest])
        return target * (logs[target] - logs[target + rest] - start)

    def _sums(self, hits: NDArray[np.uint8]) -> Counts:
        if not 0 < self.split < hits.shape[-1]:  # one side has no rows, which reduceat cannot do
            sides = [hits[..., : self.split], hits[..., self.split :]]
            target, rest = (side.sum(axis=-1, dtype=np.int64) for side in sides)
        else:
            both = np.add.reduceat(hits, self._starts, axis=-1, dtype=np.int64)
            target, rest = both[..., 0], both[..., 1]
        first, second = self.weights
        return (target, rest) if first == second == 1 else (target * first, rest * second)


class Side(NamedTuple):
    """Whose rows are the target: those of a class, or those of all the others.

    A row of the class counts `weights[0]` times, one of another class `weights[1]` times.
    """

    kind: int
    others: bool
    weights: tuple[int, int]

    def split(self, by_class: NDArray[np.int64]) -> Counts:
        """Return counts (..., classes) as those of the target and those of the rest."""
        mine = by_class[..., self.kind]
        rest = by_class.sum(axis=-1) - mine
        mine, rest = mine * self.weights[0], rest * self.weights[1]
        return (rest, mine) if self.others else (mine, rest)

    def stricter(self, times: int) -> "Side":
        """Return the same where the rows of the rest count so many times as often."""
        mine, rest = self.weights
        weights = (mine * times, rest) if self.others else (mine, rest * times)
        return self._replace(weights=weights)


class DeferredRail(_Tellable):
    """A rail whose rows are counted where they are.

    A mask is an array of one row expression. `literals` are the numbers that the literal classes
    have in the blocks.
    """

    def __init__(
        self,
        counter: Counter,
        literals: NDArray[np.intp],
        codes: NDArray[np.uint64],
        side: Side,
    ) -> None:
        self.counter, self.literals, self.side = counter, literals, side
        self.target, self.rest = map(int, side.split(counter.rows))
        self.words = _Words(literals, side._replace(weights=(1, 1)).split(counter.rows))
        self._tell_apart(codes, np.zeros(len(literals), np.int64))

    def stricter(self, times: int) -> Self:
        rail = copy(self)
        rail.side, rail.rest = self.side.stricter(times), self.rest * times
        return rail

    @cached_property
    def everything(self) -> NDArray[Any]:
        return _mask(EVERYTHING)

    def cover(self, clause: Clause) -> NDArray[Any]:
        return _mask(cover(self.literals[list(clause)].tolist()))

    def size(self, masks: NDArray[Any]) -> Counts:
        found = self.counter.sizes(masks[..., 0].reshape(-1).tolist())
        return self.side.split(found.reshape(*masks.shape[:-1], -1))

    def count(self, masks: NDArray[Any]) -> Counts:
        found = self.counter.counts(masks[:, 0].tolist(), self.literals)
        return self.side.split(found.transpose(0, 2, 1))

    def answer_key(self, masks: NDArray[Any]) -> list[bytes]:
        return self.counter.answers(masks[:, 0].tolist())

    def information(
        self,
        target: NDArray[np.int64],
        rest: NDArray[np.int64],
        among: tuple[int, int],
    ) -> NDArray[np.int64]:
        all_target, all_rest = among
        start = int(_log(all_target) - _log(all_target + all_rest))
        return target * (_log(target) - _log(target + rest) - start)


class _Words:
    """A mask for each literal class; `size` is that of the words they would fill if packed."""

    def __init__(self, literals: NDArray[np.intp], rows: Iterable[Any]) -> None:
        self._masks = np.array([[cover([i])] for i in literals.tolist()], object).reshape(-1, 1)
        self.size = len(literals) * sum(-(-int(part) // WORD) for part in rows)

    def __len__(self) -> int:
        return len(self._masks)

    def __getitem__(self, places: Any) -> NDArray[Any]:
        return self._masks[places]


def _log(counts: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return log2 in LOG_UNIT; of 0, anything."""
    return np.rint(np.log2(np.maximum(counts, 1)) * LOG_UNIT).astype(np.int64)


def _mask(rows: Rows) -> NDArray[Any]:
    mask = np.empty(1, object)
    mask[0] = rows
    return mask
