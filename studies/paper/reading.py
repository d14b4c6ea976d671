"""A frozen network read on many episodes at once: scores, and predictions of both rails."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gnri.model.nri.config import Condition
from gnri.model.nri.gram_statistics import Batch
from gnri.model.nri.nri import Network
from gnri.scores import Scores
from studies.paper.recording import RailScores, rail_scores
from studies.training.tnorm import soft_truth

CELLS = 2**25  # pair scores held at once on the device: eight episodes of 1,024 atoms


class Predictions(NamedTuple):
    """R(X, Y) and R(X, 1 - Y) on each row, (batch, rows) in float64 on the CPU.

    To swap the labels of an episode is to exchange the two.
    """

    given: Tensor
    swapped: Tensor

    def of(self, condition: Condition, *, swapped: bool = False) -> Tensor:
        """What the condition predicts: the rail itself, or the average of Equation 1."""
        here, there = (self.swapped, self.given) if swapped else (self.given, self.swapped)
        return (here + 1 - there) / 2 if condition.label_average else here

    def labels(self, condition: Condition) -> Tensor:
        """The predicted label of each row, +1 or -1.

        R_avg >= 1/2 is read as R(X, Y) >= R(X, 1 - Y): far beyond the trained width both can be
        smaller than the rounding of 1/2.
        """
        above = self.swapped if condition.label_average else torch.full_like(self.given, 0.5)
        return torch.where(self.given >= above, 1, -1)


def scores_of(network: Network, batch: Batch) -> list[Scores]:
    """The scores of each episode, on both rails."""
    found = []
    for scores, _ in _read(network, batch):
        pairs = (part.cpu().numpy() for part in scores)
        found += [Scores(*both) for both in zip(*pairs, strict=True)]
    return found


def predictions_of(network: Network, batch: Batch) -> Predictions:
    """The soft predictions for each episode's own rows."""
    rails = []
    for scores, part in _read(network, batch):
        values = part.values.to(scores.gates.device)
        both = zip(scores.literals.unbind(1), scores.gates.unbind(1), strict=True)
        rails.append(torch.stack([soft_truth(*rail, values).cpu() for rail in both]))
    return Predictions(*torch.cat(rails, 1))


def _read(network: Network, batch: Batch) -> Iterator[tuple[RailScores, Batch]]:
    """The scores chunk by chunk, with the episodes of each chunk."""
    chunk = max(1, CELLS // (2 * batch.values.shape[2]) ** 2)
    for start in range(0, len(batch), chunk):
        part = Batch(batch.values[start : start + chunk], batch.labels[start : start + chunk])
        yield rail_scores(network, part), part
