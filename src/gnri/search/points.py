"""Learn the points of a scorecard on whole numbers.

The loss of a row is an entry of a fixed table of whole numbers, by its total and label: the
logistic loss, rounded once. Squared points cost a whole number, too. So sums over rows are exact
in any order, and in parts. Columns enter one at a time, the one that gains most with all its lines
first; the points of each column move by one while that gains. Nothing is chosen by index: equal
gains are settled by codes that do not depend on any order, and moves that share such a code are
made together or not at all.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import find_classes
from gnri.counts.states import ColumnStates, StateCounter, Totals, atom_states
from gnri.rules.dnf import Literal
from gnri.rules.row_expression import mix
from gnri.rules.scorecard import Scorecard

SCALE = 1 << 16
"""A loss of one nat."""

REACH = 24
"""Half points by which a state can move at a time."""


@dataclass(frozen=True)
class PointSettings:
    """What a point is worth, and what points and columns cost."""

    unit: float = 0.25  # log-odds of half a point
    ridge: float = 1.0
    max_lines: int = 12
    line_price: float = 0.0  # nats that a column must gain
    range_price: float = 0.25  # nats for each range or value with points of its own


@dataclass(frozen=True, eq=False)
class Points:
    """The points of each line of each column, and of every row, in half points."""

    columns: Sequence[ColumnStates]
    weights: dict[int, NDArray[np.int64]]
    start: int

    def scores(self) -> dict[int, NDArray[np.int64]]:
        """Return the half points of each state of the columns that have any."""
        return {i: self.columns[i].truths @ weights for i, weights in self.weights.items()}

    def to_scorecard(self) -> Scorecard:
        """Return the scorecard; a total of zero must not occur on complete rows."""
        lines = [
            (line, int(points))
            for i, weights in self.weights.items()
            for line, points in zip(self.columns[i].lines, weights, strict=True)
        ]
        threshold = (sum(points for _, points in lines) - self.start + 1) // 2
        return Scorecard(lines, threshold)


@dataclass(frozen=True, slots=True)
class _Move:
    """New points of a column, a change of the start, and what both gain."""

    column: int
    weights: NDArray[np.int64]
    start: int
    gain: float
    key: int = field(default=0)


class Learnt(NamedTuple):
    """A scorecard, None where nothing can be learnt, and a key of its class among others."""

    card: Scorecard | None
    key: int


def learn_scorecards(
    counter: Counter,
    atoms: int,
    targets: Sequence[int],
    columns: Sequence[ColumnStates] | None = None,
    settings: PointSettings | None = None,
) -> list[Learnt]:
    """Return a scorecard of each class against all others.

    Without `columns`, each atom is a column of its own, those that no row tells apart together.
    """
    classes, _, codes = find_classes(counter, atoms, True, targets)
    place = {literal: i for i, members in enumerate(classes) for literal in members}
    states = StateCounter(counter, atom_states(place) if columns is None else columns)
    if not classes or np.count_nonzero(counter.rows) < 2:
        return [Learnt(None, 0)] * len(targets)
    found = []
    for target, rails in zip(targets, codes.tolist(), strict=True):

        def code(literal: Literal, rails: list[list[int]] = rails) -> tuple[int, int]:
            i = place.get(literal)
            return (0, 0) if i is None else (rails[0][i], rails[1][i])

        learner = PointLearner(states, target, code, settings or PointSettings())
        points = learner.learn()
        card = points.to_scorecard() if points and points.weights else None
        found.append(Learnt(card, learner.sides[0]))
    return found


class PointLearner:
    """Learn the points of one class against all others."""

    def __init__(
        self,
        counter: StateCounter,
        target: int,
        codes: Callable[[Literal], tuple[int, int]],
        settings: PointSettings,
    ) -> None:
        """Take two codes of each literal: with the labels as they are, and swapped."""
        every = [one for column in counter.columns for line in column.lines for one in line]
        pairs = [codes(signed) for one in every for signed in (one, ~one)]
        self.sides = mix(np.array(pairs, np.uint64)).sum(axis=0).tolist()
        self._counter, self._target, self._settings = counter, target, settings
        self._price = round(SCALE * settings.ridge / 2 * settings.unit**2)
        self._each = round(SCALE * settings.range_price)
        self._keys = [_LineKeys(column, codes) for column in counter.columns]

    def learn(self) -> Points | None:
        """Return the points of at most `max_lines` columns; None if they cannot be decided."""
        points = Points(self._counter.columns, {}, 0)
        points = self._settle(points, [])
        limit = self._settings.line_price * SCALE
        while left := [i for i in range(len(self._keys)) if i not in points.weights]:
            room = self._settings.max_lines - len(points.weights)
            moves = [move for move in self._moves(points, left) if move.gain > limit]
            found = self._best(points, moves, room)
            if found is None:
                break
            points = self._settle(found, list(found.weights))
        return self._make_odd(points)

    def _settle(self, points: Points, columns: list[int]) -> Points:
        """Move the points of columns while that gains; without columns, only the start."""
        while True:
            moves = [move for move in self._moves(points, columns or [-1]) if move.gain > 0]
            found = self._best(points, moves, len(moves))
            if found is None:
                return points
            points = found

    def _best(self, points: Points, moves: list[_Move], room: int) -> Points | None:
        """Make the best move; several that nothing tells apart together, if that gains."""
        order = sorted(moves, key=lambda move: (-move.gain, move.key))
        for _, group in groupby(order, key=lambda move: (move.gain, move.key)):
            tied = list(group)
            if len(tied) > room:
                continue
            changed = _apply(points, tied)
            if len(tied) == 1 or self._cost(changed) < self._cost(points):
                return changed
        return None

    def _cost(self, points: Points) -> float:
        loss = self._losses(points, [-1])[0][0, REACH]
        return float(loss + sum(map(self._price_of, points.weights.values())))

    def _price_of(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the price of the points of a column's lines, over the last axis."""
        return self._price * (weights**2).sum(axis=-1) + self._each * (weights != 0).sum(axis=-1)

    def _losses(self, points: Points, columns: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the loss of each state if it moves by -REACH to REACH half points.

        Column -1 stands for all rows. The sums are whole numbers below 2^53, so exact.
        """
        wanted = [max(i, 0) for i in columns]
        totals = Totals(points.scores(), points.start, wanted)
        counts = self._counter.histograms(totals)
        gains, losses = _loss_tables(self._settings.unit, totals.reach)
        found = []
        for i, one in zip(columns, counts, strict=True):
            one = one.sum(axis=0, keepdims=True) if i < 0 else one
            mine = one[:, self._target]
            found.append(mine @ gains + (one.sum(axis=1) - mine) @ losses)
        return found

    def _moves(self, points: Points, columns: Sequence[int]) -> list[_Move]:
        """Return where the points of each column go, all others being as they are."""
        losses = self._losses(points, columns)
        return [self._descend(points, *pair) for pair in zip(columns, losses, strict=True)]

    def _descend(self, points: Points, i: int, losses: NDArray[np.float64]) -> _Move:
        """Move the points of a column's lines, and the start, by one while that gains."""
        states = np.arange(len(losses))
        keys = self._keys[i] if i >= 0 else _START
        truths, weights = np.zeros((1, 0), np.int64), np.zeros(0, np.int64)
        if i >= 0:
            truths = self._counter.columns[i].truths
            weights = points.weights.get(i, np.zeros(truths.shape[1], np.int64)).copy()
        steps, places = _steps(truths.shape[1]), np.full(len(losses), REACH)
        starts, total = 0, 0.0
        shifts = truths @ steps[:, :-1].T + steps[:, -1]  # (states, steps)
        order = np.lexsort((keys.steps(), np.abs(steps).sum(axis=1)))

        def gain_of(move: NDArray[np.int64]) -> float:
            shift = places + truths @ move[:-1] + move[-1]
            if (np.abs(shift - REACH) > REACH).any():
                return 0.0
            change = losses[states, shift].sum() - losses[states, places].sum()
            price = self._price_of(weights + move[:-1]) - self._price_of(weights)
            return -float(change + price)

        while True:
            inside = np.abs(places[:, None] + shifts - REACH).max(axis=0) <= REACH
            moved = np.clip(places[:, None] + shifts, 0, 2 * REACH)
            change = losses[states[:, None], moved].sum(axis=0) - losses[states, places].sum()
            change += self._price_of(weights + steps[:, :-1]) - self._price_of(weights)
            change[~inside] = 0
            move = _choose(steps, order, keys.steps(), -change, gain_of)
            if move is None:
                break
            total += gain_of(move)
            places = places + truths @ move[:-1] + move[-1]
            weights += move[:-1]
            starts += int(move[-1])
        return _Move(i, weights, starts, total, keys.whole)

    def _make_odd(self, points: Points) -> Points | None:
        """Return points with no complete row at a total of zero; None if nothing decides how."""
        sums = points.start + sum(int(weights.sum()) for weights in points.weights.values())
        if sums % 2:
            return points
        losses = self._losses(points, [-1])[0][0]
        (counts,) = self._counter.histograms(Totals({}, 0, [0]))
        sizes = counts.sum(axis=(0, 2))
        mine, all_rows = float(sizes[self._target]), float(sizes.sum())
        up = losses[REACH + 1], all_rows - mine, self.sides[0]
        down = losses[REACH - 1], mine, self.sides[1]
        if up == down:
            return None
        return Points(points.columns, points.weights, points.start + (1 if up < down else -1))


class _LineKeys:
    """Codes of the steps of a column's lines that no order of rows, columns or names changes.

    To give a line points is, with swapped labels, to give them to its negation: both have one key.
    """

    def __init__(self, column: ColumnStates, codes: Callable[[Literal], tuple[int, int]]) -> None:
        pairs = np.array([_line_codes(line, codes) for line in column.lines], np.uint64)
        self._pairs = pairs.reshape(len(column.lines), 2, 2)  # (lines, negated, labels swapped)
        self._steps: NDArray[np.uint64] | None = None
        both = mix(self._pairs[:, 0, 0]) + mix(self._pairs[:, 1, 1])
        other = mix(self._pairs[:, 1, 0]) + mix(self._pairs[:, 0, 1])
        self.whole = int(mix(both * other + both + other).sum())

    def steps(self) -> NDArray[np.uint64]:
        """Return a key for each of the steps of `_steps`."""
        if self._steps is None:
            found = [self._key(step) for step in _steps(len(self._pairs))]
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


_START = _LineKeys(ColumnStates((), np.zeros((1, 0), np.int64), ()), lambda _: (0, 0))
"""The keys of the two steps of the start, of which only one can gain."""


def _line_codes(line: Iterable[Literal], codes: Callable[[Literal], tuple[int, int]]) -> list[int]:
    """Return the codes of a line and of its negation, each with labels as given and swapped."""
    mask = (1 << 64) - 1
    plain = [codes(one) for one in line]
    turned = [codes(~one) for one in line]
    return [sum(pair[rail] for pair in side) & mask for side in (plain, turned) for rail in (0, 1)]


@cache
def _steps(lines: int) -> NDArray[np.int64]:
    """Return all steps: a line's points and the start by one each, or one of them alone."""
    start = [[*[0] * lines, end] for end in (-1, 1)]
    found = [
        [*(sign * (i == j) for j in range(lines)), end]
        for i in range(lines)
        for sign in (-1, 1)
        for end in (-1, 0, 1)
    ]
    return np.array(start + found, np.int64)


def _choose(
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


def _apply(points: Points, moves: list[_Move]) -> Points:
    weights = points.weights | {move.column: move.weights for move in moves if move.column >= 0}
    return Points(points.columns, weights, points.start + sum(move.start for move in moves))


@cache
def _loss_tables(unit: float, reach: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the loss of rows of the class, and of others, by total and move (totals, moves)."""
    furthest = reach + REACH
    totals = np.arange(-furthest, furthest + 1)
    loss = np.round(SCALE * np.logaddexp(0, -unit * totals))
    places = np.arange(2 * reach + 1)[:, None] + np.arange(2 * REACH + 1)
    return loss[places], loss[::-1][places]
