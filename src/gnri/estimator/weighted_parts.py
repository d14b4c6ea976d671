"""Weights of rows in parts: the copies that the same rows get in memory, from sums over the parts.

A part yields its rows in groups: for each bit k of the copies, the rows that have it, each of which
then counts for 2^k rows. So values are counted and rows are packed as without weights.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from hashlib import blake2b
from math import gcd

import numpy as np
from numpy.typing import NDArray

from gnri.counts.executors import Executor
from gnri.data.kinds import ColumnKind
from gnri.data.sources import Partition
from gnri.data.table import Column, Table
from gnri.data.target import Target
from gnri.data.value_counts import NumberCounts, ValueCounts, count_numbers
from gnri.errors import GnriError, shorten
from gnri.estimator.weighting import (
    WHOLE,
    Measure,
    Scale,
    Sums,
    balance_sizes,
    find_scale,
    is_balanced,
    is_weight,
    read_class_weights,
    read_weights,
)
from gnri.rules.row_expression import mix

Batch = tuple[Table, NDArray[np.float64], NDArray[np.intp]]
"""Rows whose weight is above 0, their weights, and their classes."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """How many copies of each row to learn from, by its weight and its class."""

    column: str | None
    target: Target
    factors: NDArray[np.float64]  # the weight of each class
    scale: Scale = WHOLE
    times: NDArray[np.intp] | None = None  # of a class: n copies become n * times // divisors
    divisors: NDArray[np.intp] | None = None

    def batches(self, partition: Partition, names: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows of a partition with these columns, those of the target and weights."""
        wanted = dict.fromkeys([*names, self.target.name])
        for table in keep_rows(partition, self.column).batches(list(wanted)):
            codes = self.target.encode(table[self.target.name])
            own = np.ones(table.rows) if self.column is None else read_weights(table, self.column)
            known = codes >= 0  # the others have no label
            if not known.all():
                table, own, codes = table.take(known), own[known], codes[known]
            yield table, own * self.factors[codes], codes

    def copies(self, weights: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the copies of rows of these weights and classes."""
        found = self.scale.copies(weights)
        if self.times is None or self.divisors is None:
            return found
        return found * self.times[codes] // self.divisors[codes]


def keep_rows(partition: Partition, column: str | None) -> Partition:
    """Return the rows of a partition whose weight in a column is above 0."""
    if column is None:
        return partition
    return replace(partition, batches=partial(_kept_batches, partition, column))


def _kept_batches(partition: Partition, column: str, names: Sequence[str]) -> Iterator[Table]:
    for table in partition.batches(list(dict.fromkeys([*names, column]))):
        weights = read_weights(table, column)
        wrong = weights[~is_weight(weights)]
        if len(wrong):
            raise GnriError(
                f"a weight must be a number from 0 up, got {wrong[0]} in column {shorten(column)} "
                f"of {partition.origin}"
            )
        yield table.take(weights > 0)


def _copied_batches(
    partition: Partition, weighing: Weighing, names: Sequence[str]
) -> Iterator[Table]:
    for table, weights, codes in weighing.batches(partition, names):
        copies, chosen = weighing.copies(weights, codes), table.select(names)
        for bit in range(max(1, int(copies.max(initial=0)).bit_length())):
            yield replace(chosen.take((copies >> bit) & 1 == 1), times=1 << bit)


def weigh_parts(
    executor: Executor,
    partitions: Sequence[Partition],
    column: str | None,
    class_weight: object,
    target: Target,
    counts: Sequence[ValueCounts],
) -> tuple[list[Partition], int, Sequence[float] | None]:
    """Return the partitions with copies of rows, and how often they were read to find these.

    Then the copies of a row of each class, None if these do not differ. `counts` are those of the
    decided columns, each row counted once.
    """
    weighing = Weighing(column, target, read_class_weights(class_weight, target.classes))
    reads, class_copies = 0, None if class_weight is None else weighing.factors.tolist()

    def over_all(measure: Measure) -> Sums:
        nonlocal reads
        reads += 1
        work = partial(_measure, weighing=weighing, measure=measure)
        return reduce(Sums.merge, executor.each("reading weights", partitions, work))

    weighing = replace(weighing, scale=find_scale(over_all))
    if is_balanced(class_weight):
        kinds = {one.name: one.kind for one in counts if one.kind is not None}
        work = partial(_count_groups, weighing=weighing, kinds=kinds)
        groups = reduce(_merge_groups, executor.each("comparing rows", partitions, work))
        times, divisors = _balance(groups, target)
        weighing, reads = replace(weighing, times=times, divisors=divisors), reads + 1
        class_copies = times.tolist()
    copied = [replace(one, batches=partial(_copied_batches, one, weighing)) for one in partitions]
    return copied, reads, class_copies


def _measure(partition: Partition, weighing: Weighing, measure: Measure) -> Sums:
    some = (weights for _, weights, _ in weighing.batches(partition, []))
    return reduce(Sums.merge, (measure(*np.unique(one, return_counts=True)) for one in some))


Groups = list[tuple[NumberCounts, int]]
"""For each class the copies of each different row, and the greatest divisor of those of a row."""


def _balance(groups: Groups, target: Target) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return how many copies of how many make all classes weigh the same."""
    divisors = np.array([np.gcd.reduce(counts.counts) for counts, _ in groups])
    sizes = np.array([counts.counts.sum() for counts, _ in groups])
    times = balance_sizes(sizes // divisors)
    uneven = np.flatnonzero(times * [own for _, own in groups] % divisors)
    if len(uneven):
        kind = uneven[0]
        raise GnriError(
            f"each row of the class {target.classes.tolist()[kind]!r} occurs a multiple of "
            f"{divisors[kind]} times; in parts such classes cannot be balanced: give class_weight "
            "as a number for each class, or leave the repeated rows out"
        )
    return times, divisors


def _count_groups(
    partition: Partition, weighing: Weighing, kinds: Mapping[str, ColumnKind]
) -> Groups:
    """Return the groups of equal rows of each class, by a code of their cells."""
    classes = range(len(weighing.target.classes))
    found: Groups = [(count_numbers(np.zeros(0), bounded=True), 0) for _ in classes]
    for table, weights, codes in weighing.batches(partition, list(kinds)):
        copies, keys = weighing.copies(weights, codes), _row_codes(table, kinds)
        some = []
        for kind in classes:
            own = (codes == kind) & (copies > 0)
            counts = count_numbers(keys[own], copies[own], bounded=True)
            some.append((counts, int(np.gcd.reduce(copies[own]))))
        found = _merge_groups(found, some)
    return found


def _merge_groups(one: Groups, other: Groups) -> Groups:
    return [(a + b, gcd(m, n)) for (a, m), (b, n) in zip(one, other, strict=True)]


def _row_codes(table: Table, kinds: Mapping[str, ColumnKind]) -> NDArray[np.float64]:
    """Return the same whole number for equal rows, and nearly always others for different ones."""
    codes = np.zeros(table.rows, np.uint64)
    for name, kind in kinds.items():
        codes = mix(codes + mix(_cell_codes(table[name], kind)))
    return (codes >> np.uint64(11)).astype(np.float64)


def _cell_codes(column: Column, kind: ColumnKind) -> NDArray[np.uint64]:
    """Return the same code for equal cells; 0 for missing ones."""
    read = column.cast(kind)
    if kind == ColumnKind.CATEGORY:
        digests = [blake2b(repr(one).encode(), digest_size=8).digest() for one in read.categories]
        codes = np.frombuffer(b"".join([*digests, bytes(8)]), np.uint64)[read.values]
    else:
        codes = (read.values.astype(np.float64) + 0.0).view(np.uint64) + np.uint64(1)
    return np.where(read.missing_rows(kind), np.uint64(0), codes)
