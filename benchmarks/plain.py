"""The same network in plain tensor form, to time against: one tensor for each formula.

Nothing is counted beforehand and nothing is folded: truth tables of rows x literals, three
covariance matrices of literals x literals, a key for every row, keys and values of every literal
in every layer, every literal as every slot sees it. Whole-tensor operations throughout, so this
is how the model would be written first, not a straw man of loops.
"""

import math

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.model.layers import (
    Weights,
    attend,
    layer_norm,
    linear,
    perceptron,
    relu,
    sigmoid,
    softmax,
    split_heads,
)
from gnri.model.nri.encoder import EPSILON
from gnri.model.nri.nri import Network
from gnri.model.nri.pair_memory import TIE_EPS
from gnri.model.nri.slot_decoder import ABSENT
from gnri.scores import Scores

Floats = NDArray[np.floating]


def plain_scores(network: Network, episode: Episode) -> Scores:
    """Scores of both rails of a `gnri` network on a table without missing cells."""
    dtype = network.decoder.queries.dtype
    values, label = episode.values, episode.labels > 0
    truth = np.stack([values > 0, values < 0], -1).reshape(len(values), -1).astype(dtype)
    literals, gates = zip(*(_rail(network, truth, given) for given in (label, ~label)), strict=True)
    return Scores(np.stack(literals), np.stack(gates))


def _rail(network: Network, truth: Floats, label: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    decoder, heads = network.decoder, network.config.heads
    literals = _embed(network.encoder, truth, label, heads)
    slots = decoder.queries + linear(decoder.context, literals.mean(0))
    slots = slots + _remember(decoder.pairs, slots, literals, network.config.pairs)
    for number in range(network.config.layers):
        layer = decoder.layers[number]
        among = np.split(linear(layer.among.project, layer_norm(layer.norms[0], slots)), 3, -1)
        slots = slots + linear(layer.among.output, _mix(*among, heads))
        slots = slots + _attention(layer.across, layer_norm(layer.norms[1], slots), literals, heads)
        slots = slots + perceptron(layer.feed, layer_norm(layer.norms[2], slots))
    return _read_out(decoder, layer_norm(decoder.norm, slots), literals)


def _embed(encoder: Weights, truth: Floats, label: NDArray[np.bool_], heads: int) -> Floats:
    groups = [truth[label], truth[~label], truth]
    rates = [group.sum(0) / (len(group) + EPSILON) for group in groups]
    seen = [
        np.full_like(rate, len(group) / (len(group) + EPSILON))
        for rate, group in zip(rates, groups, strict=True)
    ]
    inside = rates[2].clip(EPSILON, 1 - EPSILON)
    entropy = -(inside * np.log(inside) + (1 - inside) * np.log(1 - inside))
    nothing = np.zeros_like(entropy)
    positive, negative, both = (_covariation(group) for group in groups)
    columns = [c for rate, known in zip(rates, seen, strict=True) for c in (rate, 1 - rate, known)]
    columns += [entropy, nothing, nothing, both[0], *positive, *negative, positive[1] - negative[1]]
    own = layer_norm(encoder.norm, perceptron(encoder.embed, np.stack(columns, -1), relu))
    code = np.stack([label, ~label, np.ones_like(label)], -1).astype(truth.dtype)
    keys = perceptron(encoder.examples.label, code, relu)
    return own + _attention(encoder.examples, own, keys, heads)


def _covariation(truth: Floats) -> tuple[Floats, Floats]:
    centred = truth - truth.mean(0)
    covariance = centred.T @ centred / len(truth)
    np.fill_diagonal(covariance, 0)
    others = len(covariance) - 1
    return np.abs(covariance).sum(1) / others, covariance.sum(1) / others


def _attention(weights: Weights, queries: Floats, keys: Floats, heads: int) -> Floats:
    pairs = (weights.query, queries), (weights.key, keys), (weights.value, keys)
    return linear(weights.output, _mix(*(linear(*pair) for pair in pairs), heads))


def _mix(query: Floats, key: Floats, value: Floats, heads: int) -> Floats:
    return attend(*(split_heads(part[None], heads) for part in (query, key, value)))[0]


def _remember(memory: Weights, slots: Floats, literals: Floats, wanted: int) -> Floats:
    query, key = linear(memory.query, literals), linear(memory.key, literals)
    half = query @ key.T / (2 * math.sqrt(query.shape[-1]))
    score = sigmoid(half + half.T)
    first, second = np.triu_indices(len(score), 1)
    flat = score[first, second]
    chosen = flat >= np.sort(flat)[-wanted] - TIE_EPS
    means = literals.reshape(-1, 2, literals.shape[-1]).mean(1)
    values = linear(memory.value, means)
    content = values[first[chosen] // 2] + values[second[chosen] // 2]
    weights = softmax(slots @ content.T / math.sqrt(content.shape[-1]))
    return weights @ (flat[chosen, None] * content)


def _read_out(decoder: Weights, slots: Floats, literals: Floats) -> tuple[Floats, Floats]:
    seen = decoder.scale[:, None] * literals + decoder.shift[:, None]  # slots x literals x width
    side = linear(decoder.slot_side, slots)[..., None]
    logits = (linear(decoder.literal_side, seen) @ side)[..., 0]
    logits = logits / math.sqrt(slots.shape[-1]) + decoder.bias
    pairs = logits.reshape(len(slots), -1, 2)
    pairs = np.where(pairs < pairs[..., ::-1], ABSENT, pairs)
    chances = sigmoid(pairs.reshape(len(slots), -1))
    own = (chances[..., None] * seen).sum(1) / chances.sum(1, keepdims=True)
    presence = 1 - (1 - chances).prod(1, keepdims=True)
    context = np.broadcast_to(literals.mean(0), slots.shape)
    inputs = np.concatenate([context, own, slots, presence], -1)
    return sigmoid(pairs), sigmoid(perceptron(decoder.gate, inputs))[:, 0]
