"""The network, slowly: every literal, row, slot and pair has its own entry in some table.

This is the definition that `gnri.model` computes by counts and folded products. It reads the
parameters of a `Network` and nothing else of it.
"""

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from gnri.episode import Episode
from studies.paper.baseline_networks import Condition, ConditionNetwork

EPSILON = 1e-6
TIE = 1e-6
ROUNDING = 1e-12  # what is closer than this is equal in exact arithmetic
PAIRS = 8


class Answer(NamedTuple):
    literals: Tensor  # probability (slots, atoms, 2)
    gates: Tensor  # probability (slots,)


class Table(NamedTuple):
    """The labelled rows of an episode over the atoms observed on any of them."""

    truth: Tensor  # (rows, literals) 1 true, 0 false or missing; x0, ~x0, x1, ~x1, ...
    known: Tensor  # (rows, literals) 1 observed
    label: Tensor  # (rows,) bool
    atoms: Tensor  # (atoms,) their places in the episode
    width: int  # atoms of the episode


def reference(network: ConditionNetwork, episode: Episode) -> Answer:
    """Probabilities of the rail that reads the labels as given; 0 for atoms never observed."""
    table = read(episode)
    literals = embed(network, table)
    slots = decode(network, literals)
    probabilities = exclude(literal_probabilities(network.decoder, slots, literals), network)
    gates = gate_probabilities(network.decoder, slots, literals, probabilities)
    whole = torch.zeros(len(slots), table.width, 2, dtype=torch.float64)
    whole[:, table.atoms] = probabilities.unflatten(1, (-1, 2))
    return Answer(whole, gates)


def run(part: Any, inputs: Tensor, activation: Any = functional.gelu) -> Tensor:
    """A linear map, a layer norm, or two maps with an activation between them."""
    if not hasattr(part, "weight"):
        return run(part[2], activation(run(part[0], inputs)))
    if part.weight.ndim == 2:
        return functional.linear(inputs, part.weight, getattr(part, "bias", None))
    return functional.layer_norm(inputs, part.weight.shape, part.weight, part.bias)


def read(episode: Episode) -> Table:
    shown = episode.labels != 0
    values = torch.tensor(episode.values[shown], dtype=torch.float64)
    atoms = (values != 0).any(0).nonzero()[:, 0]
    cells = values[:, atoms].repeat_interleave(2, 1)
    signs = torch.tensor([1.0, -1.0]).repeat(len(atoms))
    label = torch.tensor(episode.labels[shown] > 0)
    known = (cells != 0).double()
    return Table((cells * signs > 0).double(), known, label, atoms, episode.atoms)


def features(table: Table, literal_sign: bool) -> Tensor:
    """The 18 numbers of each literal, (literals, 18)."""
    groups = [table.label, ~table.label, torch.ones_like(table.label)]
    parts = [rates(table.truth[group], table.known[group]) for group in groups]
    overall = parts[2][:, 0].clamp(EPSILON, 1 - EPSILON)
    entropy = -(overall * overall.log() + (1 - overall) * (1 - overall).log())
    sign = torch.tensor([1.0, 0.0]).repeat(len(table.atoms)) * literal_sign
    positive, negative, both = (others(table.truth[g], table.known[g]) for g in groups)
    columns = [
        *(column for part in parts for column in part.T),
        entropy,
        sign,
        torch.zeros_like(entropy),
        both[0],
        *positive,
        *negative,
        positive[1] - negative[1],
    ]
    return torch.stack(columns, 1)


def rates(truth: Tensor, known: Tensor) -> Tensor:
    """How often each literal is true, is false and is observed, (literals, 3)."""
    true = truth.sum(0) / (known.sum(0) + EPSILON)
    return torch.stack([true, 1 - true, known.sum(0) / (len(known) + EPSILON)], 1)


