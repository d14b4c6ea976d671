"""Steps by which the points of a column's lines move, what they cost, and how ties are settled."""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gnri.counts.states import ColumnStates
from gnri.rules.dnf import Literal
from gnri.rules.row_expression import mix

SCALE = 1 << 16
"""A loss of one nat."""

REACH = 24
"""Half points by which a state can move at a time."""


class LineKeys:
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


START = LineKeys(ColumnStates((), np.zeros((1, 0), np.int64), ()), lambda _: (0, 0))
"""The keys of the two steps of the start, of which only one can gain."""


def _line_codes(line: Iterable[Literal], codes: Callable[[Literal], tuple[int, int]]) -> list[int]:
    """Return the codes of a line and of its negation, each with labels as given and swapped."""
    mask = (1 << 64) - 1
    plain = [codes(one) for one in line]
    turned = [codes(~one) for one in line]
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
