"""The same network in plain tensor form, to time against: one tensor for each formula.

Nothing is counted beforehand and nothing is folded: truth tables of rows x literals, three
covariance matrices of literals x literals, a key for every row, keys and values of every literal
in every layer, every literal as every slot sees it. Whole-tensor operations throughout, so this
is how the model would be written first, not a straw man of loops.
"""

import math

import torch
from torch import Tensor, nn

from gnri.episode import Episode
from gnri.model.nri.literal_features import EPSILON
from gnri.model.nri.nri import Network
from gnri.model.nri.pair_memory import TIE_EPS
from gnri.model.nri.slot_decoder import ABSENT
from gnri.scores import Scores


@torch.no_grad()
def plain_scores(network: Network, episode: Episode) -> Scores:
    """Scores of both rails of a `gnri` network on a table without missing cells."""
    dtype = network.decoder.queries.dtype
    values = torch.tensor(episode.values, dtype=dtype)
    truth = torch.stack([values > 0, values < 0], -1).flatten(1).to(dtype)
    label = torch.tensor(episode.labels > 0)
    literals, gates = zip(*(_rail(network, truth, given) for given in (label, ~label)), strict=True)
    return Scores(torch.stack(literals).numpy(), torch.stack(gates).numpy())


def _rail(network: Network, truth: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
    literals = _embed(network.encoder, truth, label)
    decoder = network.decoder
    slots = decoder.queries + decoder.context(literals.mean(0))
    slots = slots + _remember(decoder.pairs, slots, literals)
    for layer in decoder.layers:
        among = layer.among.project(layer.norms[0](slots)).chunk(3, -1)
        slots = slots + layer.among.output(_heads(*among, layer.among.heads))
        slots = slots + _attention(layer.across, layer.norms[1](slots), literals)
        slots = slots + layer.feed(layer.norms[2](slots))
    return _read_out(decoder, decoder.norm(slots), literals)


def _embed(encoder: nn.Module, truth: Tensor, label: Tensor) -> Tensor:
    groups = [truth[label], truth[~label], truth]
    rates = [group.sum(0) / (len(group) + EPSILON) for group in groups]
    seen = [
        torch.full_like(rate, len(group) / (len(group) + EPSILON))
        for rate, group in zip(rates, groups, strict=True)
    ]
    inside = rates[2].clamp(EPSILON, 1 - EPSILON)
    entropy = -(inside * inside.log() + (1 - inside) * (1 - inside).log())
    nothing = torch.zeros_like(entropy)
    positive, negative, both = (_covariation(group) for group in groups)
    columns = [c for rate, known in zip(rates, seen, strict=True) for c in (rate, 1 - rate, known)]
    columns += [entropy, nothing, nothing, both[0], *positive, *negative, positive[1] - negative[1]]
    own = encoder.norm(encoder.embed(torch.stack(columns, -1)))
    code = torch.stack([label, ~label, torch.ones_like(label)], -1).to(truth.dtype)
    return own + _attention(encoder.examples, own, encoder.examples.label(code))


def _covariation(truth: Tensor) -> tuple[Tensor, Tensor]:
    centred = truth - truth.mean(0)
    covariance = (centred.T @ centred / len(truth)).fill_diagonal_(0)
    others = len(covariance) - 1
    return covariance.abs().sum(1) / others, covariance.sum(1) / others


def _attention(module: nn.Module, queries: Tensor, keys: Tensor) -> Tensor:
    parts = module.query(queries), module.key(keys), module.value(keys)
    return module.output(_heads(*parts, module.heads))


def _heads(query: Tensor, key: Tensor, value: Tensor, count: int) -> Tensor:
    split = [part.unflatten(-1, (count, -1)).transpose(0, 1) for part in (query, key, value)]
    weights = (split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])).softmax(-1)
    return (weights @ split[2]).transpose(0, 1).flatten(1)


def _remember(memory: nn.Module, slots: Tensor, literals: Tensor) -> Tensor:
    query, key = memory.query(literals), memory.key(literals)
    half = query @ key.T / (2 * math.sqrt(query.shape[-1]))
    score = torch.sigmoid(half + half.T)
    first, second = torch.triu_indices(len(score), len(score), 1)
    flat = score[first, second]
    chosen = flat >= flat.topk(memory.wanted // 2).values[-1] - TIE_EPS
    means = literals.unflatten(0, (-1, 2)).mean(1)
    content = memory.value(means[first[chosen] // 2]) + memory.value(means[second[chosen] // 2])
    weights = (slots @ content.T / math.sqrt(content.shape[-1])).softmax(-1)
    return weights @ (flat[chosen, None] * content)


def _read_out(decoder: nn.Module, slots: Tensor, literals: Tensor) -> tuple[Tensor, Tensor]:
    seen = decoder.scale[:, None] * literals + decoder.shift[:, None]  # slots x literals x width
    logits = (decoder.literal_side(seen) @ decoder.slot_side(slots)[..., None])[..., 0]
    logits = logits / math.sqrt(slots.shape[-1]) + decoder.bias
    pairs = logits.unflatten(-1, (-1, 2))
    pairs = pairs.masked_fill(pairs < pairs.flip(-1), ABSENT)
    chances = torch.sigmoid(pairs.flatten(1))
    own = (chances[..., None] * seen).sum(1) / chances.sum(1, keepdim=True)
    presence = 1 - (1 - chances).prod(1, keepdim=True)
    context = literals.mean(0).expand_as(slots)
    gates = torch.sigmoid(decoder.gate(torch.cat([context, own, slots, presence], -1)))[:, 0]
    return torch.sigmoid(pairs), gates
