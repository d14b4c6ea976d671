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
    return np.stack([alike(atoms, errors)] * 2, axis=1)


def alike(literals: int, errors: float) -> NDArray[np.int64]:
    """The same price for each of so many literals."""
    return np.full(literals, round(errors * PRICE_UNIT), np.int64)


def believed(logits: NDArray[np.float64]) -> NDArray[np.int64]:
    """Prices from the logits that literals belong in the rule: 0.3 errors for each below 1.

    At least 0.15 of an error, at most 3.

    >>> believed(np.array([-9.0, 0.0, 5.0])).tolist()
    [192, 19, 10]
    """
    errors = np.clip(0.3 * (1.0 - logits), 0.15, 3.0)
    return np.rint(errors * PRICE_UNIT).astype(np.int64)


def checked(prices: ArrayLike, atoms: int) -> NDArray[np.int64]:
    """`prices` as int64 (2 rails, atoms, 2), or an error that says what is wrong with them."""
    array = np.asarray(prices)
    if array.shape not in ((atoms, 2), (2, atoms, 2)):
        raise ShapeError(
            f"prices must have shape ({atoms}, 2), the price of each atom and of its negation, "
            f"or (2, {atoms}, 2), those of each rail, got {array.shape}"
        )
    if array.dtype.kind not in "iu" or (array < 0).any():
        raise EncodingError(
            f"prices must be integers of 0 or more, in 1/{PRICE_UNIT} of an error, got "
            f"{array.dtype} from {array.min()} up; round them to integers first"
        )
    return np.broadcast_to(array.astype(np.int64), (2, atoms, 2))
