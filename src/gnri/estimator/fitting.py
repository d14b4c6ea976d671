"""The one way from a table to its rules: for frames, files in memory and files in parts.

`RuleClassifier`, the command line, the page, the audit and the studies all call `fit`.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.packing import Packing, pack_table
from gnri.data.discretize import learn_schema
from gnri.data.encode import encode
from gnri.data.schema import Schema
from gnri.data.sources import Source, TableSource
from gnri.data.table import Table, check_has, check_size
from gnri.data.target import Target, read_target
from gnri.data.value_counts import ValueCounts, count_values
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.leaf_counts import LeafCounts, count_leaves
from gnri.estimator.multiclass import Learner, Turns, episodes_in_turn, fit_rule_list
from gnri.estimator.settings import FitSettings
from gnri.estimator.statistics import RuleStatistics, measure_rules
from gnri.messages import shorten
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList

if TYPE_CHECKING:
    from gnri.counts.executors import Executor
    from gnri.estimator.learners import ModelLearner

READINGS = 2
"""Passes over files in parts: one to count values, one to pack rows."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The rules of a table, and what its rows say of them.

    `rule_list` has the rules as induced, `minimized` the same in fewer literals; `turns` says which
    of them were learnt from the same rows. Of rows in memory, `codes` and `answers` are the index
    of each row's class and of the class answered; `values`, the truth of each atom in each row, and
    `table`, the columns, are left out of what is pickled. Of rows read in parts, `passes` says how
    often files and then packed rows were gone through.
    """

    settings: FitSettings
    target: Target
    columns: tuple[str, ...]  # learnt from, in order
    rule_list: RuleList
    minimized: RuleList
    turns: Turns
    leaf_counts: LeafCounts
    statistics: tuple[RuleStatistics, ...]
    sizes: tuple[int, ...]  # rows of each class
    missing: Mapping[str, int]  # cells of each column
    seconds: float
    codes: NDArray[np.intp] | None = None
    answers: NDArray[np.intp] | None = None
    values: NDArray[np.int8] | None = None
    table: Table | None = None
    passes: tuple[int, int] | None = None

    @property
    def classes(self) -> NDArray[Any]:
        """The classes in order."""
        return self.target.classes

    @property
    def schema(self) -> Schema:
        """What each atom means."""
        return self.rule_list.schema

    @cached_property
    def counter(self) -> Counter:
        """Counts of the training rows; raise where these were not kept."""
        return Counter.from_values(*self.rows(), len(self.classes))

    def episodes(self) -> dict[int, Episode]:
        """Return the task from which the rule of each class was learnt, in order of learning."""
        return episodes_in_turn(self.rule_list, self.turns, self.counter)

    def rows(self) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
        """Return atoms and classes of the training rows; raise where these were not kept."""
        if self.values is None or self.codes is None:
            raise GnriError(
                "this takes the training rows, and those of a table in parts are not kept; fit on "
                "a table in memory"
            )
        return self.values, self.codes

    def with_rules(self, rules: Sequence[SignedDNF]) -> "Fitted":
        """Return the same with rules that were edited by hand, counted on the training rows."""
        edited = self.rule_list.with_rules(rules)
        return replace(
            self,
            rule_list=edited,
            minimized=edited,
            statistics=measure_rules(self.counter, edited),
            leaf_counts=count_leaves(self.counter, edited),
            answers=edited.choose(self.rows()[0]),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what is saved: all but the training table, which only a report would use."""
        kept = {name: value for name, value in vars(self).items() if name != "counter"}
        return {**kept, "values": None, "table": None}


def fit(
    source: Source,
    target: str | Target,
    settings: FitSettings | None = None,
    executor: "Executor | None" = None,
) -> Fitted:
    """Return the rules that tell the classes in the column `target` apart.

    Where the classes are known, a `Target` names the column and says which value is which. A source
    in memory is read once and its atoms are kept. Any other is read twice by `executor`, and its
    rows are counted where they are.
    """
    settings = settings or FitSettings()
    learner = settings.learner()
    started = time.perf_counter()
    with _read(source, target, learner, settings, executor) as rows:
        rules, turns = fit_rule_list(rows.schema, rows.target.classes, rows.counter, learner)
        fitted = make_fitted(rows, rules, turns, settings)
    return replace(fitted, seconds=time.perf_counter() - started)


