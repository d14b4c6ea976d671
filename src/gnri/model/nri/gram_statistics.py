"""Exact counts of tables, which the network reads.

Everything is a whole number or a pointwise function of whole numbers, so row order and the place
of an atom change no bit, and negating an atom changes the sign of `signed` and nothing else.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gnri.model.layers import fits_gpu

CLASSES = (1, -1)
BLOCK = 256  # atoms whose pair counts are held at once, so that no atoms x atoms array is made
EXACT_COUNT = 2**24  # whole numbers up to here are exact in float32
POINT = 2.0**40  # fixed point in which covariances with missing cells are added

Tables = list[Tensor]
"""For each class its rows as floats, (batch, rows, atoms)."""


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
        """Return which atoms are observed on some labelled row, (batch, atoms)."""
        return self.known.sum(1) > 0

    def swapped(self) -> "Statistics":
        """Return the statistics of the same table with its labels swapped."""
        return Statistics(
            self.sizes.flip(1), self.known.flip(1), self.signed.flip(1), self.spread[:, [1, 0, 2]]
        )


def statistics(values: Tensor, labels: Tensor) -> Statistics:
    """Return the counts of int8 values (batch, rows, atoms) with labels (batch, rows).

    Rows with label 0 change nothing.
    """
    with torch.autocast(values.device.type, enabled=False), torch.no_grad():
        rows = [_rows_of(values, labels == sign) for sign in CLASSES]
        sizes = torch.stack([(labels == sign).sum(1) for sign in CLASSES], 1)
        known = torch.stack([table.abs().sum(1).long() for table in rows], 1)
        signed = torch.stack([table.sum(1).long() for table in rows], 1)
        return Statistics(sizes, known, signed, _spread(rows, sizes, known, signed))


def _rows_of(values: Tensor, chosen: Tensor) -> Tensor:
    """Return the chosen rows as floats; in a batch the other rows are emptied, alone dropped."""
    dtype = torch.float32 if values.shape[1] < EXACT_COUNT else torch.float64
    if len(values) > 1 or fits_gpu(values.device, 1, 2 * values.shape[2]):
        return (values * chosen[..., None]).to(dtype)
    return values[0, chosen[0]][None].to(dtype)


def _spread(rows: Tables, sizes: Tensor, known: Tensor, signed: Tensor) -> Tensor:
    """Return the sum over the other atoms of |covariance|, of each class and of all rows."""
    sizes, known, signed = (
        torch.cat([part, part.sum(1, True)], 1) for part in (sizes, known, signed)
    )
    if fits_gpu(known.device, len(known), 2 * known.shape[-1]):
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
    """Return the sum over all atoms of |n * gram - sum * sum|, where no cell is missing.

    All numbers fit float32, so this is one product, with the sum of the rows as one more row.
    """
    sums = []
    for group, table in enumerate((*rows, torch.cat(rows, 1))):
        total = signed[:, group, None].float()
        left = torch.cat([table * sizes[:, group, None, None], -total], 1).mT
        right = torch.cat([table, total], 1)
        blocks = [(part @ right).abs_().sum(-1) for part in left.split(BLOCK, 1)]
        sums.append(torch.cat(blocks, 1))
    return torch.stack(sums, 1)


def _complete_block(rows: Tables, block: slice, sizes: Tensor, signed: Tensor) -> Tensor:
    """Return the same for a block of atoms and any number of rows."""
    sums = []
    for group, gram in enumerate(_grams(rows, rows, block)):
        total = signed[:, group].double()
        products = gram.double() * sizes[:, group, None, None].double()
        products.baddbmm_(total[:, block, None], total[:, None], alpha=-1)
        sums.append(products.abs_().sum(-1))
    return torch.stack(sums, 1)


def _missing_block(rows: Tables, block: slice, known: Tensor, signed: Tensor) -> Tensor:
    """Return the sums with missing cells: means over known cells, sums over shared rows."""
    seen = [table.abs() for table in rows]
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
        own = fixed.diagonal(block.start, -2, -1)  # of each atom with itself
        whole = fixed.to(torch.int64).sum(-1) - own.to(torch.int64)
        sums.append(whole.double() / POINT)
    return torch.stack(sums, 1)


def _grams(left: Tables, right: Tables, block: slice) -> list[Tensor]:
    """Return sums of products of a block of atoms with all atoms: per class, then of all rows."""
    given, other = (a[..., block].mT @ b for a, b in zip(left, right, strict=True))
    return [given, other, given + other]
