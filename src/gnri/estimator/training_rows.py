"""Training rows, in memory or in parts, as atoms and classes that are ready to be counted."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.packing import Packing, pack_table
from gnri.data.encode import encode
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


def count_table(schema: Schema, table: Table, codes: NDArray[np.intp], classes: int) -> Counter:
    """Return a counter of the rows of a table in memory."""
    return Counter(MemoryBlocks([pack_table(schema, table, codes, classes)]))


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
    """A table in parts: how to pack its rows, and how often it was read."""

    executor: "Executor"
    partitions: Sequence[Partition]
    target: Target
    rows: int  # with copies
    reads: int = 1  # to count values
    once: Sequence[Partition] | None = None  # without copies of rows; None: there are none
    once_counts: Sequence[ValueCounts] = ()  # of the columns of these
    class_copies: Sequence[float] | None = None  # of a row of each class; None: as many of all

    @contextmanager
    def pack(self, schema: Schema, *, copies: bool = True) -> Iterator[Counter]:
        """Yield a counter of the packed rows, with or without copies; free them at the end."""
        self.reads += 1
        partitions = self.partitions if copies or self.once is None else self.once
        with self.executor.pack(partitions, Packing(schema, self.target)) as blocks:
            counter = Counter(blocks)
            yield counter.with_class_copies(self.class_copies) if self.class_copies else counter


class TrainingRows(NamedTuple):
    """The rows of a source as atoms and classes, ready to be counted; weights copy rows."""

    schema: Schema
    target: Target
    counter: Counter
    missing: dict[str, int]
    values: NDArray[np.int8] | None = None
    codes: NDArray[np.intp] | None = None
    table: Table | None = None
    twins: Mapping[str, str] | None = None  # columns left out, each with one that says the same
    counts: Sequence[ValueCounts] = ()  # of each column
    copies: NDArray[np.intp] | None = None  # of each row; None: one
    class_copies: Sequence[float] | None = None  # of a row of each class; None: as many of all
    parts: Parts | None = None
    ignored: Mapping[str, str] | None = None  # columns that cannot be used, and why
    constraints: "Constraints | None" = None

    def pack(self, schema: Schema) -> AbstractContextManager[Counter]:
        """Return a counter of the same rows with other atoms."""
        if self.parts is not None:
            return self.parts.pack(schema)
        assert self.table is not None and self.codes is not None, "rows are in memory or in parts"
        copied = copy_rows(self.table, self.codes, self.copies)
        return nullcontext(count_table(schema, *copied, len(self.target.classes)))

    @property
    def weighted(self) -> bool:
        """Whether there are copies of rows."""
        return self.copies is not None or (self.parts is not None and self.parts.once is not None)

    def count_uncopied(self, schema: Schema) -> AbstractContextManager[Counter]:
        """Return a counter of the rows without their copies, with these atoms."""
        if self.parts is not None:
            return self.parts.pack(schema, copies=False)
        return self._replace(copies=None).pack(schema)

    def count_values(self) -> Sequence[ValueCounts]:
        """Return the counts of each column, each row counted once."""
        if self.parts is not None and self.parts.once is not None:
            return self.parts.once_counts
        if self.copies is None or self.table is None:
            return self.counts
        return [count_values(column) for column in self.table.values()]

    @contextmanager
    def recode(self, schema: Schema) -> Iterator["TrainingRows"]:
        """Yield the same rows with other atoms."""
        values = None if self.table is None else encode(schema, self.table)
        with self.pack(schema) as counter:
            yield self._replace(schema=schema, counter=counter, values=values)


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
) -> TrainingRows:
    """Return the rows of a table in memory as atoms and classes."""
    table = source.table
    check_size(table.rows, len(names))
    target, weights = find_target(target, count_values(table[label_name(target)])), source.weights
    codes = target.encode(table[target.name])
    if target.unlabelled:
        known = codes >= 0
        table, codes = table.take(known), codes[known]
        weights = None if weights is None else weights[known]
    decided, copies, class_copies = table.select(names).decide(), None, source.class_copies
    counts = [count_values(column) for column in decided.values()]
    missing = {one.name: one.missing for one in counts}
    counts, ignored = settings.select_usable(counts)
    decided = decided.select(one.name for one in counts)
    if weights is not None or settings.copied_weight is not None:
        from gnri.estimator.weighting import count_copies

        given = settings.copied_weight
        copies, by_class = count_copies(decided, codes, target.classes, given, weights)
        class_copies = by_class or class_copies
    copied, own = copy_rows(decided, codes, copies)
    if copies is not None:
        counts = [count_values(column) for column in copied.values()]
    limits = settings.read_constraints(counts, names, target.classes)
    schema = settings.learn_atoms(counts, copied.rows, limits)
    schema, counter, twins = settings.count_rows(schema, copied, own, len(target.classes), limits)
    if class_copies:
        counter = counter.with_class_copies(class_copies)
    found = TrainingRows(schema, target, counter, missing, encode(schema, decided), codes, decided)
    return found._replace(
        twins=twins,
        counts=counts,
        copies=copies,
        class_copies=class_copies,
        ignored=ignored,
        constraints=limits,
    )


def count_parts(
    executor: "Executor",
    source: Source,
    names: Sequence[str],
    target: AnyTarget,
    settings: "FitSettings",
) -> tuple[Parts, list[ValueCounts], dict[str, int], dict[str, str]]:
    """Return the parts, value counts with copies of rows, missing cells, and ignored columns.

    The last of the names is that of the target.
    """
    weight, class_weight = source.weight, settings.class_weight
    partitions, weighted = source.partitions, weight is not None or class_weight is not None
    if weighted:
        from gnri.estimator.weighted_parts import keep_rows, weigh_parts

        partitions = [keep_rows(one, weight) for one in partitions]
    *counts, labels = executor.count_columns(partitions, names)
    if weighted and not labels.rows:
        from gnri.estimator.weighting import ALL_ZERO

        raise GnriError(ALL_ZERO)
    found = find_target(target, labels)
    columns = [one.decide() for one in counts]
    missing = {one.name: one.missing for one in columns}
    columns, ignored = settings.select_usable(columns)
    if not weighted:
        return Parts(executor, partitions, found, found.rows), columns, missing, ignored
    copied, reads, class_copies = weigh_parts(
        executor, source.partitions, weight, class_weight, found, columns
    )
    kinds = {one.name: one.kind for one in columns}
    *counts, labels = executor.count_columns(copied, [*kinds, names[-1]])
    parts = Parts(
        executor, copied, found, labels.rows, reads + 2, partitions, columns, class_copies
    )
    columns = [one.decide(kinds[one.name]) for one in counts]
    return parts, columns, missing, ignored
