"""What a learner is: atoms and classes in, a predictor out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.logic.formula import SignedDNF

Values = NDArray[np.int8]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a learner has learnt: how it predicts, its rules, and how large a rule is on average.

    A tree counts its leaves as clauses. `literals` is None where there are none to count, and
    `distinct` counts literals that are true on the same training rows once.
    """

    predict: Callable[[Values], Codes]
    rules: tuple[SignedDNF | None, ...] = ()
    clauses: float | None = None
    literals: float | None = None
    distinct: float | None = None


Learner = Callable[[Values, Codes], Fitted]


def majority(_: Values, codes: Codes) -> Fitted:
    """The most frequent class, always; the first of equally frequent ones."""
    most = np.bincount(codes).argmax()
    return Fitted(lambda rows: np.full(len(rows), most))


def mean_size(sizes: list[int]) -> float | None:
    """The mean, or None where there is nothing to count."""
    return float(np.mean(sizes)) if sizes else None
