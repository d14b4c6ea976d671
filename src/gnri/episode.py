"""An episode: a table of -1, 0, +1 and a label for each row."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnri.errors import EncodingError, ShapeError


@dataclass(frozen=True, eq=False)
class Episode:
    """A labelled Boolean table: +1 true, -1 false, 0 missing.

    A label of 0 marks a row whose class is hidden. Both arrays are int8 and read-only.
    `weights` are the weights of a positive and of a negative row in the search.

    >>> Episode([[1, -1], [-1, 0]], [1, -1])
    Episode(rows=2, atoms=2, positive=1, negative=1)
    """

    values: NDArray[np.int8]  # (rows, atoms)
    labels: NDArray[np.int8]  # (rows,)
    weights: tuple[int, int]

    def __init__(
        self, values: ArrayLike, labels: ArrayLike, weights: tuple[int, int] = (1, 1)
    ) -> None:
        object.__setattr__(self, "values", _signs(values, "values"))
        shape = self.values.shape
        if len(shape) != 2:
            raise ShapeError(f"values must have 2 axes, rows and atoms, got {len(shape)}")
        if 0 in shape:
            raise ShapeError(f"values must have at least one row and one atom, got shape {shape}")
        object.__setattr__(self, "labels", _signs(labels, "labels"))
        if self.labels.shape != shape[:1]:
            raise ShapeError(
                f"labels must have one entry for each of the {len(self.values)} rows, "
                f"got shape {self.labels.shape}"
            )
        object.__setattr__(self, "weights", tuple(weights))
        if len(self.weights) != 2 or not all(type(one) is int and one >= 1 for one in self.weights):
            raise EncodingError(
                f"weights must be two whole numbers of 1 or more, for the positive rows and for "
                f"the negative ones, got {weights!r}"
            )

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return int(self.values.shape[1])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Episode)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.labels, other.labels)
            and self.weights == other.weights
        )

    def __hash__(self) -> int:
        return hash((self.values.shape, self.values.tobytes(), self.labels.tobytes(), self.weights))

    def __repr__(self) -> str:
        positive, negative = (int(np.sum(self.labels == sign)) for sign in (1, -1))
        return (
            f"Episode(rows={self.rows}, atoms={self.atoms}, "
            f"positive={positive}, negative={negative})"
        )


def _signs(data: ArrayLike, name: str) -> NDArray[np.int8]:
    """Return a read-only int8 copy of `data`, which must hold only -1, 0 and +1."""
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ShapeError(f"{name} must be a rectangular array: {error}") from None
    if array.dtype.kind not in "iuf":
        raise EncodingError(
            f"{name} must be numbers in {{-1, 0, +1}}, got {array.dtype}; "
            "encode true as +1, false as -1 and missing as 0"
        )
    wrong = (array != 1) & (array != -1) & (array != 0)  # 10x faster than np.isin
    if wrong.any():
        first = tuple(np.argwhere(wrong)[0])
        place = ", ".join(f"{axis} {i}" for axis, i in zip(("row", "atom"), first, strict=False))
        raise EncodingError(
            f"{name} must be in {{-1, 0, +1}}, got {array[first]} at {place}; "
            "encode true as +1, false as -1 and missing as 0"
        )
    signs = array.astype(np.int8)
    signs.setflags(write=False)
    return signs
