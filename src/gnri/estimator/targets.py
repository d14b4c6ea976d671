"""Aim at a target: an objective, floors for precision and recall, or costs of errors.

A task has a few operating points: for clauses the weights of the classes, for the point table of
two classes also its thresholds. Each is judged by its errors on rows held out, in folds that the
contents of the rows decide, and the best is learnt from all rows. Shares are fractions, so nothing
depends on an order; where two points are equally good, the one nearer to plain rules is taken.
"""

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.schema import Schema
from gnri.estimator.aims import Aim, Counts, list_points
from gnri.estimator.leaf_counts import where_answered
from gnri.estimator.learners import ModelLearner
from gnri.estimator.multiclass import LearntRules
from gnri.estimator.point_tables import PARTS, choose_rules, count_margins, hold_out
from gnri.estimator.thresholds import Move
from gnri.estimator.weighting import is_balanced, read_class_weights, round_weights
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

if TYPE_CHECKING:
    from gnri.estimator.constraints import Bounds
    from gnri.estimator.settings import FitSettings

FOLDS, MANY_ROWS = 5, 1_000
"""There are so many folds; `PARTS` of them where there are many rows."""

STEP = 4
"""With a floor for its recall, a class is also given this weight."""

MARGIN = Fraction(1, 100)
"""How much better a point table must be than clauses, which are shorter; shares go up to 1."""

NEAR = (1, 2, 3, 2, 1)
"""The weights of thresholds, a point apart, in the mean around the one in the middle."""

FEW = 2
"""With a floor, rules of so few clauses are tried, too."""


class Setup(NamedTuple):
    """A form, copies of the rows of each class, and the most clauses; None: as the settings say.

    `distance` is 0 for what the settings ask for, and larger for what is further from it.
    """

    form: str
    copies: tuple[int, ...]
    max_clauses: int | None
    distance: int


class Point(NamedTuple):
    """Rows held out by class and answer; the threshold is `shift` half points higher.

    `near` has the mean over thresholds near by.
    """

    setup: Setup
    shift: int
    counts: Counts
    near: Counts
    conditions: int = 0

    @property
    def distance(self) -> tuple[int, int, int]:
        """How far it is from plain rules: its weights, its threshold, its conditions."""
        return self.setup.distance, abs(self.shift), self.conditions


@dataclass(frozen=True, eq=False)
class TargetLearner:
    """Learn rules at a target from counted rows.

    Operating points are judged by the rows of `once`, if it is given: the same without copies.
    """

    settings: "FitSettings"
    schema: Schema
    classes: NDArray[Any]
    counter: Counter
    learner: ModelLearner
    bounds: "Bounds | None" = None
    once: Counter | None = None

    def measure(self, setups: Sequence[Setup]) -> list[Point]:
        """Return the operating points of each setup, by the rows held out."""
        parts = FOLDS if self.counter.rows.sum() < MANY_ROWS else PARTS
        found: dict[Setup, list[tuple[RuleList, Counter]]] = {setup: [] for setup in setups}
        atoms = len(self.schema.atoms)
        for shown, hidden in hold_out(self.counter, atoms, parts, parts, self.once):
            for setup, learnt in self.learn(setups, shown).items():
                found[setup].append((learnt.rules, hidden))
        sizes = self.counter.rows.tolist()
        return [one for setup, rules in found.items() for one in _measure(setup, rules, sizes)]

    def learn(
        self, setups: Sequence[Setup], counter: Counter, move: Move | None = None
    ) -> dict[Setup, LearntRules]:
        """Return the rules of each setup; setups that differ in form alone share their clauses."""
        found, groups = dict[Setup, LearntRules](), defaultdict[Any, list[Setup]](list)
        for setup in setups:
            groups[setup.copies, setup.max_clauses].append(setup)
        for (copies, max_clauses), several in groups.items():
            weighed, learner = copy_classes(counter, copies), self._limit(max_clauses)
            if move is not None:
                move = partial(move, weigh=partial(copy_classes, copies=copies))
            plain = replace(self.settings.without_target(), form="dnf")
            clauses = plain.learn_rules(
                self.schema, self.classes, weighed, learner, move, self.bounds
            )
            clauses = self._answer_without_rule(clauses)
            for setup in several:
                found[setup] = clauses
                if setup.form != "dnf":
                    form = replace(plain, form=setup.form)
                    table = choose_rules(form, clauses, weighed, self.bounds)
                    if self.bounds is not None and self.bounds.missing(table.rules):
                        forced = self.bounds.force(table.rules)
                        table = choose_rules(form, clauses, weighed, forced)
                    found[setup] = self._put_in_order(table)
        return found

    def _put_in_order(self, learnt: LearntRules) -> LearntRules:
        """Let the larger of several classes be the answer where points tie, as without weights."""
        rules, sizes = learnt.rules, self.counter.rows.tolist()
        if not rules.most_points_win:
            return learnt
        steps = sorted(rules.steps, key=lambda step: -sizes[step.answer])
        rules = replace(rules, steps=tuple(steps), default=steps[-1].answer)
        return learnt._replace(rules=rules, moved=rules)

    def _answer_without_rule(self, learnt: LearntRules) -> LearntRules:
        """Let the larger class be the answer without a rule, also where weights make both equal."""
        sizes = self.counter.rows.tolist()
        if learnt.rules.steps or len(sizes) > 2 or sizes[0] == sizes[1]:
            return learnt
        rules = replace(learnt.rules, default=sizes.index(max(sizes)))
        return learnt._replace(rules=rules, moved=rules)

    def _limit(self, max_clauses: int | None) -> ModelLearner:
        """Return the learner with at most so many clauses, if it does not have fewer."""
        now = self.learner.limits
        most = min(now.max_clauses, max_clauses or now.max_clauses)
        return replace(self.learner, limits=replace(now, max_clauses=most))


