"""The network run on the rails of tables, in an order that no symmetry can change."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Clause, Rail
from gnri.model.guided.architecture import Counts, GuidedNetwork
from gnri.model.guided.rule_decoder import STOP_BIASES, Decoder
from gnri.model.layers import GRID, require_finite, sigmoid

Floats = NDArray[np.float64]

CHOICES = 128
"""The most literals that the decoder may choose from: the likeliest."""

AT_ONCE = 1 << 12
"""Literals whose pairs with the anchors are made into features at a time."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """What the network proposes for a rail."""

    beliefs: NDArray[np.float64]  # (literals,): logits that a literal belongs in the rule
    noise: float  # the share of rows that the best short rule gets wrong
    rules: tuple[frozenset[Clause], ...]  # what the decoder writes, with each bias


@dataclass(frozen=True, eq=False)
class _RailCounts:
    """Rows of the target and others: all, where a literal is true, where it and an anchor are."""

    order: NDArray[np.intp]  # of the literals, by their codes
    anchors: NDArray[np.intp]
    alone: NDArray[np.int64]  # (literals, 2)
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]  # (anchors, literals) each
    sizes: tuple[int, int]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """Return where in the order the anchors stand."""
        return np.argsort(self.order)[self.anchors]

    def select(self, literals: NDArray[np.intp], anchors: NDArray[np.int64]) -> Counts:
        """Return what the network sees of literals, the anchors at these places among them."""
        pairs = np.stack([part[:, literals] for part in self.pairs], -1)
        sizes = self.sizes if len(literals) == len(self.alone) else (*self.sizes, len(self.alone))
        return Counts(
            _batch(self.alone[literals]),
            _batch(pairs.transpose(1, 0, 2)),
            anchors[None],
            _batch(np.array(sizes)),
        )


def propose(
    network: GuidedNetwork, rails: Sequence[Rail], stop_biases: Sequence[float] = STOP_BIASES
) -> list[Proposal]:
    """Return a proposal for each rail, with one rule for each bias."""
    counted = [_count(rail, network.config.anchors) for rail in rails]
    beliefs, noise, choices, chosen = [], [], [], []
    tokens = _tokens(network, counted)
    for rail, counts, own in zip(rails, counted, tokens, strict=True):
        belief = np.empty(len(counts.order))
        belief[counts.order] = network.beliefs(own)[0]
        beliefs.append(_snap(belief))
        share = sigmoid(network.noise_logit(own, counts.places[None]))
        noise.append(float(_snap(share[0])))
        shown = _likeliest(rail, counts.order, beliefs[-1])
        choices.append(counts.order[shown])
        chosen.append(own[:, shown])
    rules = Decoder(network, rails, choices, chosen).rules(stop_biases)
    return list(map(Proposal, beliefs, noise, rules))


def _count(rail: Rail, most_anchors: int) -> _RailCounts:
    order = np.argsort(rail.codes, kind="stable")
    target, rest = (part[0] for part in rail.count(rail.everything[None]))
    anchors = _anchors(rail, target, rest, most_anchors)
    alone = np.stack([target, rest], -1)
    pairs = rail.count(rail.words[anchors])
    return _RailCounts(order, anchors, alone, pairs, (rail.target, rail.rest))


def _tokens(network: GuidedNetwork, counted: list[_RailCounts]) -> list[Floats]:
    """Return what the network makes of the literals of each rail: (1, literals, width)."""
    few = sum(len(one.order) for one in counted) <= AT_ONCE
    if few and len({(len(one.anchors), len(one.order)) for one in counted}) == 1:
        asked = [one.select(one.order, one.places) for one in counted]
        tokens = network.tokens(Counts(*map(np.concatenate, zip(*asked, strict=True))))
        return list(tokens[:, None])
    return [_in_parts(network, one) for one in counted]


def _in_parts(network: GuidedNetwork, counted: _RailCounts) -> Floats:
    """Return the tokens, some at a time: each depends on itself and the anchors alone."""
    order, anchors = counted.order, counted.anchors
    if len(order) <= AT_ONCE:
        return network.tokens(counted.select(order, counted.places))
    tokens = []
    for part in np.split(order, range(AT_ONCE, len(order), AT_ONCE)):
        counts = counted.select(np.concatenate([anchors, part]), np.arange(len(anchors)))
        tokens.append(network.tokens(counts)[:, len(anchors) :])
    return np.concatenate(tokens, 1)


def _likeliest(
    rail: Rail, order: NDArray[np.intp], beliefs: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return the places in `order` of the literals that the decoder may choose."""
    return np.flatnonzero(np.isin(order, _first(rail, beliefs, CHOICES)))


def _anchors(
    rail: Rail, target: NDArray[np.int64], rest: NDArray[np.int64], most: int
) -> NDArray[np.intp]:
    """Return the literals that tell most by themselves."""
    return _first(rail, np.abs(target * rail.rest - rest * rail.target), most)


def _first(rail: Rail, scores: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Return at most `most` of the highest scores; of literals that look the same, all or none."""
    codes, ranked = rail.codes, np.lexsort((rail.codes, -scores))
    if len(ranked) <= most:
        return ranked
    alike = codes[ranked[1 : most + 1]] == codes[ranked[:most]]
    return ranked[: np.flatnonzero(~alike).max(initial=-1) + 1]  # a length that splits no group


def _snap(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    return np.round(require_finite(np.asarray(values)) * GRID) / GRID


def _batch(counts: NDArray[np.int64]) -> Floats:
    return counts.astype(np.float64)[None]
