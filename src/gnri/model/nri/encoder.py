"""Statistics to literal embeddings: 18 numbers for each literal, and attention to the examples."""

import math

from gnri.model.layers import (
    Array,
    Weights,
    cast,
    full_precision,
    layer_norm,
    library,
    linear,
    perceptron,
    relu,
    sigmoid,
)
from gnri.model.nri.gram_statistics import PAIR_KINDS, Statistics

FEATURES, PAIR_FEATURES = 18, 2 * PAIR_KINDS
EPSILON = 1e-6
LOG_SCALE = 4.0  # brings the logarithm of a number of atoms near 1
_LEAST = 1e-300  # stands for no rows: the odds are then beyond any logit


def literal_features(stats: Statistics, counts: Array, *, sized: bool = False) -> Array:
    """Return the features of each literal, (batch, atoms, 2, features) in float64.

    Truth, falsity and observation rate in each class and overall, entropy, two reserved zeros,
    and covariation; `sized` has the logarithm of the number of atoms for the second zero. Where
    the statistics have pairs, PAIR_FEATURES follow. An entry stands for `counts` (batch, atoms)
    atoms, 0 for padding.
    """
    xp = library(counts)
    # Convert first: in torch a whole number plus a fraction is a float32.
    sizes, known, signed = (
        cast(xp.concatenate([part, part.sum(1, keepdims=True)], axis=1), xp.float64)
        for part in stats[:3]
    )
    seen = known[..., None]
    true = xp.stack([known + signed, known - signed], axis=-1) / 2  # (batch, 3, atoms, 2)
    rate = true / (seen + EPSILON)
    shown = xp.broadcast_to(seen / (sizes[..., None, None] + EPSILON), rate.shape)
    rates = xp.stack([rate, 1 - rate, shown], axis=-1)
    inside = rate[:, 2].clip(EPSILON, 1 - EPSILON)
    entropy = -(inside * xp.log(inside) + (1 - inside) * xp.log(1 - inside))[..., None]
    reserved = [xp.zeros_like(entropy)] * 2
    atoms = cast(counts.sum(1), xp.float64)
    if sized:
        reserved[1] = reserved[0] + xp.log(atoms.clip(min=1))[:, None, None, None] / LOG_SCALE
    covariation = _covariation(known, signed, stats.spread, atoms)
    groups = [rates[:, group] for group in range(3)]
    pairs = _pair_shares(stats)
    return xp.concatenate([*groups, entropy, *reserved, covariation, pairs], axis=-1)


def _pair_shares(stats: Statistics) -> Array:
    """Return the pairs of each literal as shares of the rows, (batch, atoms, 2, features)."""
    xp, (batch, signs, classes, kinds, atoms) = library(stats.pairs), stats.pairs.shape
    sizes = cast(stats.sizes, xp.float64).clip(min=1)
    both = xp.ones_like(sizes) * sizes[:, :1] * sizes[:, 1:]
    rows = xp.stack([both, sizes, both], axis=-1)[..., :kinds]  # (batch, classes, kinds)
    shares = stats.pairs / rows[:, None, :, :, None]
    return shares.reshape(batch, signs, classes * kinds, atoms).swapaxes(2, 3).swapaxes(1, 2)


def _covariation(known: Array, signed: Array, spread: Array, atoms: Array) -> Array:
    """Return mean |covariance| with the other 2N - 1 literals, and mean covariance, (..., 6).

    Covariances with x and its negation cancel. The literal's own negation leaves minus its
    variance.
    """
    xp = library(known)
    others = (2 * atoms - 1).clip(min=1)[:, None, None]
    variance = (known**2 - signed**2) / (2 * known.clip(min=1)) ** 2
    size = (spread / 2 + variance) / others  # +-1 covariance is 4x, two signs
    drift = -variance / others
    parts = size[:, 2], size[:, 0], drift[:, 0], size[:, 1], drift[:, 1], drift[:, 0] - drift[:, 1]
    columns = xp.stack(parts, axis=-1)[..., None, :]
    return xp.concatenate([columns, columns], axis=-2)


def encode(weights: Weights, features: Array, sizes: Array, heads: int) -> Array:
    """Return one embedding for each literal, from its own features and the class balance.

    Features are (batch, literals, features), class sizes (batch, 2).
    """
    return attend_examples(weights.examples, embed(weights, features), sizes, heads)


def embed(weights: Weights, features: Array) -> Array:
    """Return the embeddings before the attention to examples."""
    return layer_norm(weights.norm, perceptron(weights.embed, features, relu))


def label_keys(weights: Weights) -> Array:
    """Return the keys of a positive and of a negative example, (2, width).

    Examples are given as (y, 1 - y, 1), so each key begins with two columns of the weights.
    """
    first, second = weights.label[0], weights.label[2]
    return linear(second, relu(first.weight[:, :2].mT + (first.weight[:, 2] + first.bias)))


def attend_examples(weights: Weights, literals: Array, sizes: Array, heads: int) -> Array:
    """Return the literals plus what they take from the examples.

    The keys of examples depend on their label alone. With two keys the softmax over the rows is a
    sigmoid in the class sizes: o_0 + sum_h alpha_h u_h, whatever the number of rows.
    """
    xp, keys = library(literals), label_keys(weights)
    width = keys.shape[-1]
    values = linear(weights.value, keys)
    gap = linear(weights.key, keys[:1] - keys[1:]).reshape(heads, 1, -1)
    gap = gap / math.sqrt(width // heads)
    weight = (gap @ weights.query.weight.reshape(heads, -1, width))[:, 0]
    offset = (gap @ weights.query.bias.reshape(heads, -1, 1))[:, 0, 0]
    logs = xp.log(cast(sizes, xp.float64).clip(min=_LEAST))
    odds = cast(logs[:, 0] - logs[:, 1], weights.query.weight.dtype)[:, None, None]
    shares = sigmoid(literals @ weight.mT + (offset + odds))
    base = linear(weights.output, values[1])
    apart = (values[0] - values[1]).reshape(heads, -1, 1)
    contrast = (weights.output.weight.reshape(width, heads, -1).swapaxes(0, 1) @ apart)[..., 0]
    with full_precision(literals):
        mixed = cast(shares, literals.dtype) @ cast(contrast, literals.dtype)
        return literals + mixed + cast(base, literals.dtype)
