"""What bounds a rule of the search, and what a literal costs in it."""

import sys
from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnri.errors import EncodingError, GnriError, RuleError, ShapeError


@dataclass(frozen=True, slots=True)
class Limits:
    """What the search may do. Identical literals count as one."""

    max_clauses: int = 24
    max_literals: int = 8  # in one clause
    negations: bool = True  # whether a clause may hold negated atoms
    steps: int = 400  # changes of the rule, over all its clauses, on one rail
    purity: bool = True  # whether a new clause may grow towards purity, and not by cost alone
    max_conditions: int = sys.maxsize  # in all clauses

    def __post_init__(self) -> None:
        for name in ("max_clauses", "max_literals", "steps", "max_conditions"):
            if getattr(self, name) < 0:
                raise RuleError(f"{name} must be 0 or more, got {getattr(self, name)}")

    def allow(self, clauses: Collection[Collection[object]]) -> bool:
        """Return whether a rule keeps to the limits."""
        sizes = list(map(len, clauses))
        few = len(sizes) <= self.max_clauses and sum(sizes) <= self.max_conditions
        return few and max(sizes, default=0) <= self.max_literals


DEFAULT = Limits()


def make_limits(
    max_clauses: object, max_literals: object, negations: object, max_conditions: object = None
) -> Limits:
    """Return limits as a user sets them, checked; None stands for the default."""
    if not isinstance(negations, bool):
        raise GnriError(f"negations must be True or False, got {negations!r}")
    return Limits(
        max_clauses=check_size("max_clauses", max_clauses, DEFAULT.max_clauses),
        max_literals=check_size("max_literals", max_literals, DEFAULT.max_literals),
        negations=negations,
        max_conditions=check_size("max_conditions", max_conditions, DEFAULT.max_conditions),
    )


def check_size(name: str, given: object, default: int) -> int:
    """Return a limit that a user set; None stands for the default."""
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise GnriError(f"{name} must be a whole number from 1 up, or None, got {given!r}")
    return int(given)


PRICE_UNIT = 64
"""The cost of one misclassified row; a price is a number of 64ths of an error."""


def uniform_prices(atoms: int, errors: float = 1.0) -> NDArray[np.int64]:
    """Return the same price for each literal, as (atoms, 2): the atom, and its negation.

    >>> uniform_prices(2, errors=0.5).tolist()
    [[32, 32], [32, 32]]
    """
    return np.full((atoms, 2), round(errors * PRICE_UNIT), np.int64)


def prices_from_logits(logits: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the prices of literals from the logits that they belong to the rule.

    A price is 0.3 * (1 - logit) errors, at least 0.15 and at most 3.

    >>> prices_from_logits(np.array([-9.0, 0.0, 5.0])).tolist()
    [192, 19, 10]
    """
    errors = np.clip(0.3 * (1.0 - logits), 0.15, 3.0)
    return np.rint(errors * PRICE_UNIT).astype(np.int64)


def check_prices(prices: ArrayLike, atoms: int) -> NDArray[np.int64]:
    """Return prices as int64 (2 rails, atoms, 2); raise for what are none."""
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
