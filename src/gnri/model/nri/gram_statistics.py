"""Many episodes as two tensors, padded with 0: padding is missing.

What the network reads: exact counts of a batch, free of row order, chunking and polarity.

Everything here is a whole number or a pointwise function of whole numbers. So the same table
gives bitwise the same statistics in any row order, an atom's statistics do not depend on where
the atom stands, and negating an atom changes the sign of `signed` and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from gnri.episode import Episode
from gnri.errors import ShapeError
from gnri.model.threads import straight


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


CLASSES = (1, -1)
BLOCK = 256  # atoms whose pair counts are held at once, so that no atoms x atoms array is made
EXACT_COUNT = 2**24  # whole numbers up to here are exact in float32
POINT = 2.0**40  # fixed point in which covariances with missing cells are added


class Statistics(NamedTuple):
    """Per-class counts of each atom; class 0 is the positive one.

    `spread` is the sum of |covariance| with every other atom, over the rows of each class and
    over all rows; values count as +1 and -1.
    """

    sizes: Tensor  # (batch, 2) int64: labelled rows
    known: Tensor  # (batch, 2, atoms) int64: rows where the atom is observed
    signed: Tensor  # (batch, 2, atoms) int64: true rows minus false rows
    spread: Tensor  # (batch, 3, atoms) float64: positive rows, negative rows, all

    @property
    def usable(self) -> Tensor:
        """Atoms observed on some labelled row, (batch, atoms)."""
        return self.known.sum(1) > 0

    def swapped(self) -> "Statistics":
        """The statistics of the same table with its labels swapped: the classes exchange."""
        return Statistics(
            self.sizes.flip(1), self.known.flip(1), self.signed.flip(1), self.spread[:, [1, 0, 2]]
        )


def statistics(*chunks: Batch) -> Statistics:
    """Count the rows of one or more chunks; how they are cut and ordered leaves no trace.

    Nor do rows with label 0 and atoms never observed. A table too large to hold is counted
    chunk by chunk: every intermediate is a sum over the chunks.
    """
    with torch.autocast(chunks[0].values.device.type, enabled=False), torch.no_grad():
        rows = [[_rows_of(chunk, sign) for chunk in chunks] for sign in CLASSES]
        sizes = _per_class([[(c.labels == sign).sum(1) for c in chunks] for sign in CLASSES])
        known = _per_class([[table.abs().sum(1) for table in tables] for tables in rows])
        signed = _per_class([[table.sum(1) for table in tables] for tables in rows])
        return Statistics(sizes, known, signed, _spread(rows, sizes, known, signed))


Tables = list[list[Tensor]]
"""For each class, for each chunk, its rows as floats (batch, rows, atoms)."""


def _rows_of(chunk: Batch, sign: int) -> Tensor:
    """The rows of one class as floats; in a batch the other rows are emptied, alone dropped."""
    chosen = chunk.labels == sign
    dtype = torch.float32 if chunk.values.shape[1] < EXACT_COUNT else torch.float64
    if len(chunk) > 1 or straight(chosen.device, 1, 2 * chunk.values.shape[2]):
        return (chunk.values * chosen[..., None]).to(dtype)
    return chunk.values[0, chosen[0]][None].to(dtype)


def _per_class(counts: Tables) -> Tensor:
    """Sums over the chunks as whole numbers, (batch, 2, ...)."""
    whole = [torch.stack(parts).to(torch.int64).sum(0) for parts in counts]
    return torch.stack(whole, 1)


def _spread(rows: Tables, sizes: Tensor, known: Tensor, signed: Tensor) -> Tensor:
    """Sum over the other atoms of |covariance|, for each class and for all rows together."""
    sizes, known, signed = (
        torch.cat([part, part.sum(1, True)], 1) for part in (sizes, known, signed)
    )
    if straight(known.device, len(known), 2 * known.shape[-1]):
        return _missing_block(rows, slice(0, known.shape[-1]), known, signed)
    blocks = [slice(at, at + BLOCK) for at in range(0, known.shape[-1], BLOCK)]
    if not bool(((known == sizes[..., None]) | (known == 0)).all()):
        return torch.cat([_missing_block(rows, block, known, signed) for block in blocks], -1)
    if int(sizes.max()) ** 2 * known.shape[-1] < EXACT_COUNT:
        sums = _few_rows_sums(rows, sizes, signed)
    else:
        sums = torch.cat([_complete_block(rows, block, sizes, signed) for block in blocks], -1)
    own = (sizes[..., None] * known - signed.square()).double()
    return (sums.double() - own) / sizes[..., None].double().clamp(min=1).square()


def _few_rows_sums(rows: Tables, sizes: Tensor, signed: Tensor) -> Tensor:
    """With no cell missing: sum over all atoms of |n * gram - sum * sum|, in whole numbers.

    All of them fit float32, so this is one product, of the rows and their sum as one more row.
    """
    sums = []
    for group, parts in enumerate((rows[0], rows[1], rows[0] + rows[1])):
        table, total = torch.cat(parts, 1), signed[:, group, None].float()
        left = torch.cat([table * sizes[:, group, None, None], -total], 1).mT
        right = torch.cat([table, total], 1)
        blocks = [(part @ right).abs_().sum(-1) for part in left.split(BLOCK, 1)]
        sums.append(torch.cat(blocks, 1))
    return torch.stack(sums, 1)


def _complete_block(rows: Tables, block: slice, sizes: Tensor, signed: Tensor) -> Tensor:
    """The same for a block of atoms and any number of rows, class by class."""
    sums = []
    for group, gram in enumerate(_grams(rows, rows, block)):
        total = signed[:, group].double()
        products = gram.double() * sizes[:, group, None, None].double()
        products.baddbmm_(total[:, block, None], total[:, None], alpha=-1)
        sums.append(products.abs_().sum(-1))
    return torch.stack(sums, 1)


def _missing_block(rows: Tables, block: slice, known: Tensor, signed: Tensor) -> Tensor:
    """With missing cells: means over the known cells of each atom, sums over the shared rows."""
    seen = [[table.abs() for table in tables] for tables in rows]
    both, left, right, shared = (
        _grams(a, b, block) for a, b in ((rows, rows), (rows, seen), (seen, rows), (seen, seen))
    )
    sums = []
    for group in range(3):
        count = known[:, group].double().clamp(min=1)
        mean = signed[:, group].double() / count
        here, there = mean[:, block, None], mean[:, None]
        products = both[group].double() - there * left[group].double()
        products -= here * right[group].double() - here * there * shared[group].double()
        fixed = (products.abs_() / count[:, block, None] * POINT).round_()
        whole = fixed.to(torch.int64).sum(-1) - _own(fixed, block).to(torch.int64)
        sums.append(whole.double() / POINT)
    return torch.stack(sums, 1)


def _grams(left: Tables, right: Tables, block: slice) -> list[Tensor]:
    """Co-occurrence sums of a block of atoms with all atoms: per class, then over all rows."""
    per_class = []
    for lefts, rights in zip(left, right, strict=True):
        parts = [a[..., block].mT @ b for a, b in zip(lefts, rights, strict=True)]
        per_class.append(
            parts[0] if len(parts) == 1 else torch.stack(parts).sum(0, dtype=torch.float64)
        )
    return [*per_class, per_class[0] + per_class[1]]


def _own(products: Tensor, block: slice) -> Tensor:
    """The entries of a block of rows on the diagonal of the whole matrix, (batch, block)."""
    return products.diagonal(block.start, -2, -1).double()
