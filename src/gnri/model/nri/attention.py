"""Attention over a set of literals with multiplicities, and the layers built on it."""

import math
from collections.abc import Callable

from gnri.model.layers import (
    Array,
    Weights,
    attend,
    layer_norm,
    library,
    linear,
    perceptron,
    softmax,
    split_heads,
)


def attend_literals(
    weights: Weights, slots: Array, literals: Array, log_counts: Array, heads: int
) -> Array:
    """Return what the slots take from the literals, (batch, slots, width).

    <W_q s, W_k e> = <W_k' W_q s, e> and sum a W_v e = W_v sum a e: the key and value maps are
    folded onto the slots, and nothing of size literals x width x width is computed. A key bias
    would cancel in the softmax: there is none.
    """
    xp, (batch, count, width) = library(slots), slots.shape
    key, value = (part.weight.reshape(heads, -1, width) for part in (weights.key, weights.value))
    query = linear(weights.query, slots).reshape(batch * count, heads, -1).swapaxes(0, 1)
    folded = (query / math.sqrt(width // heads)) @ key  # (heads, batch * slots, width)
    folded = folded.reshape(heads, batch, count, width).swapaxes(0, 1)
    folded = folded.reshape(batch, heads * count, width)
    logits = folded @ literals.mT + log_counts[:, None]
    # Shares below e^-60 change nothing, but subnormal numbers make the product slow.
    logits = logits - xp.amax(logits, -1, keepdims=True)
    shares = softmax(xp.where(logits > -60, logits, -xp.inf))
    pooled = (shares @ literals).reshape(batch, heads, count, width).swapaxes(0, 1)
    mixed = pooled.reshape(heads, batch * count, width) @ value.mT
    mixed = mixed.swapaxes(0, 1).reshape(batch, count, width)
    return linear(weights.output, mixed + weights.value.bias)


def attend_slots(weights: Weights, slots: Array, heads: int) -> Array:
    """Return what the slots take from each other, (batch, slots, width)."""
    width, projected = slots.shape[-1], linear(weights.project, slots)
    parts = (projected[..., start : start + width] for start in range(0, 3 * width, width))
    return linear(weights.output, attend(*(split_heads(part, heads) for part in parts)))


def decoder_layer(
    weights: Weights,
    slots: Array,
    literals: Array,
    log_counts: Array,
    heads: int,
    drop: Callable[[Array], Array],
) -> Array:
    """Return slots after attention to each other, to the literals, and a feed-forward layer.

    Each comes after a layer norm. `drop` is the dropout of training.
    """
    first, second, third = (weights.norms[number] for number in range(3))
    slots = slots + drop(attend_slots(weights.among, layer_norm(first, slots), heads))
    normed = layer_norm(second, slots)
    slots = slots + drop(attend_literals(weights.across, normed, literals, log_counts, heads))
    return slots + drop(perceptron(weights.feed, layer_norm(third, slots)))