def others(truth: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
    """Mean |covariance| and mean covariance of each literal with all the others."""
    count = known.sum(0).clamp(min=1)
    centred = (truth - truth.sum(0) / count) * known
    covariance = (centred.T @ centred) / count[:, None]  # divided by the first literal's count
    covariance.fill_diagonal_(0)
    rest = max(known.shape[1] - 1, 1)
    return covariance.abs().sum(1) / rest, covariance.sum(1) / rest


def embed(network: ConditionNetwork, table: Table) -> Tensor:
    """Features, then attention to one key for each labelled row, (literals, width)."""
    encoder: Any = network.encoder
    own = run(encoder.embed, features(table, network.condition.literal_sign), torch.relu)
    own = run(encoder.norm, own)
    label = table.label.double()
    codes = torch.stack([label, 1 - label, torch.ones_like(label)], 1)
    keys = run(encoder.examples.label, codes, torch.relu)
    if network.condition.content_keys:
        keys = keys + content_keys(encoder.examples, table)
    return own + attention(encoder.examples, own, keys, network.config.heads)


def content_keys(module: Any, table: Table) -> Tensor:
    """Each row's cells through a map with one weight for each column; untrained ones are drawn."""
    hidden, trained, _ = module.columns.shape
    generator = torch.Generator().manual_seed(0)
    extra = torch.rand(max(table.width - trained, 0), hidden, 2, generator=generator)
    drawn = (2 * extra - 1) * (1 / math.sqrt(2 * table.width))
    columns = torch.cat([module.columns.transpose(0, 1), drawn.double()])  # (columns, hidden, 2)
    read_columns = columns[table.atoms].transpose(1, 2).flatten(0, 1)  # (literals, hidden)
    return run(module.content, torch.relu(table.truth @ read_columns + module.shift))


def attention(module: Any, queries: Tensor, keys: Tensor, count: int) -> Tensor:
    """Multi-head attention with a key and a value for every entry."""
    query, key = run(module.query, queries), run(module.key, keys)
    return run(module.output, heads(query, key, run(module.value, keys), count))


def heads(query: Tensor, key: Tensor, value: Tensor, count: int) -> Tensor:
    mixed = []
    for q, k, v in zip(*(part.chunk(count, 1) for part in (query, key, value)), strict=True):
        mixed.append((q @ k.T / math.sqrt(q.shape[1])).softmax(1) @ v)
    return torch.cat(mixed, 1)


def decode(network: ConditionNetwork, literals: Tensor) -> Tensor:
    """The slots, (slots, width)."""
    decoder: Any = network.decoder
    slots = decoder.queries + run(decoder.context, literals.mean(0))
    slots = slots + remember(decoder, slots, literals, network.condition)
    for number in range(network.config.layers):
        layer, count = decoder.layers[number], network.config.heads
        query, key, value = run(layer.among.project, run(layer.norms[0], slots)).chunk(3, 1)
        slots = slots + run(layer.among.output, heads(query, key, value, count))
        slots = slots + attention(layer.across, run(layer.norms[1], slots), literals, count)
        slots = slots + run(layer.feed, run(layer.norms[2], slots))
    return run(decoder.norm, slots)


def remember(decoder: Any, slots: Tensor, literals: Tensor, condition: Condition) -> Tensor:
    """Pair memory: each slot attends to the chosen pairs of literals."""
    memory = decoder.pairs
    pairs = torch.tensor(list(combinations(range(len(literals)), 2)))
    first, second = pairs.T
    query, key = run(memory.query, literals), run(memory.key, literals)
    forth = (query[first] * key[second]).sum(1)
    back = (query[second] * key[first]).sum(1)
    score = torch.sigmoid((forth + back) / (2 * math.sqrt(query.shape[1])))
    wanted = min(PAIRS, len(pairs))
    if condition.tie_complete:
        chosen = score >= score.topk(wanted).values[-1] - TIE
        sums = polarity_average(literals, pairs[chosen])
    else:
        order = np.argsort(-score.numpy(), kind="stable")  # a tie goes to the pair listed first
        chosen = torch.from_numpy(order[:wanted].copy())
        sums = literals[first[chosen]] + literals[second[chosen]]
    content = sums @ memory.value.weight.T + 2 * memory.value.bias
    weights = (slots @ content.T / math.sqrt(content.shape[1])).softmax(1)
    return weights @ (score[chosen][:, None] * content)


def polarity_average(literals: Tensor, pairs: Tensor) -> Tensor:
    """The sum of each pair's embeddings, averaged over the polarities of its two atoms."""
    averaged = []
    for a, b in pairs.tolist():
        if a // 2 == b // 2:
            averaged.append(literals[a] + literals[b])
        else:
            signs = [(s, t) for s in (a, a ^ 1) for t in (b, b ^ 1)]
            averaged.append(torch.stack([literals[s] + literals[t] for s, t in signs]).mean(0))
    return torch.stack(averaged)


def literal_probabilities(decoder: Any, slots: Tensor, literals: Tensor) -> Tensor:
    """Each slot sees every literal through its own scale and shift, (slots, literals)."""
    logits = []
    for slot, seen in zip(slots, seen_by_slots(decoder, literals), strict=True):
        side = run(decoder.literal_side, seen) @ run(decoder.slot_side, slot)
        logits.append(side / math.sqrt(len(slot)) + decoder.bias)
    return torch.sigmoid(torch.stack(logits))


def seen_by_slots(decoder: Any, literals: Tensor) -> list[Tensor]:
    film = zip(decoder.scale, decoder.shift, strict=True)
    return [scale * literals + shift for scale, shift in film]


def exclude(probabilities: Tensor, network: ConditionNetwork) -> Tensor:
    """The lower of x and ~x goes to 0; on a tie the baseline keeps x, tie-complete keeps both."""
    left = probabilities.clone()
    for slot in range(len(left)):
        for x in range(0, left.shape[1], 2):
            contrast = float(probabilities[slot, x] - probabilities[slot, x + 1])
            tie = abs(contrast) < ROUNDING
            if contrast < 0 and not tie:
                left[slot, x] = 0
            if (contrast > 0 and not tie) or (tie and not network.condition.tie_complete):
                left[slot, x + 1] = 0
    return left


def gate_probabilities(
    decoder: Any, slots: Tensor, literals: Tensor, probabilities: Tensor
) -> Tensor:
    """The gate reads the mean literal, the slot's own literals, its state and its presence."""
    gates = []
    views = seen_by_slots(decoder, literals)
    for slot, seen, chosen in zip(slots, views, probabilities, strict=True):
        own = (chosen[:, None] * seen).sum(0) / chosen.sum()
        present = 1 - (1 - chosen).prod()
        gates.append(run(decoder.gate, torch.cat([literals.mean(0), own, slot, present[None]])))
    return torch.sigmoid(torch.cat(gates))
