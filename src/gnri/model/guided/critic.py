"""How long a rule and its errors are to describe, and how well it will do on new rows."""

from collections.abc import Iterable, Sequence
from math import lgamma, log
from typing import NamedTuple

from gnri.model.layers import (
    Array,
    Shapes,
    Weights,
    library,
    log_gamma,
    perceptron,
    perceptron_shapes,
)

FEATURES = 27
_WIDTH = 64
_FAR = 6.0  # standard deviations beyond which a feature is cut off


class Facts(NamedTuple):
    """Inputs of the critic, each (candidates,): counts of rows, size and beliefs of a rule."""

    hits: Array
    false_alarms: Array
    misses: Array
    rejections: Array
    clauses: Array
    literals: Array
    distinct: Array  # literals, each counted once
    longest: Array  # literals of the longest clause
    logits: Array  # the sum of the beliefs in its literals
    surprise: Array  # the sum of -log of the probability of each literal
    surprise_distinct: Array
    noise: Array  # of its rail
    other_noise: Array  # of the other rail
    expected: Array  # the sum of the probabilities of all literals of the rail
    all_literals: Array  # how many literals the table has


def critic_shapes() -> Shapes:
    """Return the shapes of the critic: of the network, and of the scale of its features."""
    scale: Shapes = {"center": (FEATURES,), "spread": (FEATURES,)}
    return scale | perceptron_shapes("score", FEATURES, _WIDTH, _WIDTH, 1)


def predict_shares(critic: Weights, facts: Facts) -> Array:
    """Return for each candidate the predicted share of new rows that it gets right."""
    standard = (critic_features(facts) - critic.center) / critic.spread
    return perceptron(critic.score, standard.clip(-_FAR, _FAR), layers=3)[..., 0]


def critic_features(facts: Facts) -> Array:
    """Return features (candidates, FEATURES)."""
    xp = library(facts.hits)
    target, rest = facts.hits + facts.misses, facts.false_alarms + facts.rejections
    rows, errors = target + rest, facts.false_alarms + facts.misses
    covered = facts.hits + facts.false_alarms
    parts = [
        errors / rows,
        (errors + 1) / (rows + 2),
        xp.minimum(target, rest) / rows,
        xp.log(rows),
        xp.log(facts.all_literals),
        facts.clauses,
        facts.literals,
        facts.distinct,
        facts.surprise,
        facts.surprise_distinct,
        facts.logits,
        facts.noise,
        facts.other_noise,
        label_nats(errors, rows) / rows,
        facts.literals / rows,
        facts.surprise / rows,
        (facts.hits + 1) / (covered + 2),
        (facts.rejections + 1) / (rows - covered + 2),
        target / rows,
        facts.longest,
        facts.expected,
        covered / rows,
        facts.clauses / rows,
        *map(xp.log1p, (facts.hits, facts.false_alarms, facts.misses, facts.rejections)),
    ]
    return xp.stack(parts, axis=-1)


FEW, MANY = 2 / 3, 1 / 6
"""A clause costs log(literals choose size), times max(FEW, MANY * log(rows + 1)).

Here rows are twice the rows of the rarer class. With many rows, a cheap clause would pay for itself
by chance.
"""

_LEAST = 0.3  # nats of an error, also where nearly half of the rows are errors


def label_nats(errors: Array, rows: Array) -> Array:
    """Return log(rows + 1) + log(rows choose errors), the cost of the labels given the rule."""
    return log_gamma(rows + 2) - log_gamma(errors + 1) - log_gamma(rows - errors + 1)


def share_of(target: float, rest: float) -> float:
    """Return the share that a clause costs, from the number of target rows and others."""
    return max(FEW, MANY * log(2 * min(target, rest) + 1))


def rule_nats(sizes: Iterable[int], literals: int, share: float) -> float:
    """Return `share` times log(literals choose size), summed over the clauses in a fixed order."""
    return share * sum(_log_choose(literals, size) for size in sorted(sizes))


def description_length(
    errors: float, rows: float, sizes: Iterable[int], literals: int, share: float = FEW
) -> float:
    """Return nats for a rule with clauses of these sizes, and for the labels it gets wrong."""
    labels = log(rows + 1) + _log_choose(rows, errors)  # label_nats, of two plain numbers
    return labels + rule_nats(sizes, literals, share)


def literal_price(
    errors: float, rows: float, sizes: Sequence[int], literals: int, share: float
) -> float:
    """Return the cost of an average literal, in errors; `sizes` must not be empty."""
    one_more = max(log(max(rows - errors, 1) / (errors + 1)), _LEAST)
    return rule_nats(sizes, literals, share) / sum(sizes) / one_more


def _log_choose(among: float, size: float) -> float:
    return lgamma(among + 1) - lgamma(size + 1) - lgamma(among - size + 1)
