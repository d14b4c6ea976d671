"""Propose clauses as lines of a point table, by what its points still get wrong.

The loss of a row has a slope and a curvature in its total, both whole numbers. Added up over the
rows of a clause, they say what points for this clause would gain, to second order. All clauses of
two literals are compared at once; the best are extended by further literals. Nothing is chosen by
index: clauses that nothing tells apart are proposed together or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.counts.states import Overlaps, StateCounter, Totals
from gnri.rules.dnf import Clause, Literal, clause
from gnri.rules.row_expression import EVERYTHING, Rows, mix, sample_of

_PROPOSED, _EXTENDED = 24, 12  # clauses of two literals, and further ones of each length
_LARGEST = 2_048  # literals of which all pairs are compared
_SAMPLE_ROWS = 1 << 14  # rows that clauses are found on, about; they are weighed on all
_EXTENSION = 1.1  # a longer clause gains so much more than the shorter one


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
