"""Training rows, in memory or in parts, as atoms and classes that are ready to be counted."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.packing import Packing, pack_table
from gnri.counts.problem import find_twins
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Schema
from gnri.data.sources import Partition, Source, TableSource
from gnri.data.table import Table, check_size
from gnri.data.target import AnyTarget, Target, find_target, label_name
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.counts.executors import Executor
    from gnri.estimator.constraints import Constraints
    from gnri.estimator.settings import FitSettings


def copy_rows(
    table: Table, codes: NDArray[np.intp], copies: NDArray[np.intp] | None
) -> tuple[Table, NDArray[np.intp]]:
    """Return as many copies of each row as `copies` says, or the rows as they are."""
    if copies is None:
        return table, codes
    chosen = np.repeat(np.arange(len(codes)), copies)
    return table.take(chosen), codes[chosen]


@dataclass
class Parts:
    """A table in parts, and how often it was read."""

    executor: "Executor"
    partitions: Sequence[Partition]
    reads: int = 1  # to count values
    once: Sequence[Partition] | None = None  # without copies of rows; None: there are none


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledRows:
    """The labelled rows of a source, their columns of known kinds; weights copy rows.

    In memory there is the `table`, with the class of each row and how many copies it has; else
    there are `parts`.
    """

    target: Target
    counts: Sequence[ValueCounts]  # of each column
    once: Sequence[ValueCounts] = ()  # the same without copies
    missing: Mapping[str, int] = field(default_factory=dict)  # cells of each column
    ignored: Mapping[str, str] = field(default_factory=dict)  # columns not to be used, and why
    codes: NDArray[np.intp] | None = None
    table: Table | None = None
    copies: NDArray[np.intp] | None = None  # of each row; None: one
    class_copies: Sequence[float] | None = None  # of a row of each class; None: as many of all
    parts: Parts | None = None

    @contextmanager
    def pack(self, schema: Schema, *, copied: bool = True) -> Iterator[Counter]:
        """Yield a counter of the packed rows, with or without copies; free them at the end."""
        parts = self.parts
        if parts is not None:
            parts.reads += 1
            partitions = parts.partitions if copied or parts.once is None else parts.once
            with parts.executor.pack(partitions, Packing(schema, self.target)) as blocks:
                yield self._weigh(Counter(blocks), copied)
            return
        assert self.table is not None and self.codes is not None, "rows are in memory or in parts"
        table, codes = copy_rows(self.table, self.codes, self.copies if copied else None)
        packed = pack_table(schema, table, codes, len(self.target.classes))
        yield self._weigh(Counter(MemoryBlocks([packed])), copied)

    def _weigh(self, counter: Counter, copied: bool) -> Counter:
        known = copied and self.class_copies
        return counter.with_class_copies(known) if known else counter

    @property
    def weighted(self) -> bool:
        """Whether there are copies of rows."""
        return self.copies is not None or (self.parts is not None and self.parts.once is not None)


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingRows(LabelledRows):
    """Rows with the atoms that are learnt from, ready to be counted.

    `twins` are the columns left out, each with one that says the same.
    """

    schema: Schema
    counter: Counter
    twins: Mapping[str, str] = field(default_factory=dict)
    constraints: "Constraints | None" = None

    @contextmanager
    def recode(self, schema: Schema) -> Iterator["TrainingRows"]:
        """Yield the same rows with other atoms."""
        if schema == self.schema:
            yield self
            return
        with self.pack(schema) as counter:
            yield replace(self, schema=schema, counter=counter)


@contextmanager
def pack_rows(
    rows: LabelledRows, settings: "FitSettings", limits: "Constraints | None"
) -> Iterator[TrainingRows]:
    """Yield the rows with atoms, without twins; packed rows are freed at the end."""
    schema = settings.learn_atoms(rows.counts, limits)
    with ExitStack() as packed:
        counter, twins = packed.enter_context(rows.pack(schema)), dict[str, str]()
        if not settings.keep_twins:
            twins = find_twins(schema, counter, None if limits is None else limits.rank)
        if twins:
            packed.close()
            schema = schema.without(twins)
            counter = packed.enter_context(rows.pack(schema))
        given = vars(rows)
        yield TrainingRows(**given, schema=schema, counter=counter, twins=twins, constraints=limits)


def profile_column(counts: ValueCounts) -> dict[str, Any]:
    """Return what a rule file keeps of a column whose kind is decided, and no row.

    It is the number of cells, the range, and how often each category occurs.
    """
    numbers, values = counts.numbers, None
    if counts.kind == ColumnKind.CATEGORY:
        values = {str(value): counts.values[value] for value in sorted(counts.values, key=str)}
    return {
        "kind": str(counts.kind),
        "cells": counts.rows,
        "missing": counts.missing,
        "lowest": float(numbers.lowest[0]) if len(numbers.lowest) else None,
        "highest": float(numbers.highest[-1]) if len(numbers.highest) else None,
        "values": values,
    }


def read_rows(
    source: TableSource, target: AnyTarget, names: list[str], settings: "FitSettings"
) -> LabelledRows:
    """Return the labelled rows of a table in memory."""
    table, weights = source.table, source.weights
    check_size(table.rows, len(names))
    target = find_target(target, count_values(table[label_name(target)]))
    codes = target.encode(table[target.name])
    if target.unlabelled:
        known = codes >= 0
        table, codes = table.take(known), codes[known]
        weights = None if weights is None else weights[known]
    table = table.select(names).decide()
    counts = [count_values(column) for column in table.values()]
    rows = _label(target, counts, settings)
    table = table.select(one.name for one in rows.counts)
    rows = replace(rows, codes=codes, table=table, class_copies=source.class_copies)
    if weights is None and settings.copied_weight is None:
        return rows
    from gnri.estimator.weighting import count_copies

    given = settings.copied_weight
    copies, by_class = count_copies(table, codes, target.classes, given, weights)
    copied, _ = copy_rows(table, codes, copies)
    counts = [count_values(column) for column in copied.values()]
    return replace(rows, counts=counts, copies=copies, class_copies=by_class or source.class_copies)


def _label(target: Target, counts: Sequence[ValueCounts], settings: "FitSettings") -> LabelledRows:
    """Return rows with the columns that can be used."""
    usable, ignored = settings.select_usable(counts)
    return LabelledRows(
        target=target,
        counts=usable,
        once=usable,
        missing={one.name: one.missing for one in counts},
        ignored=ignored,
    )


def read_parts(
    source: Source,
    target: AnyTarget,
    names: list[str],
    settings: "FitSettings",
    executor: "Executor",
) -> LabelledRows:
    """Return the labelled rows of a table in parts."""
    weight, class_weight = source.weight, settings.class_weight
    partitions, weighted = source.partitions, weight is not None or class_weight is not None
    if weighted:
        from gnri.estimator.weighted_parts import keep_rows, weigh_parts

        partitions = [keep_rows(one, weight) for one in partitions]
    *found, labels = executor.count_columns(partitions, [*names, label_name(target)])
    if weighted and not labels.rows:
        from gnri.estimator.weighting import ALL_ZERO

        raise GnriError(ALL_ZERO)
    target = find_target(target, labels)
    rows = _label(target, [one.decide() for one in found], settings)
    if not weighted:
        return replace(rows, parts=Parts(executor, partitions))
    copied, reads, class_copies = weigh_parts(
        executor, source.partitions, weight, class_weight, target, rows.once
    )
    kinds = {one.name: one.kind for one in rows.once}
    *found, _ = executor.count_columns(copied, [*kinds, target.name])
    parts = Parts(executor, copied, reads + 2, partitions)
    counts = [one.decide(kinds[one.name]) for one in found]
    return replace(rows, counts=counts, parts=parts, class_copies=class_copies)
