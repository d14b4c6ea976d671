"""Scores to clauses on one rail: the paper's Algorithm 1, and the baseline's decode beside it.

Two rails, one answer: the dual-rail selector and the exports built on it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnri.episode import Episode
from gnri.errors import ShapeError
from gnri.model.nri.config import Condition
from gnri.model.soft_truth import UNIT, soft_truth
from gnri.rules.dnf import Clause, Literal, SignedDNF
from gnri.scores import Scores

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


Decode = Callable[[NDArray[np.float64], NDArray[np.float64], DecodeConfig], Decoded]


class ScoreTable(Protocol):
    """The paper's score interface: anything with these two arrays can be exported."""

    @property
    def literals(self) -> ArrayLike:
        """Probabilities (2 rails, slots, atoms, 2)."""

    @property
    def gates(self) -> ArrayLike:
        """Probabilities (2 rails, slots)."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A rule, or None where the export abstains, with the rail it came from and its margin."""

    rule: SignedDNF | None
    rail: int | None
    margin: float


def canonical_export(
    scores: ScoreTable, episode: Episode, config: DecodeConfig = PAPER
) -> Exported:
    """The paper's full export: exactly G-equivariant whenever the scores are (Theorem 1)."""
    return _dual_rail(scores, episode, canonical_decode, config)


def dual_rail_export(scores: ScoreTable, episode: Episode) -> Exported:
    """The label-swap-exact export over the baseline's decode: an ablation."""
    return _dual_rail(scores, episode, native_decode, PAPER)


def native_export(scores: ScoreTable, episode: Episode, config: DecodeConfig = PAPER) -> Exported:
    """The baseline's export: its decode of the positive rail, and nothing else."""
    checked = _observed(scores, episode)
    decoded = native_decode(checked.literals[0], checked.gates[0], config)
    rule = SignedDNF(decoded.clauses) if decoded.clauses else None
    return Exported(rule, None if rule is None else 0, decoded.margin)


def export_of(condition: Condition) -> Callable[[ScoreTable, Episode], Exported]:
    """The export that a condition of the paper uses."""
    return canonical_export if condition.canonical_export else native_export


def average_prediction(scores: ScoreTable, episode: Episode) -> NDArray[np.float64]:
    """Equation 1: R_avg(X, Y) = (R(X, Y) + 1 - R(X, 1 - Y)) / 2 on each row."""
    positive, negative = soft_truth(_observed(scores, episode), episode.values)
    return (positive + UNIT - negative) / (2.0 * UNIT)


def _dual_rail(
    scores: ScoreTable, episode: Episode, decode: Decode, config: DecodeConfig
) -> Exported:
    checked = _observed(scores, episode)
    rails = [decode(checked.literals[rail], checked.gates[rail], config) for rail in (0, 1)]
    rules = [SignedDNF(rails[0].clauses), SignedDNF(rails[1].clauses, positive=False)]
    rail, rail_margin = _select(rules, checked, episode)
    margin = min(rails[0].margin, rails[1].margin, rail_margin)
    return Exported(None if rail is None else rules[rail], rail, margin)


def _select(rules: list[SignedDNF], scores: Scores, episode: Episode) -> tuple[int | None, float]:
    """The rail whose rule fits the symmetrised reference best; then by h; a full tie abstains.

    A rail without clauses is no candidate. Every quantity is an integer sum over the labelled
    rows, so that a label swap reverses the comparison exactly.
    """
    filled = [rail for rail in (0, 1) if rules[rail].clauses]
    if len(filled) < 2:
        return (filled[0] if filled else None), np.inf
    values = episode.values[episode.labels != 0]
    positive, negative = soft_truth(scores, values)
    reference = positive + UNIT - negative  # 2 R_sym
    misfit = [int(np.abs(_truth(rule, values) - reference).sum()) for rule in rules]
    lead = misfit[1] - misfit[0] or int((positive - negative).sum())
    margin = abs(misfit[1] - misfit[0]) / max(2 * UNIT * len(values), 1)
    return (None if lead == 0 else int(lead < 0)), margin


def _truth(rule: SignedDNF, values: NDArray[np.int8]) -> NDArray[np.int64]:
    """Truth of a rule on each row on the grid of 2 R_sym: 0, UNIT (unknown) or 2 UNIT."""
    return (rule.evaluate(values).astype(np.int64) + 1) * UNIT


def _observed(scores: ScoreTable, episode: Episode) -> Scores:
    """The scores, checked, with the literals of never-observed atoms put to zero."""
    checked = scores if isinstance(scores, Scores) else Scores(scores.literals, scores.gates)
    if checked.atoms != episode.atoms:
        raise ShapeError(f"scores of {checked.atoms} atoms for an episode of {episode.atoms}")
    seen = (episode.values != 0).any(0)  # the others carry no evidence
    return checked if seen.all() else Scores(checked.literals * seen[:, None], checked.gates)
