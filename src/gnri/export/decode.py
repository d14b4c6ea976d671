"""Scores to clauses on one rail: the paper's Algorithm 1, and the baseline's decode beside it."""

from dataclasses import dataclass
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
    positive, negative = np.moveaxis(literals[gates >= HALF], -1, 0)
    presence, contrast = np.maximum(positive, negative), positive - negative
    slots = [_canonical_clause(*slot, config) for slot in zip(presence, contrast, strict=True)]
    margins = [np.abs(gates - HALF).min(), np.abs(presence - HALF).min(initial=np.inf)]
    margins += [margin for _, margin in slots]
    return Decoded(frozenset(clause for clause, _ in slots if clause), float(min(margins)))


def _canonical_clause(
    presence: NDArray[np.float64], contrast: NDArray[np.float64], config: DecodeConfig
) -> tuple[Clause, float]:
    """One slot's clause, and how far its polarities and its buckets are from other ones."""
    present = np.flatnonzero(presence >= HALF)
    polarity_margin = np.abs(contrast[present]).min(initial=np.inf)
    chosen, bucket_margin = _whole_buckets(presence, present[contrast[present] != 0], config)
    clause = frozenset(Literal(int(atom), bool(contrast[atom] > 0)) for atom in chosen)
    return clause, min(polarity_margin, bucket_margin)


def _whole_buckets(
    presence: NDArray[np.float64], candidates: NDArray[np.intp], config: DecodeConfig
) -> tuple[NDArray[np.intp], float]:
    """The best candidates, bucket by bucket, as long as the next whole bucket fits the budget."""
    ranked = candidates[np.argsort(-presence[candidates])]
    best = presence[ranked[: config.budget + 1]]
    gaps = best[:-1] - best[1:]
    ends = [i + 1 for i, gap in enumerate(gaps) if gap > config.tie_eps]
    if len(ranked) <= config.budget:
        ends.append(len(ranked))
    margin = np.abs(gaps - config.tie_eps).min(initial=np.inf)
    return ranked[: max(ends, default=0)], float(margin)


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
