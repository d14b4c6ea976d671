"""Scores to a rule: the paper's Algorithm 1 on each rail, and the choice between the rails.

The choice compares soft predictions by the product t-norm. The logarithms of its factors are
rounded to a fixed point and added as whole numbers (exact in float64 below 2^53), so no order of
rows or atoms changes a bit. `studies.training.soft_logic` is the differentiable form for training.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.errors import EncodingError, ShapeError
from gnri.rules.dnf import Clause, Literal, SignedDNF
from gnri.scores import Scores

HALF = 0.5
FLOOR = 1e-6
POINT = 2.0**28  # fixed point of the logarithms: 2^28 steps x 4 ln(1e6) x 2^18 atoms < 2^53
UNIT = 2**30  # one, on the integer grid of the predictions
SLACK = 4  # errors by which a rule may exceed the larger class of the rows shown, and be given


@dataclass(frozen=True, slots=True)
class DecodeConfig:
    """At most `budget` literals a clause; presence scores closer than `tie_eps` are tied.

    With `by_errors` the rail with fewer errors on the labelled rows is chosen, and its rule or the
    complement of it, whichever has fewer: soft predictions, which decide in the paper, are all the
    same where a product over many atoms underflows. There is none where the larger class alone
    makes fewer errors by more than `SLACK`.
    """

    budget: int = 4
    tie_eps: float = 1e-6
    by_errors: bool = False


PAPER, WIDE = DecodeConfig(), DecodeConfig(by_errors=True)


class RailClauses(NamedTuple):
    """The clauses of one rail and the distance to the nearest decision that could change them."""

    clauses: frozenset[Clause]
    margin: float


def canonical_decode(
    literals: NDArray[np.float64],  # (slots, atoms, 2)
    gates: NDArray[np.float64],  # (slots,)
    config: DecodeConfig = PAPER,
) -> RailClauses:
    """Return clauses that move with the scores under every permutation and negation of atoms.

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
    ends = np.searchsorted(slots[ranked], np.arange(len(active) + 1)).tolist()
    for start, end in pairwise(ends):
        taken, margin = _whole_buckets(scores[ranked[start:end][: config.budget + 1]], config)
        chosen = ranked[start : start + taken]
        signs = (positive[chosen] > negative[chosen]).tolist()
        clauses.add(frozenset(map(Literal, atoms[chosen].tolist(), signs)))
        margins.append(margin)
    return RailClauses(frozenset(clauses - {frozenset()}), float(min(margins)))


def _whole_buckets(ranked: NDArray[np.float64], config: DecodeConfig) -> tuple[int, float]:
    """Return how many of the scores, best first, are in whole buckets that fit the budget.

    And the distance of the nearest gap from `tie_eps`. One score more than fits is enough.
    """
    gaps = [a - b for a, b in pairwise(ranked.tolist())]
    ends = [i for i, gap in enumerate(gaps, 1) if gap > config.tie_eps]
    if len(ranked) <= config.budget:
        ends.append(len(ranked))
    margin = min((abs(gap - config.tie_eps) for gap in gaps), default=np.inf)
    return max(ends, default=0), margin


Decode = Callable[[NDArray[np.float64], NDArray[np.float64], DecodeConfig], RailClauses]


@dataclass(frozen=True, slots=True)
class ExportResult:
    """A rule, or None where the export abstains, with the rail it came from and its margin."""

    rule: SignedDNF | None
    rail: int | None
    margin: float


def canonical_export(
    scores: Scores, episode: Episode, config: DecodeConfig = PAPER
) -> ExportResult:
    """Return the paper's full export: G-equivariant whenever the scores are (Theorem 1)."""
    return dual_rail_export(scores, episode, canonical_decode, config)


def dual_rail_export(
    scores: Scores, episode: Episode, decode: Decode, config: DecodeConfig = PAPER
) -> ExportResult:
    """Return the better of the rules that `decode` makes of the two rails."""
    scores = check_scores(scores, episode)
    rails = [decode(scores.literals[rail], scores.gates[rail], config) for rail in (0, 1)]
    rules = [SignedDNF(rails[0].clauses), SignedDNF(rails[1].clauses, positive=False)]
    rail, rail_margin = _select(rules, scores, episode, config)
    margin = min(rails[0].margin, rails[1].margin, rail_margin)
    rule = None if rail is None else rules[rail]
    if config.by_errors and rule is not None:
        rule = _better_way(rule, episode)
    return ExportResult(rule, None if rule is None else rail, margin)


