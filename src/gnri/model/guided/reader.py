"""The network run on the two rails of a table, in an order that no symmetry can change."""

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

AT_ONCE = 1 << 12
"""Literals whose pairs with the anchors are turned into features at a time."""

_GRID = 1 << 20  # answers are kept on this grid, far above rounding noise


@dataclass(frozen=True, eq=False)
class Reading:
    """What the network says about a rail."""

    beliefs: NDArray[np.float64]  # (literals,): logits that a literal belongs in the rule
    noise: float  # the share of rows that the best short rule gets wrong
    rules: tuple[Written, ...]  # what the decoder writes, at each of its paces


@dataclass(frozen=True, eq=False)
class _Seen:
    """What the network made of the literals of a rail, in the order in which they are shown."""

    order: NDArray[np.intp]
    tokens: Tensor  # (1, literals, width)
    anchors: Tensor  # (1, anchors): their places in the order


@dataclass(frozen=True, eq=False)
class _Counted:
    """Rows of the target and others: all, where a literal is true, where it and an anchor are."""

    alone: NDArray[np.int64]  # (literals, 2)
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]  # (anchors, literals) each
    sizes: tuple[int, int]

    def of(self, literals: NDArray[np.intp], anchors: NDArray[np.int64]) -> Counts:
        """What the network is told of these literals, the anchors at these places among them."""
        pairs = np.stack([part[:, literals] for part in self.pairs], -1)
        sizes = self.sizes if len(literals) == len(self.alone) else (*self.sizes, len(self.alone))
        return Counts(
            _tensor(self.alone[literals]),
            _tensor(pairs.transpose(1, 0, 2)),
            torch.tensor(anchors)[None],
            _tensor(np.array(sizes)),
        )


@torch.inference_mode()
def read(network: GuidedNetwork, table: Table) -> list[Reading]:
    """Beliefs, noise and rules on each rail. Literals are shown in the order of their codes."""
    seen = [_see(network, rail) for rail in table.rails]
    beliefs = [_beliefs(network, one) for one in seen]
    orders = [one.order for one in seen]
    shown = [_likeliest(*trio) for trio in zip(table.rails, orders, beliefs, strict=True)]
    choices = [order[places] for order, places in zip(orders, shown, strict=True)]
    tokens = [one.tokens[:, places] for one, places in zip(seen, shown, strict=True)]
    rules = Decoder(network, table.rails, choices, tokens).rules()
    noises = [network.noise_logit(one.tokens, one.anchors) for one in seen]
    return [
        Reading(belief, float(_snapped(noise.sigmoid().item())), tuple(written))
        for belief, noise, written in zip(beliefs, noises, rules, strict=True)
    ]


def _see(network: GuidedNetwork, rail: Rail) -> _Seen:
    order = np.argsort(rail.codes, kind="stable")
    target, rest = (part[0] for part in rail.count(rail.everything[None]))
    anchors = _anchors(rail, target, rest, network.config.anchors)
    alone = np.stack([target, rest], -1)
    counted = _Counted(alone, rail.count(rail.words[anchors]), (rail.target, rail.rest))
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    if len(order) <= AT_ONCE:
        tokens = network(counted.of(order, places[anchors]))
    else:
        parts = np.split(order, range(AT_ONCE, len(order), AT_ONCE))
        tokens = torch.cat([_some(network, counted, part, anchors) for part in parts], 1)
    return _Seen(order, tokens, torch.tensor(places[anchors])[None])


def _beliefs(network: GuidedNetwork, seen: _Seen) -> NDArray[np.float64]:
    beliefs = np.empty(len(seen.order))
    beliefs[seen.order] = network.beliefs(seen.tokens)[0].numpy()
    return _snapped(beliefs)


def _likeliest(
    rail: Rail, order: NDArray[np.intp], beliefs: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The places in `order` of the literals that the decoder may choose."""
    chosen = _first(np.lexsort((rail.codes, -beliefs)), rail.codes, CHOICES)
    return np.flatnonzero(np.isin(order, chosen))


def _some(
    network: GuidedNetwork, counted: _Counted, part: NDArray[np.intp], anchors: NDArray[np.intp]
) -> Tensor:
    """The tokens of some literals, which look at nothing but themselves and the anchors."""
    counts = counted.of(np.concatenate([anchors, part]), np.arange(len(anchors)))
    return network(counts)[:, len(anchors) :]


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
