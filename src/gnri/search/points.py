"""Learn the points of a scorecard on whole numbers.

The loss of a row is an entry of a fixed table of whole numbers, by its total and label: the
logistic loss, rounded once. Squared points cost a whole number, too. So sums over rows are exact
in any order, and in parts. Columns and clauses enter one at a time, the one that gains most with
all its lines first; the points of each column move by one while that gains. Nothing is chosen by
index: equal gains are settled by codes that do not depend on any order, and moves that share such a
code are made together or not at all.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import find_classes, mix_codes
from gnri.counts.states import ColumnStates, StateCounter, Totals, line_states
from gnri.rules.row_expression import mix
from gnri.rules.scorecard import Scorecard
from gnri.search.point_moves import (
    ANY_POINTS,
    CONSTANT,
    REACH,
    SCALE,
    ClauseFinder,
    Descent,
    LineKeys,
    LineLimits,
    LiteralCodes,
    PointBounds,
    loss_by_total,
    loss_table,
    price_points,
    price_table,
    sample_rows,
)

STEPS, BETWEEN = 3, 8
"""After each line, points move in a few steps; clauses are proposed anew after so many lines."""


SEVERAL = 0.1, 1.5
"""Prices of a range and of a condition where several scorecards compete: three classes or more."""


@dataclass(frozen=True)
class PointSettings:
    """What a point is worth, and what points and columns cost."""

    unit: float = 0.25  # log-odds of half a point
    ridge: float = 3.0
    max_lines: int = 12
    line_price: float = 0.25  # nats that a column must gain
    range_price: float = 0.5  # nats for each range or value with points of its own
    condition_price: float = 3.0  # nats that a clause must gain for each of its conditions
    max_literals: int = 3  # of a clause
    max_points: int = REACH  # of a line, in half points of either sign
    max_conditions: int = sys.maxsize  # over all lines
    bounds: PointBounds | None = None

    def multiply_prices(self, times: float) -> "PointSettings":
        """Return the settings with each price multiplied, so that more evidence is asked for."""
        names = ("ridge", "line_price", "range_price", "condition_price")
        return replace(self, **{name: times * getattr(self, name) for name in names})


@dataclass(frozen=True, eq=False)
class Points:
    """The points of each line of each column, and of every row, in half points."""

    columns: Sequence[ColumnStates]
    weights: dict[int, NDArray[np.int64]]
    start: int

    def totals(self, wanted: Sequence[int], target: int) -> Totals:
        """Return what to count: rows by their total, and by their state in the wanted columns."""
        scores = {i: self.columns[i].truths @ weights for i, weights in self.weights.items()}
        return Totals(scores, self.start, wanted, target)

    def to_scorecard(self) -> Scorecard:
        """Return the scorecard; a total of zero must not occur on complete rows."""
        lines = [
            (line, int(points))
            for i, weights in self.weights.items()
            for line, points in zip(self.columns[i].lines, weights, strict=True)
        ]
        threshold = (sum(points for _, points in lines) - self.start + 1) // 2
        return Scorecard(lines, threshold)


@dataclass(frozen=True, eq=False)
class _Line:
    """A column whose points are learnt: the keys of its steps, its prices, and its limits."""

    conditions: int
    keys: LineKeys
    price: int
    prices_of: tuple[int, int]  # of a squared half point, and of each range
    limits: LineLimits
    most: int  # points of either sign

    @cached_property
    def prices(self) -> NDArray[np.float64]:
        """The prices of points; see `price_table`."""
        lines, (low, high, *_) = self.keys.truths.shape[1], self.limits
        ends = [np.broadcast_to(self.most * side, lines) for side in (low, high)]
        return price_table(*self.prices_of, *ends)


@dataclass(frozen=True, slots=True)
class _Move:
    """New points of a column, a change of the start, and what both gain."""

    column: int
    weights: NDArray[np.int64]
    start: int
    gain: float
    key: int


class LearntScorecard(NamedTuple):
    """A scorecard, None where nothing can be learnt, and a key of its class among others."""

    card: Scorecard | None
    key: int


def learn_scorecards(
    counter: Counter,
    atoms: int,
    targets: Sequence[int],
    columns: Sequence[ColumnStates],
    settings: PointSettings,
) -> list[LearntScorecard]:
    """Return a scorecard of each class against all others."""
    classes, literals, codes = find_classes(counter, atoms, True, targets)
    states = StateCounter(counter, columns)
    if not classes or np.count_nonzero(counter.rows) < 2:
        return [LearntScorecard(None, 0)] * len(targets)
    sample = sample_rows(mix_codes(classes, codes, atoms), int(counter.rows.sum()))
    if len(targets) > 1:
        settings = replace(settings, range_price=SEVERAL[0], condition_price=SEVERAL[1])
    settings, found = settings.multiply_prices(counter.row_copies), []
    offered = classes if settings.bounds is None else settings.bounds.offer(classes)
    some = np.array([i for i, members in enumerate(offered) if members], np.intp)
    offered = [members for members in offered if members]
    for target, pair in zip(targets, codes, strict=True):
        own, known = states.copy(), zip(classes, *pair.tolist(), strict=True)
        both = {literal: (one, two) for members, one, two in known for literal in members}
        finder = ClauseFinder(own, target, offered, literals[some], pair[:, some], sample)
        learner = PointLearner(finder, both, settings)
        points = learner.learn()
        card = points.to_scorecard() if points and points.weights else None
        found.append(LearntScorecard(card, learner.sides[0]))
    return found


class PointLearner:
    """Learn the points of one class against all others."""

    def __init__(self, finder: ClauseFinder, codes: LiteralCodes, settings: PointSettings) -> None:
        counter = self._counter = finder.counter
        every = [one for column in counter.columns for line in column.lines for one in line]
        pairs = [codes.get(signed, CONSTANT) for one in every for signed in (one, ~one)]
        self.sides = mix(np.array(pairs, np.uint64)).sum(axis=0).tolist()
        self._finder, self._codes, self._settings = finder, codes, settings
        self._price = round(SCALE * settings.ridge / 2 * settings.unit**2)
        start = ColumnStates((), np.zeros((1, 0), np.int64), ())
        # Line -1 is the start, of whose two steps only one can gain.
        self._lines = {-1: _Line(1, LineKeys(start, codes), 0, (0, 0), ANY_POINTS, 0)}
        self._lines |= enumerate(map(self._line, counter.columns))

    def _line(self, column: ColumnStates) -> _Line:
        conditions, settings = len(column.lines[0]), self._settings
        limits = (
            settings.bounds.limit(self._finder.target, column) if settings.bounds else ANY_POINTS
        )
        price = settings.line_price if conditions == 1 else settings.condition_price * conditions
        own, each = (round(SCALE * one * limits.factor) for one in (price, settings.range_price))
        keys, most = LineKeys(column, self._codes), settings.max_points
        return _Line(conditions, keys, own, (self._price, each), limits, most)

    def learn(self) -> Points | None:
        """Return the points of at most `max_lines` columns; None if they cannot be decided."""
        points = self._settle(Points(self._counter.columns, {}, 0))
        given = range(len(self._counter.columns))
        proposed, added = self._propose(points), 0
        while (room := self._settings.max_lines - len(points.weights)) > 0:
            left = [i for i in (*given, *proposed) if i not in points.weights]
            first = [i for i in left if self._lines[i].limits.first]
            moves = self._improve(points, first) or self._improve(points, left)
            found = self._best(points, moves, room)
            if found is not None:
                points = self._settle(found, STEPS + len(found.weights) // 2)
                added += 1
            elif not added:
                break
            if found is None or added == BETWEEN:
                proposed, added = self._propose(points), 0
        return self._make_odd(self._settle(points))

    def _propose(self, points: Points) -> range:
        """Offer further clauses as lines; return their places among the columns."""
        totals = points.totals([], self._finder.target)
        most = self._settings.max_literals
        first = len(self._counter.columns)
        if most < 2:
            return range(0)
        loss = loss_by_total(self._settings.unit, totals.reach + 1)
        known = {line for column in self._counter.columns for line in column.lines}
        for line in dict.fromkeys(self._finder.propose(totals, loss, self._price, most)):
            if line not in known:
                column = line_states(line)
                self._lines[len(self._counter.columns)] = self._line(column)
                self._counter.columns.append(column)
        return range(first, len(self._counter.columns))

    def _settle(self, points: Points, steps: int = sys.maxsize) -> Points:
        """Move the points of columns, or the start, while that gains, in so many steps."""
        for _ in range(steps):
            moves = self._improve(points, list(points.weights) or [-1])
            found = self._best(points, moves, len(moves))
            if found is None:
                break
            points = found
        return points

    def _best(self, points: Points, moves: list[_Move], room: int) -> Points | None:
        """Make the best move; several that nothing tells apart together, if that gains."""
        order = sorted(moves, key=lambda move: (-move.gain, move.key))
        for _, group in groupby(order, key=lambda move: (move.gain, move.key)):
            tied = list(group)
            if len(tied) > room:
                continue
            changed = _apply(points, tied)
            if len(tied) == 1 or (
                self._room(changed) >= 0 and self._cost(changed) < self._cost(points)
            ):
                return changed
        return None

    def _cost(self, points: Points) -> float:
        loss = self._losses(points, [-1])[0][0, REACH]
        used = [(self._lines[i], weights) for i, weights in points.weights.items()]
        return float(loss) + sum(one.price + price_points(one.prices, w) for one, w in used)

    def _losses(
        self, points: Points, columns: Sequence[int]
    ) -> tuple[NDArray[np.float64], list[int]]:
        """Return the loss of each state if it moves by -REACH to REACH half points.

        Also return where the states of each column begin. Column -1 stands for all rows. The sums
        are whole numbers below 2^53, so exact.
        """
        totals = points.totals([max(i, 0) for i in columns], self._finder.target)
        table = loss_table(self._settings.unit, totals.reach)
        counts = self._counter.histograms(totals)
        found = counts.reshape(len(counts), -1) @ table
        if columns[0] < 0:
            return found.sum(axis=0)[None], [0]
        sizes = [len(self._counter.columns[i].truths) for i in columns]
        return found, [0, *accumulate(sizes[:-1])]

    def _improve(self, points: Points, columns: Sequence[int]) -> list[_Move]:
        """Return moves of these columns that gain, all others being as they are.

        If one gains more than all others, columns that cannot gain as much are not looked at.
        """
        if not columns:
            return []
        losses, starts = self._losses(points, columns)
        # How far the losses can fall, if each state moves on its own.
        falls = np.add.reduceat(losses[:, REACH] - losses.min(axis=1), starts).tolist()
        parts = zip(columns, np.split(losses, starts[1:]), falls, strict=True)
        hopes = [(fall - self._least_price(points, i), i, own) for i, own, fall in parts]
        moves, best, alone = list[_Move](), 0.0, True
        for most, i, own in sorted(hopes, key=itemgetter(0), reverse=True):
            if most <= 0 or (alone and most < best):
                break
            move = self._descend(points, i, own)
            if move.gain > 0:
                moves.append(move)
                best, alone = max(best, move.gain), move.gain > best or (alone and move.gain < best)
        return moves

    def _least_price(self, points: Points, i: int) -> float:
        """Return what points of a column cost more than now, at least."""
        line = self._lines[i]
        now = points.weights.get(i)
        return float(line.price) if now is None else -price_points(line.prices, now)

    def _descend(self, points: Points, i: int, losses: NDArray[np.float64]) -> _Move:
        """Move the points of a column's lines, and the start, by one while that gains."""
        line = self._lines[i]
        weights = points.weights.get(i, np.zeros(line.keys.truths.shape[1], np.int64))
        descent = Descent(losses, line.keys, weights, line.prices, self._room(points, i))
        total = 0.0 if i in points.weights else -float(line.price)
        while gain := descent.step():
            total += gain
        key = line.keys.whole if total > 0 else 0
        return _Move(i, descent.weights, descent.start, total, key)

    def _room(self, points: Points, i: int = -1) -> int:
        """Return how many lines of a column may have points, given those of the others."""
        if self._settings.max_conditions == sys.maxsize:
            return sys.maxsize
        others = ((self._lines[k], one) for k, one in points.weights.items() if k != i)
        used = sum(int(np.count_nonzero(one)) * line.conditions for line, one in others)
        return (self._settings.max_conditions - used) // self._lines[i].conditions

    def _make_odd(self, points: Points) -> Points | None:
        """Return points with no complete row at a total of zero; None if nothing decides how."""
        sums = points.start + sum(int(weights.sum()) for weights in points.weights.values())
        if sums % 2:
            return points
        losses = self._losses(points, [-1])[0][0]
        counts = self._counter.histograms(Totals({}, 0, [0], self._finder.target))
        mine, all_rows = counts.sum(axis=(0, 2))[0], counts.sum()
        up = losses[REACH + 1], all_rows - mine, self.sides[0]
        down = losses[REACH - 1], mine, self.sides[1]
        if up == down:
            return None
        return Points(points.columns, points.weights, points.start + (1 if up < down else -1))


def _apply(points: Points, moves: list[_Move]) -> Points:
    weights = points.weights | {move.column: move.weights for move in moves if move.column >= 0}
    used = {i: one for i, one in weights.items() if one.any()}
    return Points(points.columns, used, points.start + sum(move.start for move in moves))