def _measure(
    setup: Setup, rules: Sequence[tuple[RuleList, Counter]], sizes: Sequence[int]
) -> Iterator[Point]:
    """Yield the operating points of rules, by the rows held out from each, if there are any.

    Without a rule, nothing decides between two classes of one size: every answer counts as wrong.
    """
    conditions = sum(rule.size for found, _ in rules for rule in found.rules)
    classes, tied = len(sizes), len(sizes) == 2 and sizes[0] == sizes[1]
    if setup.form == "dnf" or not rules or any(found.most_points_win for found, _ in rules):
        total = np.zeros((classes, classes), np.int64)
        for found, hidden in rules:
            undecided = tied and not found.steps
            one = np.diag(hidden.rows)[::-1] if undecided else hidden.sizes(where_answered(found))
            total += one
        all_counts: Counts = tuple(map(tuple, total.T.tolist()))
        yield Point(setup, 0, all_counts, all_counts, conditions)
        return
    margins = Tally[tuple[int, int, int]]()  # by class, margin and answer at a margin of zero
    for found, hidden in rules:
        margins.update(_count_margins(found, hidden, tied))
    by_shift = dict(_shift(margins))
    for shift, counts in by_shift.items():
        yield Point(setup, shift, counts, _average(by_shift, shift), conditions)


def learn_at_target(learner: TargetLearner, move: Move | None) -> LearntRules:
    """Return the rules at the best operating point, and all points of its form."""
    aim = Aim.read(learner.settings, learner.classes, learner.counter.rows.tolist())
    points = learner.measure(list_setups(learner.settings, aim, learner.classes))
    best = choose(points, aim)
    moving = move if best.setup.form == "dnf" else None
    learnt = learner.learn([best.setup], learner.counter, moving)[best.setup]
    rules = shift_threshold(learnt.rules, best.shift)
    moved = learnt.moved if learnt.rules.unit is None else rules
    listed, unmet = list_points(points, best, rules, aim), aim.explain(best.counts, best.near)
    return learnt._replace(rules=rules, moved=moved, points=listed, unmet=unmet)


def choose(points: Sequence[Point], aim: Aim) -> Point:
    """Return the best point; clauses, if points are not better by MARGIN."""
    clauses = [point for point in points if point.setup.form == "dnf"]
    tables = [point for point in points if point.setup.form != "dnf"]
    best = [_choose(some, aim) for some in (clauses, tables) if some]
    ranks = [aim.rank(point.counts, point.near) for point in best]
    better = ranks[-1][0] > ranks[0][0] or ranks[-1][1] >= ranks[0][1] + MARGIN
    return best[-1] if better and ranks[-1][0] >= ranks[0][0] else best[0]


def _choose(points: Sequence[Point], aim: Aim) -> Point:
    """Return the best point of a form, and of equally good ones the plainest.

    Points that are equally good and equally plain are passed over. The plainest of all is alone.
    """

    def key(point: Point) -> tuple[Any, ...]:
        return tuple(-share for share in aim.rank(point.counts, point.near)), point.distance

    for _, group in groupby(sorted(points, key=key), key):
        first, *others = group
        if not others:
            return first
    raise AssertionError("the plainest point is alone at its distance")


