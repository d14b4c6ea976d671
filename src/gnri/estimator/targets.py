"""Aim at a target: an objective, floors for precision and recall, or costs of errors.

A task has a few operating points: for clauses the weights of the classes, for the point table of
two classes also its thresholds. Each is judged by its errors on rows held out, in folds that the
contents of the rows decide, and the best is learnt from all rows. Shares are fractions, so nothing
depends on an order; where two points are equally good, the one nearer to plain rules is taken.
"""

import math
from collections import Counter as Tally
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
from gnri.estimator.aims import Aim, Counts
from gnri.estimator.leaf_counts import where_answered
from gnri.estimator.multiclass import Learner, LearntRules
from gnri.estimator.point_tables import count_margins, sample_codes
from gnri.estimator.thresholds import Move
from gnri.estimator.weighting import read_class_weights, round_weights
from gnri.formats.points import tabulate
from gnri.rules.row_expression import sample_of
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

if TYPE_CHECKING:
    from gnri.estimator.settings import FitSettings

FOLDS = 5

STEP = 4
"""The weight of a class goes up by this factor, from 1 / STEP to where all classes weigh equal."""


class Setup(NamedTuple):
    """A form, with copies of the rows of each class; `distance` is 0 for what was asked for."""

    form: str
    copies: tuple[int, ...]
    distance: int


class Point(NamedTuple):
    """Rows held out by class and answer; the threshold is `shift` half points higher."""

    setup: Setup
    shift: int
    counts: Counts
    conditions: int = 0

    @property
    def distance(self) -> tuple[bool, int, int, int]:
        """How far it is from plain rules: clauses, their weights, their threshold, their size."""
        setup = self.setup
        return setup.form != "dnf", setup.distance, abs(self.shift), self.conditions


@dataclass(frozen=True, eq=False)
class TargetLearner:
    """Learn rules at a target from counted rows."""

    settings: "FitSettings"
    schema: Schema
    classes: NDArray[Any]
    counter: Counter
    learner: Learner

    def measure(self, setups: Sequence[Setup]) -> list[Point]:
        """Return the operating points of each setup, by the rows held out."""
        codes = sample_codes(self.counter, len(self.schema.atoms))
        samples = [sample_of(codes, FOLDS, part) for part in range(FOLDS)]
        pairs = [(self.counter.without(one), self.counter.without(~one)) for one in samples]
        folds = [(shown, hidden) for shown, hidden in pairs if shown.rows.any()]
        return [point for setup in setups for point in self._measure(setup, folds)]

    def _measure(self, setup: Setup, folds: list[tuple[Counter, Counter]]) -> Iterator[Point]:
        rules = [(self.learn(setup, shown).rules, hidden) for shown, hidden in folds]
        conditions = sum(rule.size for found, _ in rules for rule in found.rules)
        if len(self.classes) > 2 or setup.form == "dnf":
            sizes = sum(hidden.sizes(where_answered(found)) for found, hidden in rules)
            yield Point(setup, 0, tuple(map(tuple, np.transpose(sizes).tolist())), conditions)
            return
        margins = Tally[tuple[int, int, int]]()  # by class, margin and answer at a margin of zero
        for found, hidden in rules:
            margins.update(_count_margins(found, hidden))
        for shift, counts in _shift(margins):
            yield Point(setup, shift, counts, conditions)

    def learn(self, setup: Setup, counter: Counter, move: Move | None = None) -> LearntRules:
        """Return the rules of a setup."""
        weigh = partial(copy_classes, copies=setup.copies)
        move = None if move is None or setup.form != "dnf" else partial(move, weigh=weigh)
        plain = replace(self.settings.without_target(), form=setup.form)
        return plain.learn_rules(self.schema, self.classes, weigh(counter), self.learner, move)


def learn_at_target(learner: TargetLearner, move: Move | None) -> LearntRules:
    """Return the rules at the best operating point, and all points of its form."""
    aim = Aim.read(learner.settings, learner.classes, learner.counter.rows.tolist())
    points = learner.measure(list_setups(learner.settings, aim, learner.classes))
    best = choose(points, aim)
    learnt = learner.learn(best.setup, learner.counter, move)
    rules = shift_threshold(learnt.rules, best.shift)
    moved = learnt.moved if learnt.rules.unit is None else rules
    listed = list_points(points, best, rules, aim)
    return learnt._replace(rules=rules, moved=moved, points=listed, unmet=aim.explain(best.counts))


def choose(points: Sequence[Point], aim: Aim) -> Point:
    """Return the best point; of equally good ones the plainest, and none that nothing tells apart.

    The plainest of all is never tied, so there is always one.
    """

    def key(point: Point) -> tuple[Any, ...]:
        return tuple(-share for share in aim.rank(point.counts)), point.distance

    for _, group in groupby(sorted(points, key=key), key):
        first, *others = group
        if not others:
            return first
    raise AssertionError("the plain point is alone at its distance")


