"""The scores of a model for an episode: the paper's score interface."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnri.errors import EncodingError, ShapeError

GRID = 2.0**32  # of all scores, so that rounding noise far below it cannot split a tie


@dataclass(frozen=True, eq=False)
class Scores:
    """Inclusion probability of each literal and activation of each clause slot, on both rails.

    Rail 0 read the labels as given, rail 1 read them swapped. On the last axis of `literals`
    stand p+ (the atom) and p- (its negation).
    """

    literals: NDArray[np.float64]  # (2 rails, slots, atoms, 2)
    gates: NDArray[np.float64]  # (2 rails, slots)

    def __init__(self, literals: ArrayLike, gates: ArrayLike) -> None:
        object.__setattr__(self, "literals", _probabilities(literals, "literal scores"))
        object.__setattr__(self, "gates", _probabilities(gates, "gates"))
        shape = self.literals.shape
        if len(shape) != 4 or shape[0] != 2 or shape[3] != 2 or 0 in shape:
            raise ShapeError(f"literal scores must be (2, slots, atoms, 2), got {shape}")
        if self.gates.shape != shape[:2]:
            raise ShapeError(f"gates must be {shape[:2]} to fit, got {self.gates.shape}")

    @property
    def slots(self) -> int:
        """Return the number of clause slots."""
        return int(self.literals.shape[1])

    @property
    def atoms(self) -> int:
        """Return the number of atoms."""
        return int(self.literals.shape[2])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Scores)
            and np.array_equal(self.literals, other.literals)
            and np.array_equal(self.gates, other.gates)
        )

    def __hash__(self) -> int:
        return hash((self.literals.tobytes(), self.gates.tobytes()))


def _probabilities(data: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(data)
    except (TypeError, ValueError):
        array = np.empty(0, object)
    if array.dtype.kind not in "biuf":
        raise EncodingError(f"{name} must be a rectangular array of numbers in [0, 1]")
    inside = (array >= 0) & (array <= 1)  # False for NaN as well
    if not inside.all():
        wrong = array[~inside][0]
        raise EncodingError(f"{name} must lie in [0, 1], got {wrong}; put logits through a sigmoid")
    snapped = np.round(array.astype(np.float64) * GRID) / GRID
    snapped += 0.0  # no minus zero, which would hash apart
    snapped.setflags(write=False)
    return snapped
