"""Moves of a point table: steps of points, what they cost, and clauses that become new lines.

Clauses are proposed by what the points still get wrong. The loss of a row has a slope and a
curvature in its total, both whole numbers. Added up over the rows of a clause, they say what points
for this clause would gain, to second order. All clauses of two literals are compared at once; the
best are extended by further literals. Nothing is chosen by index: what nothing tells apart is moved
or proposed together or not at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gnri.counts.states import ColumnStates, Overlaps, StateCounter, Totals
from gnri.rules.dnf import Clause, Literal, clause
from gnri.rules.row_expression import EVERYTHING, Rows, mix, sample_of

SCALE = 1 << 16
"""A loss of one nat."""

REACH = 24
"""Half points by which a state can move at a time."""

_PROPOSED, _EXTENDED = 24, 12  # clauses of two literals, and further ones of each length
_LARGEST = 2_048  # literals of which all pairs are compared
_SAMPLE_ROWS = 1 << 14  # rows that clauses are found on, about; they are weighed on all
_EXTENSION = 1.1  # a longer clause gains so much more than the shorter one


LiteralCodes = Mapping[Literal, tuple[int, int]]
"""Two codes of each literal: with the labels as they are, and swapped."""

CONSTANT = (0, 0)  # the codes of a literal that is true on all rows, or on none


class LineLimits(NamedTuple):
    """What points the lines of a column may have: of each sign or of one, or none.

    The price of points is multiplied by `factor`. Columns that are `first` enter first.
    """

    low: NDArray[np.int64]  # 0 or -1 for each line: times the most points
    high: NDArray[np.int64]
    factor: Fraction = Fraction(1)
    first: bool = False


ANY_POINTS = LineLimits(np.array(-1), np.array(1))
"""The limits of a column without constraints."""


class PointBounds(Protocol):
    """Constraints on a point table."""

    def limit(self, target: int, column: ColumnStates) -> LineLimits:
        """Return the limits of a column, or a clause, in the scorecard of a class."""

    def offer(self, classes: Sequence[frozenset[Literal]]) -> list[frozenset[Literal]]:
        """Return which members of each class of literals may stand in proposed clauses."""


class LineKeys:
    """Codes of the steps of a column's lines that no order of rows, columns or names changes.

    To give a line points is, with swapped labels, to give them to its negation: both have one key.
    """

    def __init__(self, column: ColumnStates, codes: LiteralCodes) -> None:
        self.truths, self._lines, self._codes = column.truths, column.lines, codes

    @cached_property
    def _pairs(self) -> NDArray[np.uint64]:
        """Codes (lines, negated, labels swapped)."""
        pairs = np.array([_line_codes(line, self._codes) for line in self._lines], np.uint64)
        return pairs.reshape(len(self._lines), 2, 2)

    @cached_property
    def whole(self) -> int:
        """The key of the column."""
        both = mix(self._pairs[:, 0, 0]) + mix(self._pairs[:, 1, 1])
        other = mix(self._pairs[:, 1, 0]) + mix(self._pairs[:, 0, 1])
        return int(mix(both * other + both + other).sum())

    @cached_property
    def shifts(self) -> NDArray[np.int64]:
        """The half points by which each step of `make_steps`, and no step, moves each state."""
        steps = make_steps(len(self._lines))
        moved = np.zeros((len(self.truths), len(steps) + 1), np.int64)
        moved[:, :-1] = self.truths @ steps[:, :-1].T + steps[:, -1]
        return moved

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The ranks of the steps, small ones first; steps that nothing tells apart share one."""
        sides = np.stack([self._pairs[:, ::-1, 0], self._pairs[:, :, 1]], axis=-1)
        ends = mix(np.array([[0, 2], [1, 1], [2, 0]], np.uint64))
        keys = mix(sides[:, :, None] + ends).sum(axis=-1).ravel()
        keys = np.concatenate([np.zeros(2, np.uint64), keys])
        _, codes = np.unique(keys, return_inverse=True)
        sizes = np.abs(make_steps(len(self._lines))).sum(axis=1)
        return sizes * len(codes) + codes


_SIGNS = np.array([-1, 1])
_NO_POINTS = REACH + 1  # where a price table has the price of no points


def _line_codes(line: Iterable[Literal], codes: LiteralCodes) -> list[int]:
    """Return the codes of a line and of its negation, each with labels as given and swapped."""
    mask = (1 << 64) - 1
    plain = [codes.get(one, CONSTANT) for one in line]
    turned = [codes.get(~one, CONSTANT) for one in line]
    return [sum(pair[rail] for pair in side) & mask for side in (plain, turned) for rail in (0, 1)]


