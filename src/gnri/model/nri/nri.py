"""The paper's Neural Rule Inducer, run on both rails in an order that no symmetry can change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.model.layers import Array, cast, one_thread, require_finite, sigmoid
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.encoder import encode, literal_features
from gnri.model.nri.gram_statistics import Statistics, statistics
from gnri.model.nri.slot_decoder import SlotDecoder, SlotLogits
from gnri.model.paper_export import PAPER, WIDE, ExportResult, canonical_export
from gnri.scores import Scores

_Floats = NDArray[np.float64]


class Network(SlotDecoder):
    """One rail of the paper's equivariant network."""

    def __init__(self, config: ModelConfig, arrays: Mapping[str, Array]) -> None:
        super().__init__(arrays)
        self.config = config

    def read(self, stats: Statistics, counts: Array) -> SlotLogits:
        """Return logits from statistics whose atom entries stand for `counts` atoms each."""
        dtype = self.decoder.queries.dtype
        features = cast(literal_features(stats, counts, sized=self.config.sized), dtype)
        features = features.reshape(len(features), -1, features.shape[-1])
        literals = encode(self.encoder, features, stats.sizes, self.config.heads)
        return self.decode(literals, cast(counts, dtype), stats.even)


@dataclass(frozen=True, eq=False)
class NRI:
    """The paper's model: a call returns the scores of an episode on both rails.

    `sha256` and `recipe` say which weights these are and how they were trained.
    """

    network: Network
    name: str
    sha256: str = ""
    recipe: dict[str, Any] | None = None

    def __call__(self, episode: Episode) -> Scores:
        """Return the scores with the labels as given and swapped; 0 for unobserved atoms."""
        paired = self.network.config.paired
        stats = statistics(episode.values[None], episode.labels[None], paired=paired)
        seen = stats.usable[0]
        slots = len(self.network.decoder.queries)
        literals = np.zeros((2, slots, len(seen), 2))
        if not seen.any():
            return Scores(literals, np.zeros((2, slots)))
        shown = Statistics(stats.sizes, *(part[..., seen] for part in stats[1:]))
        rails = Statistics(*map(np.concatenate, zip(shown, shown.swapped(), strict=True)))
        with one_thread():
            logits = _symmetric_logits(self.network, rails)
        literals[:, :, seen], gates = (
            require_finite(sigmoid(part.astype(np.float64))) for part in logits
        )
        return Scores(literals, gates)

    def export(self, episode: Episode) -> ExportResult:
        """Return the rule of an episode."""
        config = WIDE if self.name == "gnri-wide" else PAPER
        return canonical_export(self(episode), episode, config)


def _symmetric_logits(network: Network, rails: Statistics) -> SlotLogits:
    """Return the logits of every atom, each distinct atom read once, in an order of its own.

    Atoms are turned so that the more often true side comes first, those with equal statistics
    share one entry, and entries and rails are sorted. So no order, polarity or naming of the
    labels changes a bit of the input, and what looks the same gets equal scores.
    """
    flips, oriented = _orient(rails)
    distinct, inverse, counts = zip(*map(_unique, oriented), strict=True)
    parts = list(rails.sizes), counts, distinct
    given, swapped = ([part[rail].flatten().tolist() for part in parts] for rail in (0, 1))
    # Equal rails are both read as the first; either way the order is its own inverse.
    order = [0, 0] if given == swapped else [int(swapped < given), int(swapped >= given)]
    keys = np.stack([distinct[rail] for rail in order]).mT
    signed, known = keys[:, :2].astype(np.int64), keys[:, 2:4].astype(np.int64)
    pairs = keys[:, 7:].reshape(len(order), 2, 2, -1, keys.shape[2])
    entries = Statistics(rails.sizes[order], known, signed, keys[:, 4:7], pairs)
    weights = np.stack([counts[rail] for rail in order]).astype(np.float64)
    logits = network.read(entries, weights)
    found = [logits.literal_logits[order[rail]][:, inverse[rail]] for rail in (0, 1)]
    literals = np.stack(found)
    literals = np.where(flips[:, None, :, None], literals[..., ::-1], literals)
    return SlotLogits(literals, logits.gate_logits[order])


def _orient(stats: Statistics) -> tuple[NDArray[np.bool_], _Floats]:
    """Return which atoms to turn (rails, atoms), and their statistics then (rails, atoms, ...)."""
    rails, atoms = len(stats.sizes), stats.known.shape[2]
    apart = (stats.pairs[:, 0] - stats.pairs[:, 1]).reshape(rails, -1, atoms)
    leads = np.sign(np.concatenate([stats.signed, apart], 1))  # the first that is not 0 decides
    first = np.take_along_axis(leads, (leads != 0).argmax(1)[:, None], 1)
    turned = np.where(first < 0, -stats.signed, stats.signed)
    pairs = np.where(first[:, :, None, None] < 0, stats.pairs[:, [1, 0]], stats.pairs)
    parts = turned, stats.known, stats.spread, pairs.reshape(rails, -1, atoms)
    return first[:, 0] < 0, np.concatenate(parts, 1).mT


def _unique(keys: _Floats) -> tuple[_Floats, NDArray[np.intp], NDArray[np.intp]]:
    """Return the distinct rows in order, the place of each row, and counts.

    np.unique with an axis takes several times as long.
    """
    order = np.lexsort(keys.T[::-1])
    ranked = keys[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (ranked[1:] != ranked[:-1]).any(1)
    inverse = np.empty_like(order)
    inverse[order] = first.cumsum() - 1
    return ranked[first], inverse, np.bincount(inverse)
