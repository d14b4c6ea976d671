"""Statistics to literal embeddings, and the attention from literals to examples."""

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

_LEAST = 1e-300  # stands for no rows: the odds are then beyond any logit


def encode(weights: Weights, features: Array, sizes: Array, heads: int) -> Array:
    """Return one embedding for each literal, from its own features and the class balance.

    Features are (batch, literals, FEATURES), class sizes (batch, 2).
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