@cache
def make_steps(lines: int) -> NDArray[np.int64]:
    """Return all steps: a line's points and the start by one each, or one of them alone."""
    start = [[*[0] * lines, end] for end in (-1, 1)]
    found = [
        [*(sign * (i == j) for j in range(lines)), end]
        for i in range(lines)
        for sign in (-1, 1)
        for end in (-1, 0, 1)
    ]
    return np.array(start + found, np.int64)


@dataclass(eq=False)
class Descent:
    """The points of a column's lines, and the start, which move by one while that gains.

    `losses` are those of each state if it moves by -REACH to REACH half points, `prices` those of
    `price_table`, and `room` is how many lines may have points. All sums are whole numbers below
    2^53, so exact.
    """

    losses: NDArray[np.float64]
    keys: LineKeys
    weights: NDArray[np.int64]
    prices: NDArray[np.float64]
    room: int
    start: int = 0

    def __post_init__(self) -> None:
        """Begin where nothing has moved."""
        states, width = self.losses.shape
        self._start = self._places = np.arange(REACH, states * width, width)
        self._far = 0  # no state has moved farther
        self._free = np.arange(_NO_POINTS, self.prices.size, 2 * _NO_POINTS + 1)

    def step(self) -> float:
        """Make the best step, or several that nothing tells apart; return what it gains, or 0."""
        gains, steps = self._gains(), make_steps(len(self.weights))
        while (best := gains.max()) > 0:
            tied = np.flatnonzero(gains == best)
            if len(tied) > 1:
                ranks = self.keys.ranks[tied]
                tied = tied[ranks == ranks.min()]
            move = steps[tied].sum(axis=0)
            gain = float(best) if len(tied) == 1 else self._gain_of(move)
            if gain > 0:
                self._places = self._places + self.keys.truths @ move[:-1] + move[-1]
                self._far += 2 * len(tied)
                self.weights = self.weights + move[:-1]
                self.start += int(move[-1])
                return gain
            gains[tied] = 0
        return 0.0

    def _gains(self) -> NDArray[np.float64]:
        """Return what each step gains, and nothing above 0 for those that are not allowed."""
        shifts, weights = self.keys.shifts, self.weights
        losses = self.losses.take(self._places[:, None] + shifts, mode="clip").sum(axis=0)
        gains = losses[-1] - losses[:-1]
        own = (self._free + weights)[:, None]
        prices = self.prices.take(own + _SIGNS) - self.prices.take(own)
        room = self.room - np.count_nonzero(weights)
        if room < 1:
            more = (weights[:, None] + _SIGNS != 0).astype(np.int64) - (weights != 0)[:, None]
            prices[more > room] = np.inf
        lines = gains[2:].reshape(-1, 2, 3)  # in the order of `make_steps`
        lines -= prices[..., None]
        if self._far > REACH - 2:
            moved = (self._places - self._start)[:, None] + shifts[:, :-1]
            gains[(np.abs(moved) > REACH).any(axis=0)] = 0
        return gains

    def _gain_of(self, move: NDArray[np.int64]) -> float:
        """Return what several steps gain together."""
        old, new = self.weights, self.weights + move[:-1]
        places = self._places + self.keys.truths @ move[:-1] + move[-1]
        if np.count_nonzero(new) > self.room or np.abs(places - self._start).max() > REACH:
            return 0.0
        fall = self.losses.take(self._places) - self.losses.take(places)
        return float(fall.sum()) + price_points(self.prices, old) - price_points(self.prices, new)


