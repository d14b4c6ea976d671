"""What the network reads: exact counts of a batch, free of row order, chunking and polarity.

Everything here is a whole number or a pointwise function of whole numbers. So the same table
gives bitwise the same statistics in any row order, an atom's statistics do not depend on where
the atom stands, and negating an atom changes the sign of `signed` and nothing else.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gnri.episodes.batch import Batch

CLASSES = (1, -1)
BLOCK = 256  # atoms whose pair counts are held at once, so that no atoms x atoms array is made
EXACT_SQUARE = 4096  # a square of this many rows still fits the 24 bits of a float32
EXACT_COUNT = 2**24
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


def statistics(batch: Batch) -> Statistics:
    """Count a batch. Rows with label 0 and atoms never observed leave no trace."""
    with torch.autocast(batch.values.device.type, enabled=False), torch.no_grad():
        rows = [_rows_of(batch, sign) for sign in CLASSES]
        sizes = torch.stack([(batch.labels == sign).sum(1) for sign in CLASSES], 1)
        known = torch.stack([_whole(table.abs().sum(1)) for table in rows], 1)
        signed = torch.stack([_whole(table.sum(1)) for table in rows], 1)
        return Statistics(sizes, known, signed, _spread(rows, sizes, known, signed))


def _rows_of(batch: Batch, sign: int) -> Tensor:
    """The rows of one class as floats; in a batch the other rows are emptied, alone dropped."""
    chosen = batch.labels == sign
    dtype = torch.float32 if batch.values.shape[1] < EXACT_COUNT else torch.float64
    if len(batch.values) == 1:
        return batch.values[0, chosen[0]][None].to(dtype)
    return (batch.values * chosen[..., None]).to(dtype)


def _whole(counts: Tensor) -> Tensor:
    return counts.to(torch.int64)


def _spread(rows: list[Tensor], sizes: Tensor, known: Tensor, signed: Tensor) -> Tensor:
    """Sum over the other atoms of |covariance|, for each class and for all rows together."""
    sizes, known, signed = (torch.cat([part, part.sum(1, True)], 1) for part in (sizes, known, signed))
    complete = bool(((known == sizes[..., None]) | (known == 0)).all())
    covariances = _complete_block if complete else _missing_block
    blocks = [
        covariances(rows, slice(start, start + BLOCK), sizes, known, signed)
        for start in range(0, known.shape[-1], BLOCK)
    ]
    return torch.cat(blocks, -1)


def _complete_block(
    rows: list[Tensor], block: slice, sizes: Tensor, known: Tensor, signed: Tensor
) -> Tensor:
    """With no cell missing: sum |n * gram - sum * sum| / n^2, exact in whole numbers."""
    grams = _with_total([table[..., block].mT @ table for table in rows])
    dtype = torch.float32 if int(sizes.max()) <= EXACT_SQUARE else torch.float64
    sums = []
    for group, gram in enumerate(grams):
        count = sizes[:, group, None, None].to(dtype)
        total = signed[:, group].to(dtype)
        products = (gram.to(dtype) * count).baddbmm_(
            total[:, block, None], total[:, None], alpha=-1
        )
        whole = products.abs_().sum(-1, dtype=torch.float64) - _own(products, block)
        sums.append(whole / sizes[:, group, None].double().clamp(min=1).square())
    return torch.stack(sums, 1)


def _missing_block(
    rows: list[Tensor], block: slice, sizes: Tensor, known: Tensor, signed: Tensor
) -> Tensor:
    """With missing cells: means over the known cells of each atom, sums over the shared rows."""
    seen = [table.abs() for table in rows]
    both = _with_total([table[..., block].mT @ table for table in rows])
    left = _with_total([a[..., block].mT @ b for a, b in zip(rows, seen, strict=True)])
    right = _with_total([b[..., block].mT @ a for a, b in zip(rows, seen, strict=True)])
    shared = _with_total([mask[..., block].mT @ mask for mask in seen])
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


def _with_total(per_class: list[Tensor]) -> list[Tensor]:
    return [*per_class, per_class[0] + per_class[1]]


def _own(products: Tensor, block: slice) -> Tensor:
    """The entries of a block of rows on the diagonal of the whole matrix, (batch, block)."""
    return products.diagonal(block.start, -2, -1).double()
