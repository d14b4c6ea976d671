"""Moves of a point table: steps of points, what they cost, and clauses that become new lines.

Clauses are proposed by what the points still get wrong. The loss of a row has a slope and a
curvature in its total, both whole numbers. Added up over the rows of a clause, they say what points
for this clause would gain, to second order. All clauses of two literals are compared at once; the
best are extended by further literals. Nothing is chosen by index: what nothing tells apart is moved
or proposed together or not at all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import groupby
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
        pairs = np.array([_line_codes(line, codes) for line in column.lines], np.uint64)
        self._pairs = pairs.reshape(len(column.lines), 2, 2)  # (lines, negated, labels swapped)
        self._steps: NDArray[np.uint64] | None = None
        both = mix(self._pairs[:, 0, 0]) + mix(self._pairs[:, 1, 1])
        other = mix(self._pairs[:, 1, 0]) + mix(self._pairs[:, 0, 1])
        self.whole = int(mix(both * other + both + other).sum())

    def steps(self) -> NDArray[np.uint64]:
        """Return a key for each of the steps of `make_steps`."""
        if self._steps is None:
            found = [self._key(step) for step in make_steps(len(self._pairs))]
            self._steps = np.array(found, np.uint64)
        return self._steps

    def _key(self, step: NDArray[np.int64]) -> np.uint64:
        start = int(step[-1])
        moved = np.flatnonzero(step[:-1])
        if not len(moved):
            return np.uint64(0)
        line, negated = int(moved[0]), int(step[moved[0]] < 0)
        own, other = self._pairs[line, negated, 0], self._pairs[line, 1 - negated, 1]
        ends = mix(np.array([start + 1, 1 - start], np.uint64))
        return np.uint64(mix(np.array([own, other]) + ends).sum())


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


def choose_step(
    steps: NDArray[np.int64],
    order: NDArray[np.intp],
    keys: NDArray[np.uint64],
    gains: NDArray[np.float64],
    gain_of: Callable[[NDArray[np.int64]], float],
) -> NDArray[np.int64] | None:
    """Return the step that gains most, or several that nothing tells apart; None if none gains."""
    ranked = order[np.argsort(-gains[order], kind="stable")]
    good = ranked[gains[ranked] > 0]
    sizes = np.abs(steps).sum(axis=1)
    for _, group in groupby(good, key=lambda k: (gains[k], sizes[k], keys[k])):
        tied = list(group)
        move = steps[tied].sum(axis=0)
        if len(tied) == 1 or gain_of(move) > 0:
            return move
    return None


@lru_cache(maxsize=64)
def loss_tables(unit: float, reach: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the loss of rows of the class, and of others, by total and move (totals, moves)."""
    loss = loss_by_total(unit, reach + REACH)
    places = np.arange(2 * reach + 1)[:, None] + np.arange(2 * REACH + 1)
    return loss[places], loss[::-1][places]


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
        if len(self.literals) > _LARGEST:
            return []
        weights = self._weigh(loss)
        gains = self._gain(Overlaps(totals, weights, self.literals), price)
        alone = np.diag(gains)
        better = np.triu(gains > np.maximum(alone, alone[:, None]), 1)
        pairs = np.argwhere(better)
        found = self._take(pairs, gains[better], _PROPOSED)
        longer = self._take(found, gains[tuple(found.T)], _EXTENDED)
        proposed = [frozenset(one) for one in found.tolist()]
        while len(longer) and longer.shape[1] < most:
            longer = self._extend(longer, totals, weights, price)
            proposed += [frozenset(one) for one in longer.tolist()]
        lines = [clause(*(one for i in places for one in self.classes[i])) for places in proposed]
        return [one for one in lines if len({literal.atom for literal in one}) == len(one)]

    def _extend(
        self, places: NDArray[np.intp], totals: Totals, weights: NDArray[np.float64], price: float
    ) -> NDArray[np.intp]:
        """Return the best clauses of one literal more that gain more than the shorter ones."""
        clauses = self.literals[places].tolist()
        gains = self._gain(Overlaps(totals, weights, self.literals, clauses), price)
        own = gains[np.arange(len(places)), places[:, 0]]
        rows, added = np.nonzero(gains > _EXTENSION * own[:, None])
        found = np.sort(np.column_stack([places[rows], added]), axis=1)
        found, first = np.unique(found, axis=0, return_index=True)
        return self._take(found, gains[rows[first], added[first]], _EXTENDED)

    def _weigh(self, loss: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return twice the slope, and the curvature, by class and total; slopes gain."""
        mine = np.stack([loss[:-2] - loss[2:], loss[:-2] - 2 * loss[1:-1] + loss[2:]])
        others = mine[:, ::-1] * np.array([[-1], [1]])
        kinds = range(self.counter.classes)
        return np.stack([mine if i == self.target else others for i in kinds], axis=1)

    def _gain(self, overlaps: Overlaps, price: float) -> NDArray[np.float64]:
        slope, curvature = self.counter.overlaps(overlaps, self.sample)
        return slope**2 / (8 * curvature + 4 * price)

    def _take(
        self, places: NDArray[np.intp], gains: NDArray[np.float64], most: int
    ) -> NDArray[np.intp]:
        """Return the best clauses, equal ones together, not more than so many."""
        if len(gains) > 4 * most:
            inside = gains >= np.partition(gains, -4 * most)[-4 * most]
            places, gains = places[inside], gains[inside]
        keys = mix(mix(self.codes)[:, places].sum(axis=-1)).sum(axis=0)
        order = np.lexsort((keys, -gains))
        places, gains, keys = places[order], gains[order], keys[order]
        end = min(most, len(order))
        while 0 < end < len(order) and (gains[end], keys[end]) == (gains[end - 1], keys[end - 1]):
            end -= 1
        return places[:end]


def sample_rows(codes: Sequence[int], rows: int) -> Rows:
    """Return enough of the rows to find clauses on, by what is true of them."""
    parts = rows // _SAMPLE_ROWS
    return sample_of(codes, parts, 0) if parts > 1 else EVERYTHING
