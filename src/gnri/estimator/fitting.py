"""`fit`: from a table in memory or in files to its rules and their statistics."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.encode import encode
from gnri.data.schema import Schema
from gnri.data.sources import Source, TableSource, feature_names
from gnri.data.table import Table
from gnri.data.target import AnyTarget, Target, label_name
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.leaf_counts import LeafCounts, count_leaves
from gnri.estimator.multiclass import ClassGroups, training_episodes
from gnri.estimator.point_tables import calibrate
from gnri.estimator.settings import FitSettings
from gnri.estimator.statistics import ClauseStatistics, RuleStatistics, measure_rules
from gnri.estimator.training_rows import (
    LabelledRows,
    TrainingRows,
    pack_rows,
    profile_column,
    read_parts,
    read_rows,
)
from gnri.rules.dnf import Literal
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule

if TYPE_CHECKING:
    from gnri.counts.executors import Executor
    from gnri.estimator.constraints import Bounds, Constraints
    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.learners import ModelLearner


@dataclass(frozen=True, eq=False)
class Fitted:
    """The rules of a table, with their statistics on its rows.

    Rules: `learnt` as induced; `rule_list` the same with better thresholds, which are added to its
    schema; `minimized` the same as `rule_list`, but shorter. `groups` says which classes were
    learnt from the same rows.

    Rows, for a table in memory: `codes` and `answers` are the index of the true and of the
    predicted class of each row. `values` is the truth of each atom in each row; it and `table` are
    not pickled. With weights, `copies` says how many copies of each row were learnt from, and
    `class_copies` how many of a row of each class, if classes have weights.
    `leaf_counts` include the copies, `statistics` and `sizes` do not. For files in parts, `passes`
    is a pair: passes over the files, passes over the packed rows.

    Columns: `twins` maps each column that was left out to one that says the same; `ignored` maps
    each column that cannot be used to the reason. `points`: with an objective, floors or costs, the
    operating points, measured on rows held out.
    """

    settings: FitSettings
    target: Target
    columns: tuple[str, ...]  # the features, in order
    learnt: RuleList
    rule_list: RuleList
    minimized: RuleList
    groups: ClassGroups
    leaf_counts: LeafCounts
    statistics: tuple[RuleStatistics, ...]
    sizes: tuple[int, ...]  # rows of each class
    missing: Mapping[str, int]  # missing cells of each column
    seconds: float
    codes: NDArray[np.intp] | None = None
    answers: NDArray[np.intp] | None = None
    values: NDArray[np.int8] | None = None
    table: Table | None = None
    passes: tuple[int, int] | None = None
    twins: Mapping[str, str] = field(default_factory=dict)
    copies: NDArray[np.intp] | None = None
    class_copies: Sequence[float] | None = None
    ignored: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of each column
    total_copies: int | None = None  # copies in all; None without weights
    points: tuple[dict[str, Any], ...] = ()
    constraints: "Constraints | None" = None

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

    def training_summary(self, held_out: "Validation | None" = None) -> dict[str, Any]:
        """Return what `gnri watch` compares new rows with: counts and ranges, no row of the table.

        It is about the columns that the rules read, and these alone. Cross-validation says how much
        precision is lost on rows that were not learnt from.
        """
        answers = None
        if held_out is not None and self.codes is not None and self.answers is not None:
            classes = len(self.classes)
            answers = {
                "training": _count_right(self.codes, self.answers, classes),
                "held_out": _count_right(held_out.codes, held_out.answers, classes),
            }
        read = [name for name in self.minimized.columns if name in self.profiles]
        return {
            "version": 1,
            "rows": sum(self.sizes),
            "classes": list(self.sizes),
            "rules": [one.counts() for one in self.statistics],
            "columns": {name: self.profiles[name] for name in read},
            "answers": answers,
        }

    def episodes(self) -> dict[int, Episode]:
        """Return the task from which the rule of each class was learnt, in order of learning."""
        counter = Counter.from_values(*self.learnt_rows(), len(self.classes))
        return training_episodes(self.learnt, self.groups, counter)

    def learnt_atoms(self) -> NDArray[np.int8]:
        """Return the atoms that were learnt from, of each training row."""
        values, _ = self.rows()
        places = {atom: i for i, atom in enumerate(self.schema.atoms)}
        if self.table is not None and not places.keys() >= set(self.learnt.schema.atoms):
            return encode(self.learnt.schema, self.table)
        return values[:, [places[atom] for atom in self.learnt.schema.atoms]]

    def learnt_rows(self) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
        """Return the training rows, with their copies, over the atoms that were learnt from."""
        return self._copied(self.learnt_atoms())

    @property
    def bounds(self) -> "Bounds | None":
        """The constraints on the atoms that were learnt from."""
        kinds, limits = range(len(self.classes)), self.constraints
        return None if limits is None else limits.bind(self.learnt.schema, kinds)

    def rows(self) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
        """Return atoms and classes of the training rows; raise where these were not kept."""
        if self.values is None or self.codes is None:
            raise GnriError(
                "this needs the training rows, which are kept neither for a table in parts nor in "
                "a pickle; fit on a table in memory"
            )
        return self.values, self.codes

    def _copied(self, values: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
        """Return atoms and classes with as many copies of each row as were learnt from."""
        times = 1 if self.copies is None else self.copies
        return np.repeat(values, times, axis=0), np.repeat(self.rows()[1], times)

    def with_rules(self, rules: Sequence[AnyRule]) -> "Fitted":
        """Return a copy with rules edited by hand, and their statistics on the training rows."""
        edited, (values, _) = self.rule_list.with_rules(rules), self.rows()
        copied = Counter.from_values(*self._copied(values), len(self.classes))
        return replace(
            self,
            learnt=edited,
            rule_list=edited,
            minimized=edited,
            statistics=measure_rules(self.counter, edited, self.twins),
            leaf_counts=count_leaves(copied, edited),
            answers=edited.choose(values),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: all but the training rows.

        Without them `rows` raises: there is no audit and no editing by hand.
        """
        kept = {name: value for name, value in vars(self).items() if name != "counter"}
        return {**kept, "values": None, "table": None}