def make_fitted(rows: "Rows", rule_list: RuleList, turns: Turns, settings: FitSettings) -> Fitted:
    """Return rules with what is counted of them on the rows they were learnt from."""
    printed, counter, values = rule_list.minimized(), rows.counter, rows.values
    return Fitted(
        settings=settings,
        target=rows.target,
        columns=tuple(rows.missing),
        rule_list=rule_list,
        minimized=printed,
        turns=turns,
        leaf_counts=count_leaves(counter, rule_list),
        statistics=measure_rules(counter, printed),
        sizes=tuple(map(int, counter.rows)),
        missing=rows.missing,
        seconds=0.0,
        codes=rows.codes,
        answers=None if values is None else rule_list.choose(values),
        values=values,
        table=rows.table,
        passes=None if values is not None else (READINGS, counter.blocks.passes),
    )


def learn_rules(
    schema: Schema, classes: NDArray[Any], counter: Counter, learner: Learner
) -> RuleList:
    """Return the rules of counted rows."""
    return fit_rule_list(schema, classes, counter, learner)[0]


def learn_atoms(counts: Sequence[ValueCounts], rows: int, settings: FitSettings) -> Schema:
    """Return the atoms of columns that are decided and have these value counts."""
    return learn_schema(counts, rows, settings.binarizer(len(counts)), settings.thresholds)


class Rows(NamedTuple):
    """The rows of a source as atoms and classes, ready to be counted."""

    schema: Schema
    target: Target
    counter: Counter
    missing: dict[str, int]
    values: NDArray[np.int8] | None = None
    codes: NDArray[np.intp] | None = None
    table: Table | None = None


@contextmanager
def _read(
    source: Source,
    target: str | Target,
    learner: "ModelLearner",
    settings: FitSettings,
    executor: "Executor | None",
) -> Iterator[Rows]:
    """Yield the rows of a source; those that were packed in parts are let go afterwards."""
    label = target.name if isinstance(target, Target) else target
    names = feature_names(source, label)
    if isinstance(source, TableSource):
        yield read_rows(source.table, target, names, settings)
        return
    from gnri.counts.executors import make_executor

    _check_counts_are_enough(learner)
    executor = executor or make_executor()
    *counts, labels = executor.count_columns(source.partitions, [*names, label])
    found = target if isinstance(target, Target) else read_target(labels)
    columns = [one.decide() for one in counts]
    schema = learn_atoms(columns, found.rows, settings)
    with executor.pack(source.partitions, Packing(schema, found)) as blocks:
        yield Rows(schema, found, Counter(blocks), {one.name: one.missing for one in columns})


def read_rows(table: Table, target: str | Target, names: list[str], settings: FitSettings) -> Rows:
    """Return the rows of a table in memory as atoms and classes."""
    check_size(table.rows, len(names))
    if isinstance(target, Target):
        found = target
    else:
        found = read_target(count_values(table[target]), table[target])
    decided = table.select(names).decide()
    counts = [count_values(column) for column in decided.values()]
    schema = learn_atoms(counts, table.rows, settings)
    values, codes = encode(schema, decided), found.encode(table[found.name])
    counter = Counter(MemoryBlocks([pack_table(schema, decided, codes, len(found.classes))]))
    missing = {one.name: one.missing for one in counts}
    return Rows(schema, found, counter, missing, values, codes, decided)


def feature_names(source: Source, target: Any, ignore: Sequence[str] = ()) -> list[str]:
    """Return the columns to learn from; raise for a target that is not there."""
    names = source.names
    if not isinstance(target, str):
        raise GnriError(
            f"target must be the name of a column, got {type(target).__name__}; the columns are "
            f"{shorten(names)}"
        )
    for name in (target, *ignore):
        check_has(name, names, source.origin)
    found = [name for name in names if name not in (target, *ignore)]
    if not found:
        raise GnriError(
            f"{source.origin} has no column besides {shorten(target)}; add columns to learn from"
        )
    return found


def _check_counts_are_enough(learner: "ModelLearner") -> None:
    """Raise for a model that reads the rows themselves."""
    from gnri.model.guided.guided import Guided

    model = learner.model
    reads_rows = not isinstance(model, Guided)
    if reads_rows or not learner.refine:
        wanted = f"the model {model.name!r}" if reads_rows else "refine=False"
        raise GnriError(
            f"a table in parts is learnt by guided with refine, from counts alone; {wanted} reads "
            "the rows themselves, so read the table into memory first"
        )
