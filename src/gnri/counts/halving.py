"""Counts of literals that follow from those of others, and need not be made."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Halved:
    """Some literals, and of which of them the counts are enough to know all.

    Of an atom that is known on every row, the rows where it is true and those where it is false
    are all rows of any selection: one literal is counted, and the other one follows.
    """

    literals: NDArray[np.intp]
    counted: NDArray[np.intp]
    places: NDArray[np.intp]  # for each literal, the one of `counted` that it follows from
    opposite: NDArray[np.bool_]  # whether it is true where that one is not

    def whole(self, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts of all literals, from (..., counted + 1) with the size of the selection."""
        own, size = found[..., :-1][..., self.places], found[..., -1:]
        return np.where(self.opposite, size - own, own)


def halved(literals: NDArray[np.intp], true: NDArray[np.int64], rows: int) -> Halved:
    """What to count of literals that are true on so many of all rows.

    >>> halved(np.arange(4), np.array([3, 5, 3, 4]), 8).counted
    array([0, 2, 3])
    """
    place = {literal: i for i, literal in enumerate(literals.tolist())}
    other = np.array([place.get(literal ^ 1, -1) for literal in place], np.intp)
    opposite = (literals % 2 == 1) & (other >= 0) & (true + true[other] == rows)
    counted, places = np.unique(np.where(opposite, literals ^ 1, literals), return_inverse=True)
    return Halved(literals, counted, places, opposite)
