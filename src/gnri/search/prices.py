"""What a literal costs: integers, so that costs add up the same in any order."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnri.errors import EncodingError, ShapeError

PRICE_UNIT = 64
"""The cost of one misclassified row; a price is a number of 64ths of an error."""


def flat(atoms: int, errors: float = 1.0) -> NDArray[np.int64]:
    """The same price for each literal, as (atoms, 2): the atom, and its negation.

    >>> flat(2, errors=0.5).tolist()
    [[32, 32], [32, 32]]
    """
    return np.full((atoms, 2), round(errors * PRICE_UNIT), np.int64)


def checked(prices: ArrayLike, atoms: int) -> NDArray[np.int64]:
    """`prices` as int64, or an error that says what is wrong with them."""
    array = np.asarray(prices)
    if array.shape != (atoms, 2):
        raise ShapeError(
            f"prices must have shape ({atoms}, 2), the price of each atom and of its negation, "
            f"got {array.shape}"
        )
    if array.dtype.kind not in "iu" or (array < 0).any():
        raise EncodingError(
            f"prices must be integers of 0 or more, in 1/{PRICE_UNIT} of an error, got "
            f"{array.dtype} from {array.min()} up; round them to integers first"
        )
    return array.astype(np.int64)
