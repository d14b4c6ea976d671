"""Scores to clauses on one rail: the paper's Algorithm 1, and the baseline's decode beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.logic.formula import Clause, Literal

HALF = 0.5


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """At most `budget` literals a clause; presence scores closer than `tie_eps` are tied."""

    budget: int = 4
    tie_eps: float = 1e-6


PAPER = DecodeConfig()


class Decoded(NamedTuple):
    """The clauses of one rail and the distance to the nearest decision that could change them."""

    clauses: frozenset[Clause]
    margin: float


def canonical_decode(
    literals: NDArray[np.float64],  # (slots, atoms, 2)
    gates: NDArray[np.float64],  # (slots,)
    config: DecodeConfig = PAPER,
) -> Decoded:
    """Clauses that move with the scores under every permutation and negation of the atoms.

    No decision reads an atom's index: a tie is admitted or left as a whole, and an atom whose
    two literals score the same is left out.
    """
    active = literals[gates >= HALF]
    presence = np.maximum(active[..., 0], active[..., 1])
    slots, atoms = np.nonzero(presence >= HALF)
    scores, (positive, negative) = presence[slots, atoms], active[slots, atoms].T
    margins = [np.abs(gates - HALF).min(), np.abs(presence - HALF).min(initial=np.inf)]
    margins.append(np.abs(positive - negative).min(initial=np.inf))
    told = np.flatnonzero(positive != negative)
    ranked = told[np.lexsort((-scores[told], slots[told]))]
    clauses = set[Clause]()
    for start, end in _spans(slots[ranked], len(active)):
        taken, margin = _whole_buckets(scores[ranked[start:end][: config.budget + 1]], config)
        chosen = ranked[start : start + taken]
        signs = (positive[chosen] > negative[chosen]).tolist()
        clauses.add(frozenset(map(Literal, atoms[chosen].tolist(), signs)))
        margins.append(margin)
    return Decoded(frozenset(clauses - {frozenset()}), float(min(margins)))


def _spans(slots: NDArray[np.intp], count: int) -> Iterator[tuple[int, int]]:
    """From where to where each slot's literals lie, which come slot by slot."""
    return pairwise(np.searchsorted(slots, np.arange(count + 1)).tolist())


def _whole_buckets(ranked: NDArray[np.float64], config: DecodeConfig) -> tuple[int, float]:
    """How many of the scores, best first, are in whole buckets that fit the budget.

    And how far the nearest gap is from being, or no longer being, the end of a bucket. To be told
    of one score more than fit is enough.
    """
    gaps = [a - b for a, b in pairwise(ranked.tolist())]
    ends = [i for i, gap in enumerate(gaps, 1) if gap > config.tie_eps]
    if len(ranked) <= config.budget:
        ends.append(len(ranked))
    margin = min((abs(gap - config.tie_eps) for gap in gaps), default=np.inf)
    return max(ends, default=0), margin


def native_decode(
    literals: NDArray[np.float64],
    gates: NDArray[np.float64],
    config: DecodeConfig = PAPER,
) -> Decoded:
    """The baseline's decode: each literal thresholded by itself, ties cut by index.

    Kept for the ablations: it is not equivariant, and gives no margin.
    """
    clauses = set()
    for pairs in literals[gates >= HALF]:
        flat = pairs.T.ravel()  # the axis [p+ | p-]
        order = np.argsort(-flat, kind="stable")[: config.budget]
        chosen = (divmod(int(i), len(pairs)) for i in order if flat[i] >= HALF)
        clauses.add(frozenset(Literal(atom, negative == 0) for negative, atom in chosen))
    return Decoded(frozenset(c for c in clauses if c and not _contradicts(c)), 0.0)


def _contradicts(clause: Clause) -> bool:
    return any(~literal in clause for literal in clause)
