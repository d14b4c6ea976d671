"""Many episodes as two tensors, padded with 0: padding is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gnri.episodes.episode import Episode
from gnri.errors import ShapeError


@dataclass(frozen=True, eq=False)
class Batch:
    """Episodes side by side: +1 true, -1 false, 0 missing or padding.

    >>> batch = collate([Episode([[1, -1]], [1]), Episode([[1], [-1]], [-1, 1])])
    >>> batch.values.shape
    torch.Size([2, 2, 2])
    >>> batch.swapped().labels.tolist()
    [[-1, 0], [1, -1]]
    """

    values: Tensor  # int8 (batch, rows, atoms)
    labels: Tensor  # int8 (batch, rows)

    def __post_init__(self) -> None:
        if self.values.ndim != 3 or self.labels.shape != self.values.shape[:2]:
            raise ShapeError(
                "a batch must hold values of (batch, rows, atoms) and labels of (batch, rows), "
                f"got {tuple(self.values.shape)} and {tuple(self.labels.shape)}"
            )

    def __len__(self) -> int:
        return self.values.shape[0]

    def swapped(self) -> "Batch":
        """The same tables with the two classes exchanged."""
        return Batch(self.values, -self.labels)

    def both_rails(self) -> "Batch":
        """These episodes, then the same ones with swapped labels: both rails in one forward."""
        return Batch(torch.cat([self.values] * 2), torch.cat([self.labels, -self.labels]))

    def to(self, device: torch.device | str) -> "Batch":
        return Batch(self.values.to(device), self.labels.to(device))

    def episode(self, index: int) -> Episode:
        """One episode as a table of its own, padding included as missing cells."""
        return Episode(self.values[index].cpu().numpy(), self.labels[index].cpu().numpy())


def collate(episodes: Sequence[Episode]) -> Batch:
    """The episodes as one batch, each padded with 0 to the largest."""
    if not episodes:
        raise ShapeError("a batch needs at least one episode, got none")
    rows = max(episode.rows for episode in episodes)
    atoms = max(episode.atoms for episode in episodes)
    values = torch.zeros(len(episodes), rows, atoms, dtype=torch.int8)
    labels = torch.zeros(len(episodes), rows, dtype=torch.int8)
    for index, episode in enumerate(episodes):
        # torch.tensor copies: an episode's arrays are read-only and must stay so.
        values[index, : episode.rows, : episode.atoms] = torch.tensor(episode.values)
        labels[index, : episode.rows] = torch.tensor(episode.labels)
    return Batch(values, labels)
