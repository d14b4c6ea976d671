"""A prediction of how well a rule does on new rows, from counts alone."""

from typing import NamedTuple

from gnri.model.guided.description_length import label_nats
from gnri.model.layers import Array, Shapes, Weights, library, perceptron, perceptron_shapes

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
