"""The synthetic episodes of the studies, and random symmetries of many of them at once.

The episodes of a width are drawn on the CPU from a seed of their own, so every model and anchor,
on any device, meets the same ones. So are the symmetries.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from gnri.model.nri.gram_statistics import Batch
from studies.training.coin_tables import PriorConfig, Sample, fresh_rows, sample
from studies.training.streams import seeded


@lru_cache(maxsize=2)
def episodes_of(atoms: int, count: int, fresh: int) -> tuple[Sample, Tensor, Tensor]:
    """Episodes of one width, with fresh rows and their true labels."""
    generator = seeded("scaling", atoms)
    drawn = sample(PriorConfig(atoms=(atoms, atoms)), count, generator=generator)
    return drawn, *fresh_rows(drawn, fresh, generator=generator)


@dataclass(frozen=True, eq=False)
class Moves:
    """For each episode an order of the rows, and an order and a sign for its atoms."""

    rows: Tensor  # (batch, rows): which row comes to each place
    atoms: Tensor  # (batch, atoms)
    signs: Tensor  # (batch, atoms), of the atom that comes to each place

    def __call__(self, batch: Batch) -> Batch:
        """The episodes with rows and atoms moved and atoms negated; labels go with their rows."""
        values = batch.values.gather(1, self.rows[..., None].expand_as(batch.values))
        values = values.gather(2, self.atoms[:, None].expand_as(values)) * self.signs[:, None]
        return Batch(values, batch.labels.gather(1, self.rows))


def moves_of(batch: Batch, *, generator: torch.Generator) -> Moves:
    """A uniform element of S_M x B_N for each episode."""
    size, rows, atoms = batch.values.shape
    signs = 2 * torch.randint(2, (size, atoms), generator=generator, dtype=torch.int8) - 1
    return Moves(_orders(size, rows, generator), _orders(size, atoms, generator), signs)


def _orders(size: int, items: int, generator: torch.Generator) -> Tensor:
    return torch.rand(size, items, generator=generator, dtype=torch.float64).argsort(1)
