"""The paper's Neural Rule Inducer, run on both rails in an order that no symmetry can change."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gnri.episode import Episode
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.encoder import Encoder
from gnri.model.nri.gram_statistics import Statistics, statistics
from gnri.model.nri.literal_features import literal_features
from gnri.model.nri.slot_decoder import Decoder, SlotLogits
from gnri.model.paper_export import ExportResult, canonical_export
from gnri.scores import Scores


class Network(nn.Module):
    """One rail of the paper's equivariant network."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def read(self, stats: Statistics, counts: Tensor) -> SlotLogits:
        """Return logits from statistics whose atom entries stand for `counts` atoms each."""
        dtype = self.decoder.queries.dtype
        features = literal_features(stats, counts).to(dtype)
        literals = self.encoder(features.flatten(1, 2), stats.sizes)
        even = (stats.signed == 0).all(1)
        return self.decoder(literals, counts.to(dtype), even)


class NRI:
    """The paper's model: a call returns the scores of an episode on both rails.

    `sha256` and `recipe` say which weights these are and how they were trained.
    """

    def __init__(
        self, network: Network, name: str, sha256: str = "", recipe: dict[str, Any] | None = None
    ) -> None:
        self.network = network.eval().requires_grad_(False)
        self.name, self.sha256, self.recipe = name, sha256, recipe

    @torch.inference_mode()
    def __call__(self, episode: Episode) -> Scores:
        """Return the scores with the labels as given and swapped; 0 for unobserved atoms."""
        stats = statistics(*tensors_of(episode))
        seen = stats.usable[0]
        slots = len(self.network.decoder.queries)
        literals = np.zeros((2, slots, len(seen), 2))
        if not seen.any():
            return Scores(literals, np.zeros((2, slots)))
        shown = Statistics(stats.sizes, *(part[..., seen] for part in stats[1:]))
        scores = scores_of(_symmetric_logits(self.network, both_rails(shown)))
        literals[:, :, seen.numpy()] = scores.literals
        return Scores(literals, scores.gates)

    def export(self, episode: Episode) -> ExportResult:
        """Return the rule of an episode."""
        return canonical_export(self(episode), episode)


def tensors_of(episode: Episode) -> tuple[Tensor, Tensor]:
    """Return copies of the values and labels as a batch of one."""
    return torch.tensor(episode.values)[None], torch.tensor(episode.labels)[None]


def scores_of(logits: SlotLogits) -> Scores:
    """Return probabilities from the logits of both rails."""
    return Scores(*(torch.sigmoid(part.double()).numpy() for part in logits))


def both_rails(given: Statistics) -> Statistics:
    """Return both rails of one episode as a batch of two."""
    return Statistics(*(torch.cat(parts) for parts in zip(given, given.swapped(), strict=True)))


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
    keys = torch.stack([distinct[rail] for rail in order])
    signed, known, spread = keys.mT.split([2, 2, 3], 1)
    entries = Statistics(rails.sizes[order], known.long(), signed.long(), spread)
    weights = torch.stack([counts[rail] for rail in order]).double()
    logits = network.read(entries, weights)
    found = [logits.literal_logits[order[rail]][:, inverse[rail]] for rail in (0, 1)]
    literals = torch.stack(found)
    literals = torch.where(flips[:, None, :, None], literals.flip(-1), literals)
    return SlotLogits(literals, logits.gate_logits[order])


def _orient(stats: Statistics) -> tuple[Tensor, Tensor]:
    """Return which atoms to turn (rails, atoms), and their statistics then (rails, atoms, 7)."""
    positive, negative = stats.signed.unbind(1)
    flips = (positive < 0) | ((positive == 0) & (negative < 0))
    turned = torch.where(flips[:, None], -stats.signed, stats.signed)
    return flips, torch.cat([turned.double(), stats.known.double(), stats.spread], 1).mT


def _unique(keys: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct rows in order, the place of each row, and counts, as torch.unique.

    torch.unique takes ten times as long.
    """
    order = torch.from_numpy(np.lexsort(keys.T.flip(0).numpy()))
    ranked = keys[order]
    first = torch.ones(len(keys), dtype=torch.bool)
    first[1:] = (ranked[1:] != ranked[:-1]).any(1)
    inverse = torch.empty_like(order)
    inverse[order] = first.cumsum(0) - 1
    return ranked[first], inverse, torch.bincount(inverse)
