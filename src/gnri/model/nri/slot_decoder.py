"""From literal embeddings to clause slots: logits of each literal, and a gate."""

import math
from collections.abc import Callable
from typing import NamedTuple

from gnri.model.layers import (
    Array,
    Weights,
    at_least_single,
    attend,
    cast,
    layer_norm,
    library,
    linear,
    perceptron,
    sigmoid,
    softmax,
    softplus,
    split_heads,
)
from gnri.model.nri.pair_memory import PairMemory, repeat_twice

ABSENT = -1e4
"""The logit of a literal that cannot be chosen; its probability is 0 in every precision."""


class SlotLogits(NamedTuple):
    """The output of the network on one rail, before the sigmoid."""

    literal_logits: Array  # (batch, slots, atoms, 2)
    gate_logits: Array  # (batch, slots)


class SlotDecoder(PairMemory):
    """Slots start from learned queries, the mean literal and the pair memory, and are refined."""

    def decode(self, literals: Array, counts: Array, even: Array) -> SlotLogits:
        """Return the logits of slots and gates from both literals of each entry.

        An entry stands for `counts` (batch, atoms) atoms. The two literals of an `even` atom have
        equal statistics.
        """
        decoder, xp = self.decoder, library(literals)
        weights = repeat_twice(counts)
        shares = cast(weights / weights.sum(1, keepdims=True).clip(min=1), literals.dtype)
        mean = (shares[:, None] @ literals)[:, 0]
        slots = decoder.queries + linear(decoder.context, mean)[:, None]
        slots = slots + self.remember(decoder.pairs, slots, literals, counts)
        log_counts = cast(xp.log(weights), literals.dtype)  # minus infinity for padding
        for number in range(self.config.layers):
            layer, heads = decoder.layers[number], self.config.heads
            slots = decoder_layer(layer, slots, literals, log_counts, heads, self.drop)
        slots = layer_norm(decoder.norm, slots)
        logits = self._literal_logits(slots, literals, counts, even)
        flat = logits.reshape(*logits.shape[:2], -1)
        return SlotLogits(logits, self._gates(slots, literals, mean, flat, weights))

    def drop(self, values: Array) -> Array:
        """Return the values; in training some are dropped."""
        return values

    def _literal_logits(self, slots: Array, literals: Array, counts: Array, even: Array) -> Array:
        """<W_s s, W_h (scale * e + shift) + b> / sqrt(width), with the map folded onto slots."""
        decoder, xp = self.decoder, library(slots)
        side = linear(decoder.slot_side, slots)
        folded = side @ decoder.literal_side.weight
        offset = (folded * decoder.shift).sum(-1) + side @ decoder.literal_side.bias
        products = (folded * decoder.scale) @ literals.mT + offset[..., None]
        logits = at_least_single(products) / math.sqrt(slots.shape[-1]) + decoder.bias
        pairs = logits.reshape(*logits.shape[:2], -1, 2)
        # Equal in exact arithmetic; rounding must not choose between them.
        pairs = xp.where(even[:, None, :, None], xp.amax(pairs, -1, keepdims=True), pairs)
        return self.exclude(xp.where(counts[:, None, :, None] > 0, pairs, ABSENT))

    def exclude(self, logits: Array) -> Array:
        """Remove the lower of x and its negation; on a tie both stay."""
        highest = library(logits).amax(logits, -1, keepdims=True)
        return library(logits).where(logits < highest, ABSENT, logits)

    def _gates(
        self, slots: Array, literals: Array, mean: Array, logits: Array, weights: Array
    ) -> Array:
        """Return gates that read the mean literal, the slot's literals, state and presence."""
        decoder, xp = self.decoder, library(slots)
        shares = sigmoid(logits) * weights[:, None]
        own = shares / shares.sum(-1, keepdims=True).clip(min=1e-6)
        summary = decoder.scale * (cast(own, literals.dtype) @ literals) + decoder.shift
        absent = (-softplus(logits) * weights[:, None]).sum(-1, keepdims=True)
        presence = cast(-xp.expm1(absent), literals.dtype)
        context = xp.broadcast_to(mean[:, None], slots.shape)
        inputs = xp.concatenate([context, summary, slots, presence], axis=-1)
        return at_least_single(perceptron(decoder.gate, inputs))[..., 0]


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