def list_setups(settings: "FitSettings", aim: Aim, classes: NDArray[Any]) -> list[Setup]:
    """Return each form with the weights of the classes to try."""
    form, sizes = settings.wanted_form, np.array(aim.sizes)
    base = read_class_weights(settings.class_weight, classes)
    if is_balanced(settings.class_weight):
        base = sizes.max() / sizes
    found: dict[tuple[Any, ...], Setup] = {}
    for one in ("dnf", "scorecard") if form == "auto" else (form,):
        ladder = _ladder(aim, sizes)
        if one != "dnf" or not settings.refine:
            ladder = [step for step in ladder if step[1] is None]
        for distance, (weights, max_clauses) in enumerate(ladder):
            copies = round_weights(base * weights, sizes)
            copies = np.maximum(copies // np.gcd.reduce(copies), 1)
            setup = Setup(one, tuple(copies.tolist()), max_clauses, distance)
            found.setdefault(setup[:-1], setup)
    return list(found.values())


def _ladder(aim: Aim, sizes: NDArray[np.int64]) -> list[tuple[NDArray[Any], int | None]]:
    """Return weights of the classes with the most clauses, from those asked for on."""
    ones, full = np.ones(len(sizes)), aim.full_weights()
    found: list[tuple[NDArray[Any], int | None]]
    found = [(ones, None), (np.sqrt(full), None), (full, None)]
    if aim.precision:
        found.append((ones, FEW))
    for kind in aim.recall:
        found.append((np.where(np.arange(len(sizes)) == kind, STEP, 1) * full, FEW))
    return found


def copy_classes(counter: Counter, copies: Sequence[int]) -> Counter:
    """Return a counter of so many copies of the rows of each class, which are no evidence."""
    if len(set(copies)) == 1:
        return counter
    table = counter.table()
    assert table is not None, "a target is refused for a table in parts"
    values, codes = table
    rows = np.repeat(np.arange(len(codes)), np.array(copies)[codes])
    copied = Counter.from_values(values[rows], codes[rows], len(copies))
    return copied.with_class_copies(copies)


def shift_threshold(rules: RuleList, shift: int) -> RuleList:
    """Return the point table of two classes with its threshold moved by so many half points."""
    if not shift or not rules.steps:
        return rules
    (card,) = rules.rules
    assert isinstance(card, Scorecard), "only a scorecard has a threshold"
    return rules.with_rules([Scorecard(card.points, card.threshold + shift // 2)])


def _count_margins(
    rules: RuleList, counter: Counter, tied: bool
) -> dict[tuple[int, int, int], int]:
    """Return the rows by class, by margin, and by the answer where that is zero."""
    if not rules.steps:
        rows = enumerate(counter.rows.tolist())
        return {(kind, 0, 1 - kind if tied else rules.default): size for kind, size in rows}
    (card,) = rules.rules
    assert isinstance(card, Scorecard), "all rules of a point table are scorecards"
    counts = count_margins(card, counter, rules.schema)
    middle = counts.shape[1] // 2
    return {
        (int(kind), int(place) - middle, rules.default): int(counts[kind, place])
        for kind, place in np.argwhere(counts)
    }


def _shift(margins: Mapping[tuple[int, int, int], int]) -> Iterator[tuple[int, Counts]]:
    """Yield each threshold, in half points above the one learnt, with the rows it answers so."""
    most = max(abs(margin) for _, margin, _ in margins) + 1
    for shift in range(-most - most % 2, most + most % 2 + 1, 2):
        counts = [[0, 0], [0, 0]]
        for (kind, margin, zero), rows in margins.items():
            counts[kind][zero if margin == shift else int(margin > shift)] += rows
        yield shift, tuple(map(tuple, counts))


def _average(found: Mapping[int, Counts], shift: int) -> Counts:
    """Return the mean counts of a threshold and those near it; beyond the last, nothing changes."""
    last, total = max(found), np.zeros((2, 2), np.int64)
    for step, weight in enumerate(NEAR, start=-(len(NEAR) // 2)):
        total += weight * np.array(found[min(max(shift + 2 * step, -last), last)])
    return tuple(tuple(Fraction(rows, sum(NEAR)) for rows in one) for one in total.tolist())