def _better_way(rule: SignedDNF, episode: Episode) -> SignedDNF | None:
    """Return the rule or its complement, whichever has fewer errors, unless both have too many."""
    wrong = [errors(way, episode) for way in (rule, ~rule)]
    smaller = min(np.count_nonzero(episode.labels == label) for label in (-1, 1))
    if min(wrong) > smaller + SLACK:
        return None
    return ~rule if wrong[1] < wrong[0] else rule


def errors(rule: SignedDNF, episode: Episode) -> int:
    """Return on how many labelled rows the rule does not say the label."""
    shown = episode.labels != 0
    return int(np.sum(rule.evaluate(episode.values[shown]) != episode.labels[shown]))


def _select(
    rules: list[SignedDNF], scores: Scores, episode: Episode, config: DecodeConfig
) -> tuple[int | None, float]:
    """Return the rail whose rule is nearest to the symmetrised soft prediction, and the margin.

    A tie is decided by the sum of the soft predictions; if that ties too, return None. A rail
    without clauses is no candidate. All sums are integers, so that a label swap reverses the
    comparison exactly.
    """
    filled = [rail for rail in (0, 1) if rules[rail].clauses]
    if len(filled) < 2:
        return (filled[0] if filled else None), np.inf
    if config.by_errors:
        wrong = [errors(rule, episode) for rule in rules]
        if wrong[0] != wrong[1]:
            return int(wrong[1] < wrong[0]), np.inf
    values = episode.values[episode.labels != 0]
    positive, negative = soft_truth(scores, values)
    reference = positive + UNIT - negative  # 2 R_sym
    truths = [(rule.evaluate(values).astype(np.int64) + 1) * UNIT for rule in rules]  # 2 x truth
    misfit = [int(np.abs(truth - reference).sum()) for truth in truths]
    lead = misfit[1] - misfit[0] or int((positive - negative).sum())
    margin = abs(misfit[1] - misfit[0]) / max(2 * UNIT * len(values), 1)
    return (None if lead == 0 else int(lead < 0)), margin


def check_scores(scores: Scores, episode: Episode) -> Scores:
    """Return the scores with the literals of never-observed atoms put to zero."""
    for given, kind in ((scores, Scores), (episode, Episode)):
        if not isinstance(given, kind):
            raise EncodingError(
                f"the export takes Scores and an Episode, got {type(given).__name__}"
            )
    if scores.atoms != episode.atoms:
        raise ShapeError(f"scores of {scores.atoms} atoms for an episode of {episode.atoms}")
    seen = (episode.values != 0).any(0)
    return scores if seen.all() else Scores(scores.literals * seen[:, None], scores.gates)


def soft_truth(scores: Scores, values: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the prediction of each rail on each row, (2, rows), in units of 1 / UNIT.

    clause = gate * (1 - prod(1 - p)) * prod(1 - p + p * truth), with truth 1/2 where a cell is
    missing; rule = 1 - prod(1 - clause). In the second product a true cell counts log(1 - p-), a
    false one log(1 - p+): half their sum, plus or minus half their difference.
    """
    absent = _fixed_log(1.0 - scores.literals)
    sums = absent.sum((2, 3))[..., None]
    twice = sums + (absent[..., 1] - absent[..., 0]) @ values.T.astype(np.float64)
    if not values.all():
        unknown = 2 * _fixed_log(1.0 - scores.literals / 2) - absent
        twice = twice + unknown.sum(-1) @ (values.T == 0)
    present, agreement = -np.expm1(sums / POINT), np.exp(twice / (2 * POINT))
    clauses = scores.gates[..., None] * present * agreement
    soft = 1.0 - np.prod(1.0 - np.clip(clauses, FLOOR, 1.0), axis=1)
    return np.rint(soft * UNIT).astype(np.int64)


def _fixed_log(factor: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.rint(np.log(np.maximum(factor, FLOOR)) * POINT)
