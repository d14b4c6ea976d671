"""Many episodes as two tensors, padded with 0: padding is missing."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gnri.episode import Episode
from gnri.errors import ShapeError


@dataclass(frozen=True, eq=False)
class Batch:
    """Episodes side by side: +1 true, -1 false, 0 missing or padding."""

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
        """Return the same tables with the two classes exchanged."""
        return Batch(self.values, -self.labels)

    def both_rails(self) -> "Batch":
        """Return these episodes, then the same ones with swapped labels."""
        return Batch(torch.cat([self.values] * 2), torch.cat([self.labels, -self.labels]))

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on a device."""
        return Batch(self.values.to(device), self.labels.to(device))

    def episode(self, index: int) -> Episode:
        """Return one episode as a table of its own, padding included as missing cells."""
        return Episode(self.values[index].cpu().numpy(), self.labels[index].cpu().numpy())
