"""Learn a rule list: first the class whose quick rule is most precise, then the next, and so on.

Each class is learnt on the rows that no earlier rule covers; the last class needs no rule. Rows are
only counted, so they need not be in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import Allowed, Problem
from gnri.data.schema import Schema
from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import any_of, cover
from gnri.rules.rule_list import RuleList, Step

ClassGroups = tuple[tuple[int, ...], ...]
"""Groups of class indices in the order of learning; a group is learnt from the same rows."""


class LearntRules(NamedTuple):
    """Rules as induced, with better thresholds, and which of them were learnt from the same rows.

    `errors` counts the training rows that they answer wrong, with better thresholds. At a target,
    `points` has the figures of the operating points, and `unmet` the floor that none reaches.
    """

    rules: RuleList
    moved: RuleList
    groups: ClassGroups
    errors: int = 0
    points: tuple[dict[str, Any], ...] = ()
    unmet: str | None = None


DOUBLE_WEIGHT_ROWS = 60
"""A class with at least so many rows, but less than 2/5 of the rows left, has weight 2."""

ClassRank = tuple[Fraction, int, int]
"""The rank of a class: precision of its quick rule, rows of the class, minus its literals."""


@dataclass(frozen=True, eq=False)
class Tasks:
    """One-vs-rest tasks: each class in `kinds` against all others, on the rows of a counter."""

    counter: Counter
    atoms: int
    kinds: Sequence[int]

    def problems(self, negations: bool = True, allowed: Allowed | None = None) -> Iterator[Problem]:
        """Yield the problem of each class, from counts."""
        weights = {kind: self._weights(kind) for kind in self.kinds}
        return Problem.from_counter(self.counter, self.atoms, weights, negations, allowed)

    def episodes(self) -> list[Episode]:
        """Return the episode of each class; the rows must be in memory."""
        table = self.counter.table()
        assert table is not None, "models that read rows are used only on rows in memory"
        values, codes = table
        return [
            Episode(values, np.where(codes == kind, 1, -1), self._weights(kind))
            for kind in self.kinds
        ]

    def _weights(self, kind: int) -> tuple[int, int]:
        rows = self.counter.rows
        return class_weights(int(rows[kind]), int(rows.sum()), int((rows > 0).sum()))


class Learner(Protocol):
    """Find the rules of tasks."""

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the rule of each task; None where there is none."""

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return a rule of each task by a quick search, to put the classes in order."""


def fit_rule_list(
    schema: Schema, classes: NDArray[Any], counter: Counter, learner: Learner
) -> tuple[RuleList, ClassGroups]:
    """Return the rules of counted rows, and which of them were learnt from the same rows.

    Two classes have one rule, about the second; more classes get rules one after the other. An
    open answer is the largest class. Of two that are equally large, it is the one that the clauses
    do not speak for.
    """
    labels, sizes = tuple(classes.tolist()), counter.rows.tolist()
    if len(labels) == 2:
        (rule,) = learner.rules(Tasks(counter, len(schema.atoms), [1]))
        default = int(sizes[1] > sizes[0])
        if sizes[0] == sizes[1]:
            names = sort_by_counts((0, 1), counter, len(schema.atoms))
            default = names[0] if rule is None else int(not rule.positive)
        return RuleList.binary(schema, labels, rule, default), ((1,),)
    rules, groups, default = learn_classes(counter, len(schema.atoms), learner)
    steps = tuple(Step(rules[kind], kind) for group in groups for kind in group)
    return RuleList(schema, labels, steps, default), groups


def learn_classes(
    counter: Counter, atoms: int, learner: Learner
) -> tuple[dict[int, SignedDNF], ClassGroups, int]:
    """Return the rules by class, the groups, and the class of the rows that no rule covers."""
    whole, sizes = counter, counter.rows.tolist()
    rules: dict[int, SignedDNF] = {}
    groups: list[tuple[int, ...]] = []
    for group in group_by_rank(_rank_classes(counter, atoms, learner)):
        asked = [kind for kind in group if counter.rows[kind]]
        if np.count_nonzero(counter.rows) < 2 or not asked:
            continue
        learnt = zip(asked, learner.rules(Tasks(counter, atoms, asked)), strict=True)
        found = {kind: rule for kind, rule in learnt if rule is not None}
        if found:
            rules |= found
            groups.append(sort_by_counts(list(found), whole, atoms))
            counter = counter.without(any_of(rule.where(1) for rule in found.values()))
    left = list(zip(counter.rows.tolist(), sizes, strict=True))
    tied = [kind for kind, pair in enumerate(left) if pair == max(left)]
    if groups and groups[-1] == tuple(tied) and len(tied) == 1:
        groups.pop()  # the default answers the rows of this rule in the same way
    return rules, tuple(groups), sort_by_counts(tied, whole, atoms)[0]


def sort_by_counts(kinds: Sequence[int], counter: Counter, atoms: int) -> tuple[int, ...]:
    """Return the classes in the order of the counts of their literals, whatever they are called.

    Classes that only their weights make equally large are in the order of their size without
    weights. Only classes that no count of a literal tells apart stay in the order of their names.
    """
    if len(kinds) < 2:
        return tuple(kinds)
    literals = counter.sizes([cover([literal]) for literal in range(2 * atoms)])
    signs, rows = literals.reshape(atoms, 2, -1).tolist(), counter.rows.tolist()
    copies = counter.class_copies or [Fraction(1)] * len(rows)

    def profile(kind: int) -> tuple[Fraction, list[list[tuple[int, int]]]]:
        counts = sorted(sorted((sign[kind], sum(sign)) for sign in atom) for atom in signs)
        return -rows[kind] / copies[kind], counts

    return tuple(sorted(kinds, key=profile))


def _rank_classes(counter: Counter, atoms: int, learner: Learner) -> list[ClassRank]:
    """Return the rank of each class by its quick rule: (hits + 1) / (covered + 2), or 0 if none.

    Of equally precise rules, the larger class ranks higher, then the rule with fewer literals.
    """
    sizes = counter.rows.tolist()
    ranks: list[ClassRank] = []
    for kind, rule in enumerate(learner.quick_rules(Tasks(counter, atoms, range(len(sizes))))):
        if rule is None:
            ranks.append((Fraction(0), sizes[kind], 0))
        else:
            covered = counter.sizes([rule.where(1)])[0].tolist()
            precision = Fraction(covered[kind] + 1, sum(covered) + 2)
            ranks.append((precision, sizes[kind], -rule.size))
    return ranks


def group_by_rank(ranks: Sequence[ClassRank]) -> list[tuple[int, ...]]:
    """Return the classes by decreasing rank, without the last one.

    Classes of equal rank form one group, so that the order of the classes has no effect.
    """
    ranked = sorted(range(len(ranks)), key=ranks.__getitem__, reverse=True)
    groups = [tuple(sorted(kinds)) for _, kinds in groupby(ranked, key=ranks.__getitem__)]
    return groups[:-1] if len(groups[-1]) == 1 else groups


def class_weights(members: int, rows: int, classes: int) -> tuple[int, int]:
    """Return the weight of the rows of a class, and of all other rows.

    With several classes, the most likely class may have less than half of the rows, and no later
    rule finds the rows that its rule misses. So a class with less than 2/5 of the rows, but at
    least DOUBLE_WEIGHT_ROWS of them, has weight 2.
    """
    twice = classes > 2 and members >= DOUBLE_WEIGHT_ROWS and 5 * members < 2 * rows
    return (2 if twice else 1), 1


def training_episodes(
    rule_list: RuleList, groups: ClassGroups, counter: Counter
) -> dict[int, Episode]:
    """Return the episode from which the rule of each class was learnt, in order of learning."""
    rules = rule_list.rule_of
    found: dict[int, Episode] = {}
    for group in groups:
        tasks = Tasks(counter, len(rule_list.schema.atoms), group)
        found |= dict(zip(group, tasks.episodes(), strict=True))
        counter = counter.without(any_of(rules[kind].where(1) for kind in group if kind in rules))
    return found
