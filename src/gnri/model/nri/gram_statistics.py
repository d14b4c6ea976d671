"""Exact counts of tables, which the network reads.

Everything is a whole number or a pointwise function of whole numbers, so row order and the place
of an atom change no bit, and negating an atom changes the sign of `signed` and nothing else.
"""

from typing import NamedTuple

from gnri.model.layers import Array, cast, fits_gpu, full_precision, library

CLASSES = (1, -1)
PAIR_KINDS = 3  # of each literal and class: the best pair, the best pure one, the largest gain
BLOCK = 256  # atoms whose pair counts are held at once, so that no atoms x atoms array is made
EXACT_COUNT = 2**24  # whole numbers up to here are exact in float32
POINT = 2.0**40  # fixed point in which covariances with missing cells are added

Tables = list[Array]
"""For each class its rows as floats, (batch, rows, atoms)."""


class Statistics(NamedTuple):
    """Per-class counts of each atom; class 0 is the positive one.

    `spread` is the sum of |covariance| with every other atom, over the rows of each class and
    over all rows; values count as +1 and -1. `pairs` says how well the best conjunction of each
    literal with another one tells the classes apart (`_best_pairs`), for a `paired` network.
    """

    sizes: Array  # (batch, 2) int64: labelled rows
    known: Array  # (batch, 2, atoms) int64: rows where the atom is observed
    signed: Array  # (batch, 2, atoms) int64: true rows minus false rows
    spread: Array  # (batch, 3, atoms) float64: positive rows, negative rows, all
    pairs: Array  # (batch, 2 signs, 2 classes, PAIR_KINDS or none, atoms) float64

    @property
    def usable(self) -> Array:
        """Return which atoms are observed on some labelled row, (batch, atoms)."""
        return self.known.sum(1) > 0

    @property
    def even(self) -> Array:
        """Return which atoms have two literals of equal statistics, (batch, atoms)."""
        alike = (self.pairs[:, 0] == self.pairs[:, 1]).all(2).all(1)
        return (self.signed == 0).all(1) & alike

    def swapped(self) -> "Statistics":
        """Return the statistics of the same table with its labels swapped."""
        sizes, known, signed = (part[:, [1, 0]] for part in self[:3])
        return Statistics(sizes, known, signed, self.spread[:, [1, 0, 2]], self.pairs[:, :, [1, 0]])


def statistics(values: Array, labels: Array, *, paired: bool = False) -> Statistics:
    """Return the counts of int8 values (batch, rows, atoms) with labels (batch, rows).

    Rows with label 0 change nothing. Without `paired` no pairs of literals are looked at.
    """
    xp = library(values)
    with full_precision(values):
        rows = [_rows_of(values, labels == sign) for sign in CLASSES]
        sizes = xp.stack([(labels == sign).sum(1) for sign in CLASSES], axis=1)
        known = xp.stack([abs(table).sum(1) for table in rows], axis=1)
        signed = xp.stack([table.sum(1) for table in rows], axis=1)
        known, signed = cast(known, xp.int64), cast(signed, xp.int64)
        spread = _spread(rows, sizes, known, signed)
        empty = xp.zeros_like(spread[:, :0]).reshape(len(values), 2, 2, 0, values.shape[2])
        pairs = _best_pairs(rows, sizes) if paired else empty
        return Statistics(sizes, known, signed, spread, pairs)


def _rows_of(values: Array, chosen: Array) -> Array:
    """Return the chosen rows as floats; in a batch the other rows are emptied, alone dropped."""
    xp = library(values)
    dtype = xp.float32 if values.shape[1] < EXACT_COUNT else xp.float64
    if len(values) > 1 or fits_gpu(values, 1, 2 * values.shape[2]):
        return cast(values * chosen[..., None], dtype)
    return cast(values[0, chosen[0]][None], dtype)


def _spread(rows: Tables, sizes: Array, known: Array, signed: Array) -> Array:
    """Return the sum over the other atoms of |covariance|, of each class and of all rows."""
    xp = library(sizes)
    sizes, known, signed = (
        xp.concatenate([part, part.sum(1, keepdims=True)], axis=1)
        for part in (sizes, known, signed)
    )
    if fits_gpu(known, len(known), 2 * known.shape[-1]):
        return _missing_block(rows, slice(0, known.shape[-1]), known, signed)
    blocks = [slice(at, at + BLOCK) for at in range(0, known.shape[-1], BLOCK)]
    if not bool(((known == sizes[..., None]) | (known == 0)).all()):
        parts = [_missing_block(rows, block, known, signed) for block in blocks]
        return xp.concatenate(parts, axis=-1)
    if int(sizes.max()) ** 2 * known.shape[-1] < EXACT_COUNT:
        sums = _few_rows_sums(rows, sizes, signed, blocks)
    else:
        parts = [_complete_block(rows, block, sizes, signed) for block in blocks]
        sums = xp.concatenate(parts, axis=-1)
    own = cast(sizes[..., None] * known - signed**2, xp.float64)
    return (sums - own) / cast(sizes, xp.float64)[..., None].clip(min=1) ** 2