def list_setups(settings: "FitSettings", aim: Aim, classes: NDArray[Any]) -> list[Setup]:
    """Return each form with the weights of the classes to try."""
    form, sizes = settings.wanted_form, np.array(aim.sizes)
    base = aim.class_costs()
    if isinstance(settings.class_weight, str) and settings.class_weight == "balanced":
        base = base * (sizes.max() / sizes)
    elif settings.class_weight is not None:
        base = base * read_class_weights(settings.class_weight, classes)
    found: dict[Setup, None] = {}
    for one in ("dnf", "scorecard") if form == "auto" else (form,):
        known: set[tuple[int, ...]] = set()
        for distance, weights in _ladder(aim, sizes, one):
            copies = round_weights(base * weights, sizes)
            copies //= np.gcd.reduce(copies[copies > 0])
            pair = tuple(np.maximum(copies, 1).tolist())
            if pair not in known:
                known.add(pair)
                found[Setup(one, pair, distance)] = None
    return list(found)


def _ladder(aim: Aim, sizes: NDArray[np.int64], form: str) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield weights of the classes, and how far they are from the given ones."""
    ones, balanced = np.ones(len(sizes)), sizes.max() / sizes
    yield 0, ones
    if len(sizes) == 2 and form != "dnf":
        yield 1, balanced  # thresholds do the rest
        return
    if len(sizes) == 2:
        most = float(balanced.max())
        rare = balanced == most
        for distance in range(1, 1 + math.ceil(math.log(most, STEP) - 0.5)):
            yield distance, np.where(rare & (most > 1), float(STEP**distance), 1.0)
        yield 99, balanced
        for own in (0, 1) if most == 1 else np.flatnonzero(~rare).tolist():
            yield 100, np.where(np.arange(2) == own, float(STEP), 1.0)
        return
    yield 1, np.sqrt(balanced)
    yield 2, balanced
    floors = np.isin(np.arange(len(sizes)), [*aim.precision, *aim.recall])
    for distance, factor in enumerate((1 / STEP, STEP) if floors.any() else (), start=3):
        yield distance, np.where(floors, factor, 1.0)


def copy_classes(counter: Counter, copies: Sequence[int]) -> Counter:
    """Return a counter of so many copies of the rows of each class."""
    if len(set(copies)) == 1:
        return counter
    table = counter.table()
    assert table is not None, "a target is refused for a table in parts"
    values, codes = table
    times = np.array(copies)[codes]
    return Counter.from_values(
        np.repeat(values, times, axis=0), np.repeat(codes, times), len(copies)
    )


def shift_threshold(rules: RuleList, shift: int) -> RuleList:
    """Return the point table of two classes with its threshold moved by so many half points."""
    if not shift or not rules.steps:
        return rules
    (card,) = rules.rules
    assert isinstance(card, Scorecard), "only a scorecard has a threshold"
    return rules.with_rules([Scorecard(card.points, card.threshold + shift // 2)])


def _count_margins(rules: RuleList, counter: Counter) -> dict[tuple[int, int, int], int]:
    """Return the rows by class, by margin, and by the answer where that is zero."""
    if not rules.steps:
        return {(k, 0, rules.default): int(n) for k, n in enumerate(counter.rows)}
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


def list_points(
    points: Sequence[Point], best: Point, rules: RuleList, aim: Aim
) -> tuple[dict[str, Any], ...]:
    """Return the figures of the points of one form, by total or by weight; none for many classes.

    Of a point table all thresholds are listed, of clauses all weights.
    """
    if len(aim.sizes) > 2:
        return ()
    own, found = aim.subject, []
    table = best.setup.form != "dnf"
    enough = None
    if table and rules.steps:
        (card,) = rules.minimized().rules
        assert isinstance(card, Scorecard), "all rules of a point table are scorecards"
        enough = tabulate(card, rules.schema)[1]
    seen = set[Counts]()
    for point in points:
        if point.setup.form != best.setup.form or (table and point.setup != best.setup):
            continue
        if table and point.counts in seen and point != best:
            continue
        seen.add(point.counts)
        weights = point.setup.copies
        place = {"weight": float(Fraction(weights[own], weights[1 - own]))}
        if table:
            place = {"total": (enough or 0) + (point.shift - best.shift) / 2}
        found.append({**place, **aim.figures(point.counts), "chosen": point == best})
    return tuple(sorted(found, key=lambda one: next(iter(one.values()))))


def resolve(settings: "FitSettings", classes: NDArray[Any], sizes: Sequence[int]) -> Any:
    """Return the settings with their floors given for classes by name; raise for impossible ones."""
    aim = Aim.read(settings, classes, sizes, strict=True)
    names = classes.tolist()
    floors = {
        "min_precision": {names[k]: float(share) for k, share in aim.precision.items()} or None,
        "min_recall": {names[k]: float(share) for k, share in aim.recall.items()} or None,
    }
    return replace(settings, **floors)