def _count_right(
    codes: NDArray[np.intp], answers: NDArray[np.intp], classes: int
) -> list[list[int]]:
    """Return for each class how many rows were predicted as it, and how many of these rightly."""
    counts = [np.bincount(some, minlength=classes) for some in (answers, answers[answers == codes])]
    found: list[list[int]] = np.transpose(counts).tolist()
    return found


def fit(
    source: Source,
    target: AnyTarget,
    settings: FitSettings | None = None,
    executor: "Executor | None" = None,
) -> Fitted:
    """Return the rules that predict the column `target` from the other columns.

    A `Target` names the column and its classes, where these are known; a `TargetCut` says how to
    cut a column of numbers. Rows without a label are left out, and so are columns that cannot be
    used. A source in memory is read once. Any other is read by `executor` at least twice: to count
    values, and to pack the rows. Twins, moved thresholds and weights need further reads.
    """
    settings = settings or FitSettings()
    learner = settings.learner()
    started = time.perf_counter()
    labelled = _read(source, target, learner, settings, executor)
    classes = labelled.target.classes
    limits = settings.read_constraints(labelled.counts, list(labelled.missing), classes)
    with pack_rows(labelled, settings, limits) as rows:
        if settings.has_target:
            from gnri.estimator.aims import resolve

            settings = resolve(settings, classes, rows.counter.rows.tolist())
        bounds = None if limits is None else limits.bind(rows.schema, range(len(classes)))
        move = settings.make_mover(rows.counts, rows.pack, limits)
        learnt = settings.learn_rules(rows.schema, classes, rows.counter, learner, move, bounds)
        if learnt.unmet is not None:
            raise GnriError(learnt.unmet)
        rules = calibrate(learnt.rules, rows.counter, settings, bounds)
        moved = learnt.moved if rules.unit is None else rules
        moved = moved if limits is None else limits.drop_masked(moved)
        rules, moved = (replace(one, na_values=source.na_values) for one in (rules, moved))
        with rows.recode(moved.schema) as recoded:
            fitted = make_fitted(recoded, moved, learnt.groups, settings)
    return replace(
        fitted, learnt=rules, points=learnt.points, seconds=time.perf_counter() - started
    )


def _read(
    source: Source,
    target: AnyTarget,
    learner: "ModelLearner",
    settings: FitSettings,
    executor: "Executor | None",
) -> LabelledRows:
    """Return the labelled rows of a source."""
    names = feature_names(source, label_name(target))
    if isinstance(source, TableSource):
        return read_rows(source, target, names, settings)
    if settings.has_target:
        raise GnriError(
            "objective, min_precision, min_recall and costs need the table in memory; leave them "
            "out, or fit on a frame"
        )
    from gnri.counts.executors import make_executor

    learner.check_counts_suffice()
    return read_parts(source, target, names, settings, executor or make_executor())


def make_fitted(
    rows: TrainingRows, rule_list: RuleList, groups: ClassGroups, settings: FitSettings
) -> Fitted:
    """Return rules with their statistics on the rows they were learnt from."""
    if rows.constraints is None:
        minimized = rule_list.minimized(settings.negations)
    else:
        minimized = rows.constraints.shorten(rule_list, settings.negations)
    values = None if rows.table is None else encode(rule_list.schema, rows.table)
    if rows.weighted:
        statistics, sizes, passes = _measure_uncopied(rows, minimized)
    else:
        statistics, sizes = measure_rules(rows.counter, minimized, rows.twins), rows.counter.rows
        passes = 0
    return Fitted(
        settings=settings,
        target=rows.target,
        columns=tuple(rows.missing),
        learnt=rule_list,
        rule_list=rule_list,
        minimized=minimized,
        groups=groups,
        leaf_counts=count_leaves(rows.counter, rule_list),
        statistics=statistics,
        sizes=tuple(map(int, sizes)),
        missing=rows.missing,
        seconds=0.0,
        codes=rows.codes,
        answers=None if values is None else rule_list.choose(values),
        values=values,
        table=rows.table,
        passes=None
        if rows.parts is None
        else (rows.parts.reads, rows.counter.blocks.passes + passes),
        twins=rows.twins,
        ignored=rows.ignored,
        copies=rows.copies,
        class_copies=rows.class_copies,
        profiles={one.name: profile_column(one) for one in rows.once},
        total_copies=int(rows.counter.rows.sum()) if rows.weighted else None,
        constraints=rows.constraints,
    )


def _measure_uncopied(
    rows: TrainingRows, rule_list: RuleList
) -> tuple[tuple[RuleStatistics, ...], NDArray[np.int64], int]:
    """Return statistics and class sizes with each row counted once, and the passes this took.

    To save memory, only the atoms of the rules are packed: the copied rows are still in memory.
    """
    atoms = rule_list.atoms or [0]
    small = rule_list.select_atoms(atoms)
    with rows.pack(small.schema, copied=False) as once:
        found = measure_rules(once, small, rows.twins, len(rule_list.schema.atoms))
        sizes, passes = once.rows, once.blocks.passes

    def restore(one: ClauseStatistics) -> ClauseStatistics:
        return replace(one, clause=frozenset(Literal(atoms[i], sign) for i, sign in one.clause))

    statistics = [replace(one, clauses=tuple(map(restore, one.clauses))) for one in found]
    return tuple(statistics), sizes, passes
