"""From an episode to scores: the network run on both rails, in an order no symmetry can change."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gnri.episodes.batch import Batch, collate
from gnri.episodes.episode import Episode
from gnri.episodes.scores import Scores
from gnri.model.condition import Condition
from gnri.model.decoder import SlotLogits
from gnri.model.network import Network
from gnri.model.statistics import Statistics, statistics


class Inducer:
    """A trained network with its name: `inducer(episode)` gives the scores of both rails."""

    def __init__(self, network: Network, name: str, sha256: str = "") -> None:
        self.network = network.eval().requires_grad_(False)
        self.name = name
        self.sha256 = sha256

    @property
    def condition(self) -> Condition:
        return self.network.condition

    def __call__(self, episode: Episode) -> Scores:
        """Scores of the rails that read the labels as given and swapped."""
        batch = collate([episode])
        stats = statistics(batch)
        rails = [self._rail(batch, stats), self._rail(batch.swapped(), stats.swapped())]
        literals = np.concatenate([_numpy(torch.sigmoid(r.literal_logits)) for r in rails])
        gates = np.concatenate([_numpy(torch.sigmoid(r.gate_logits)) for r in rails])
        return Scores(literals, gates)

    def _rail(self, batch: Batch, stats: Statistics) -> SlotLogits:
        if self.condition.tie_complete:
            return _by_classes(self.network, stats)
        return self.network.read(stats, stats.usable.double(), batch.values, batch.labels)


def _by_classes(network: Network, stats: Statistics) -> SlotLogits:
    """Read each distinct atom once, in the order of its statistics, then give every atom its own.

    Atoms are first turned so that the more often true side comes first; atoms with the same
    statistics share one entry, counted. So any order and any polarity of the atoms presents
    bitwise the same input, and equal atoms get bitwise equal scores.
    """
    flips, keys = _oriented(stats)
    distinct, inverse, counts = _distinct(keys)
    entries = _statistics_of(distinct, stats.sizes)
    counts = counts[None].double() * entries.usable
    nothing = torch.empty(0)
    logits = network.read(entries, counts, nothing, nothing)
    literals = _balanced(logits.literal_logits, entries)[:, :, inverse]
    literals = torch.where(flips[:, None], literals.flip(-1), literals)
    return SlotLogits(literals, logits.gate_logits)


def _oriented(stats: Statistics) -> tuple[Tensor, Tensor]:
    """Which atoms to turn, and each atom's statistics after it, (atoms,) and (atoms, 7)."""
    positive, negative = stats.signed[0]
    flips = (positive < 0) | ((positive == 0) & (negative < 0))
    turned = torch.where(flips, -stats.signed[0], stats.signed[0])
    return flips, torch.cat([turned.double(), stats.known[0].double(), stats.spread[0]]).T


def _distinct(keys: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The different rows in lexicographic order, which of them each row is, how often it comes.

    (torch.unique does this too, at ten times the cost.)
    """
    order = torch.from_numpy(np.lexsort(keys.T.flip(0).numpy()))
    ranked = keys[order]
    first = torch.ones(len(keys), dtype=torch.bool)
    first[1:] = (ranked[1:] != ranked[:-1]).any(1)
    inverse = torch.empty_like(order)
    inverse[order] = first.cumsum(0) - 1
    return ranked[first], inverse, torch.bincount(inverse)


def _statistics_of(keys: Tensor, sizes: Tensor) -> Statistics:
    signed, known, spread = keys.T[None].split([2, 2, 3], 1)
    return Statistics(sizes, known.long(), signed.long(), spread)


def _balanced(logits: Tensor, entries: Statistics) -> Tensor:
    """Make the two literals of a perfectly balanced atom equal to the last bit."""
    even = (entries.signed == 0).all(1)[:, None, :, None]
    return torch.where(even, logits.amax(-1, keepdim=True), logits)


def _numpy(tensor: Tensor) -> NDArray[np.float64]:
    return tensor.double().numpy()