def _few_rows_sums(rows: Tables, sizes: Array, signed: Array, blocks: list[slice]) -> Array:
    """Return the sum over all atoms of |n * gram - sum * sum|, where no cell is missing.

    All numbers fit float32, so this is one product, with the sum of the rows as one more row.
    """
    xp, sums = library(sizes), []
    for group, table in enumerate((*rows, xp.concatenate(rows, axis=1))):
        total, size = (cast(part[:, group, None], table.dtype) for part in (signed, sizes))
        left = xp.concatenate([table * size[..., None], -total], axis=1).mT
        right = xp.concatenate([table, total], axis=1)
        sums.append(xp.concatenate([_sum_sizes(left[:, b] @ right) for b in blocks], axis=1))
    return cast(xp.stack(sums, axis=1), xp.float64)


def _complete_block(rows: Tables, block: slice, sizes: Array, signed: Array) -> Array:
    """Return the same for a block of atoms and any number of rows."""
    xp, sums = library(sizes), []
    for group, gram in enumerate(_grams(rows, rows, block)):
        total = cast(signed[:, group], xp.float64)
        products = cast(gram, xp.float64) * cast(sizes[:, group, None, None], xp.float64)
        products -= total[:, block, None] * total[:, None]
        sums.append(_sum_sizes(products))
    return xp.stack(sums, axis=1)


def _sum_sizes(products: Array) -> Array:
    """Return the sum of absolute values over the last axis; the array is used up."""
    return library(products).abs(products, out=products).sum(-1)


def _missing_block(rows: Tables, block: slice, known: Array, signed: Array) -> Array:
    """Return the sums with missing cells: means over known cells, sums over shared rows."""
    xp, seen = library(known), [abs(table) for table in rows]
    both, left, right, shared = (
        _grams(a, b, block) for a, b in ((rows, rows), (rows, seen), (seen, rows), (seen, seen))
    )
    sums = []
    for group in range(3):
        count = cast(known[:, group], xp.float64).clip(min=1)
        mean = cast(signed[:, group], xp.float64) / count
        here, there = mean[:, block, None], mean[:, None]
        products = cast(both[group], xp.float64) - there * left[group]
        products -= here * right[group] - here * there * shared[group]
        fixed = xp.round(abs(products) / count[:, block, None] * POINT)
        whole = cast(fixed, xp.int64)
        own = whole.diagonal(block.start, -2, -1)  # of each atom with itself
        sums.append(cast(whole.sum(-1) - own, xp.float64) / POINT)
    return xp.stack(sums, axis=1)


def _grams(left: Tables, right: Tables, block: slice) -> list[Array]:
    """Return sums of products of a block of atoms with all atoms: per class, then of all rows."""
    given, other = (a[..., block].mT @ b for a, b in zip(left, right, strict=True))
    return [given, other, given + other]


def _best_pairs(rows: Tables, sizes: Array) -> Array:
    """Return how well the best conjunction of each literal with any literal tells a class.

    With t rows of the class and f of the other one where both literals are true, of T and F in
    all: the largest t F - f T, the largest t where f is 0, and by how much t F - f T exceeds that
    of either literal alone. These are whole numbers, and a maximum has no order.
    """
    xp, atoms = library(sizes), rows[0].shape[2]
    count = max(table.shape[1] for table in rows)
    dtype = rows[0].dtype if count**2 < EXACT_COUNT else xp.float64
    cells = [cast(xp.concatenate([part > 0, part < 0], axis=-1), part.dtype) for part in rows]
    true, false = (cast(part, dtype)[:, None, None] for part in sizes.mT)
    alone = cast(cells[0].sum(1), dtype) * false[:, 0] - cast(cells[1].sum(1), dtype) * true[:, 0]
    found = []
    for start in range(0, 2 * atoms, BLOCK):
        block = slice(start, start + BLOCK)
        given, other = (cast(part[..., block].mT @ part, dtype) for part in cells)
        lead, own, all_ = given * false - other * true, alone[:, block, None], alone[:, None]
        parts = [lead, given * (other == 0), lead - xp.maximum(own, all_)]
        parts += [-lead, other * (given == 0), xp.minimum(own, all_) - lead]
        found.append(xp.stack([xp.amax(part, -1) for part in parts], axis=1))
    best = cast(xp.concatenate(found, axis=-1), xp.float64)
    return best.reshape(len(sizes), 2, PAIR_KINDS, 2, atoms).swapaxes(2, 3).swapaxes(1, 2)
