"""The network run on the two rails of a table, in an order that no symmetry can change."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gnri.counts.rail import Rail
from gnri.counts.table import Table
from gnri.model.guided.decoder import Decoder, Written
from gnri.model.guided.network import Counts, GuidedNetwork

CHOICES = 128
"""Literals that the decoder may choose from, at most: the likeliest."""

_GRID = 1 << 20  # answers are kept on this grid, far above rounding noise


@dataclass(frozen=True, eq=False)
class Reading:
    """What the network says about a rail."""

    beliefs: NDArray[np.float64]  # (literals,): logits that a literal belongs in the rule
    noise: float  # the share of rows that the best short rule gets wrong
    rules: tuple[Written, ...]  # what the decoder writes, at each of its paces


@torch.inference_mode()
def read(network: GuidedNetwork, table: Table) -> list[Reading]:
    """Beliefs, noise and rules on each rail. Literals are shown in the order of their codes."""
    orders = [np.argsort(rail.codes, kind="stable") for rail in table.rails]
    counts = [
        _counts(rail, order, network.config.anchors)
        for rail, order in zip(table.rails, orders, strict=True)
    ]
    tokens = [network(part) for part in counts]
    beliefs = [_beliefs(network, *pair) for pair in zip(tokens, orders, strict=True)]
    shown = [_likeliest(*trio) for trio in zip(table.rails, orders, beliefs, strict=True)]
    choices = [order[places] for order, places in zip(orders, shown, strict=True)]
    seen = [part[:, places] for part, places in zip(tokens, shown, strict=True)]
    rules = Decoder(network, table.rails, choices, seen).rules()
    noises = [network.noise_logit(*pair) for pair in _anchored(tokens, counts)]
    return [
        Reading(belief, float(_snapped(noise.sigmoid().item())), tuple(written))
        for belief, noise, written in zip(beliefs, noises, rules, strict=True)
    ]


def _beliefs(
    network: GuidedNetwork, tokens: Tensor, order: NDArray[np.intp]
) -> NDArray[np.float64]:
    beliefs = np.empty(len(order))
    beliefs[order] = network.beliefs(tokens)[0].numpy()
    return _snapped(beliefs)


def _anchored(tokens: list[Tensor], counts: list[Counts]) -> Iterator[tuple[Tensor, Tensor]]:
    return ((part, count.anchors) for part, count in zip(tokens, counts, strict=True))


def _likeliest(
    rail: Rail, order: NDArray[np.intp], beliefs: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The places in `order` of the literals that the decoder may choose."""
    chosen = _first(np.lexsort((rail.codes, -beliefs)), rail.codes, CHOICES)
    return np.flatnonzero(np.isin(order, chosen))


def _counts(rail: Rail, order: NDArray[np.intp], most: int) -> Counts:
    target, rest = (part[0] for part in rail.count(rail.everything[None]))
    anchors = _anchors(rail, target, rest, most)
    pairs = np.stack(rail.count(rail.words[anchors]), -1)[:, order].transpose(1, 0, 2)
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return Counts(
        _tensor(np.stack([target, rest], -1)[order]),
        _tensor(pairs),
        torch.tensor(places[anchors])[None],
        _tensor(np.array([rail.target, rail.rest])),
    )


def _anchors(
    rail: Rail, target: NDArray[np.int64], rest: NDArray[np.int64], most: int
) -> NDArray[np.intp]:
    """The literals that tell most by themselves."""
    telling = np.abs(target * rail.rest - rest * rail.target)
    return _first(np.lexsort((rail.codes, -telling)), rail.codes, most)


def _first(ranked: NDArray[np.intp], codes: NDArray[np.uint64], most: int) -> NDArray[np.intp]:
    """At most so many of the first; of those that look the same, all or none."""
    if len(ranked) <= most:
        return ranked
    alike = codes[ranked[1 : most + 1]] == codes[ranked[:most]]
    return ranked[: np.flatnonzero(~alike).max(initial=-1) + 1]  # a length that splits no group


def _snapped(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    return np.round(np.asarray(values) * _GRID) / _GRID


def _tensor(array: NDArray[np.int64]) -> Tensor:
    return torch.from_numpy(array.astype(np.float64))[None]