def price_table(
    price: int, line_price: int, low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the price of each number of half points of a column's lines, by their limits.

    The price is that of a squared half point, the price of a line is paid by those with points.
    """
    points = np.arange(-_NO_POINTS, _NO_POINTS + 1)
    within = (low[:, None] <= points) & (points <= high[:, None])
    return np.where(within, price * points**2 + line_price * (points != 0), np.inf)


def price_points(prices: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    """Return the price of the points of a column's lines."""
    places = (weights + _NO_POINTS).clip(0, 2 * _NO_POINTS)
    return float(prices[np.arange(len(weights)), places].sum())


@lru_cache(maxsize=64)
def loss_table(unit: float, reach: int) -> NDArray[np.float64]:
    """Return the loss of rows by total, if they move so far (2 x totals, moves).

    The rows of the class come first, then all others.
    """
    loss = loss_by_total(unit, reach + REACH)
    places = np.arange(2 * reach + 1)[:, None] + np.arange(2 * REACH + 1)
    return np.concatenate([loss[places], loss[::-1][places]])


@cache
def loss_by_total(unit: float, reach: int) -> NDArray[np.float64]:
    """Return the loss of rows of the class by their total, from -reach to reach."""
    return np.round(SCALE * np.logaddexp(0, -unit * np.arange(-reach, reach + 1)))


@dataclass(frozen=True, eq=False)
class ClauseFinder:
    """Find clauses of literals, given by their classes: those that are true on the same rows."""

    counter: StateCounter
    target: int
    classes: Sequence[frozenset[Literal]]
    literals: NDArray[np.intp]  # the number of one member of each class
    codes: NDArray[np.uint64]  # (2, classes): with the labels as they are, and swapped
    sample: Rows = EVERYTHING

    def propose(
        self, totals: Totals, loss: NDArray[np.float64], price: float, most: int
    ) -> list[Clause]:
        """Return the clauses, of so many literals at most, that points would gain most for.

        The loss of a row is given by total, with one more on each side. The price is that of a
        squared half point.
        """
        if not 2 <= len(self.literals) <= _LARGEST:
            return []
        weights = self._weigh(loss)
        found, gains = self._take(*self._best_pairs(totals, weights, price), _PROPOSED)
        longer, _ = self._take(found, gains, _EXTENDED)
        proposed = [frozenset(one) for one in found.tolist()]
        while len(longer) and longer.shape[1] < most:
            longer = self._extend(longer, totals, weights, price)
            proposed += [frozenset(one) for one in longer.tolist()]
        lines = [clause(*(one for i in places for one in self.classes[i])) for places in proposed]
        return [one for one in lines if len({literal.atom for literal in one}) == len(one)]

    def _best_pairs(
        self, totals: Totals, weights: NDArray[np.float64], price: float
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the pairs of literals that gain most, and more than either alone; what they gain.

        There are four times as many as are proposed, and all that gain as much as the last one.
        """
        every, alone, least = np.arange(len(self.literals)), np.zeros(len(self.literals)), 0.0
        found, best = np.zeros((0, 2), np.intp), np.zeros(0)
        asked = Overlaps(totals, weights, self.literals, every[:, None])
        for first, sums in self.counter.some_overlaps(asked, self.sample):
            gains = _gain(sums, price)
            alone[first : first + len(gains)] = np.diag(gains)
            bar = np.maximum(alone[first:], np.nextafter(least, 0))
            places = np.argwhere(gains > bar)
            rows, others = places.T
            more = gains[rows, others]
            kept = (rows < others) & (more > alone[first + rows])
            found = np.concatenate([places[kept] + first, found])
            found, best = _largest(found, np.concatenate([more[kept], best]), 4 * _PROPOSED)
            if len(best) >= 4 * _PROPOSED:
                least = best.min()
        return found, best

    def _extend(
        self, places: NDArray[np.intp], totals: Totals, weights: NDArray[np.float64], price: float
    ) -> NDArray[np.intp]:
        """Return the best clauses of one literal more that gain more than the shorter ones."""
        asked = Overlaps(totals, weights, self.literals, places)
        gains = _gain(self.counter.overlaps(asked, self.sample), price)
        own = gains[np.arange(len(places)), places[:, 0]]
        rows, added = np.nonzero(gains > _EXTENSION * own[:, None])
        found = np.sort(np.column_stack([places[rows], added]), axis=1)
        found, first = np.unique(found, axis=0, return_index=True)
        return self._take(found, gains[rows[first], added[first]], _EXTENDED)[0]

    def _weigh(self, loss: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return twice the slope, and the curvature, by class and total; slopes gain."""
        mine = np.stack([loss[:-2] - loss[2:], loss[:-2] - 2 * loss[1:-1] + loss[2:]])
        others = mine[:, ::-1] * np.array([[-1], [1]])
        return np.stack([mine, others], axis=1)

    def _take(
        self, places: NDArray[np.intp], gains: NDArray[np.float64], most: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the best clauses, equal ones together, not more than so many; what they gain."""
        places, gains = _largest(places, gains, 4 * most)
        keys = mix(mix(self.codes)[:, places].sum(axis=-1)).sum(axis=0)
        order = np.lexsort((keys, -gains))
        places, gains, keys = places[order], gains[order], keys[order]
        end = min(most, len(order))
        while 0 < end < len(order) and (gains[end], keys[end]) == (gains[end - 1], keys[end - 1]):
            end -= 1
        return places[:end], gains[:end]


def _gain(sums: NDArray[np.float64], price: float) -> NDArray[np.float64]:
    """Return what points gain, from twice the slope, and the curvature, which are overwritten."""
    slope, curvature = sums
    slope *= slope
    curvature *= 8
    curvature += 4 * price
    slope /= curvature
    return slope


def _largest(
    places: NDArray[np.intp], gains: NDArray[np.float64], many: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return so many places of the largest gains, and all that gain as much as the last one."""
    if len(gains) <= many:
        return places, gains
    inside = gains >= np.partition(gains, -many)[-many]
    return places[inside], gains[inside]


def sample_rows(codes: Sequence[int], rows: int) -> Rows:
    """Return enough of the rows to find clauses on, by what is true of them."""
    parts = rows // _SAMPLE_ROWS
    return sample_of(codes, parts, 0) if parts > 1 else EVERYTHING
