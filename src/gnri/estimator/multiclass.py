"""Rule lists of several classes: the surest class first, each on the rows that are left by then.

A rule then speaks only of rows that no rule before it took, so the last class needs no rule. Rows
are only counted, so that they may be anywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import Problem
from gnri.data.schema import Schema
from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import any_of
from gnri.rules.rule_list import RuleList, Step

Turns = tuple[tuple[int, ...], ...]
"""The classes whose rules were learnt from the same rows, turn by turn, by their index."""

DOUBLE_WEIGHT_ROWS = 60
"""A class of so many rows, and of less than two fifths of all, counts twice."""


class QuickRule(NamedTuple):
    """What a quick rule of a class shows: `hits` of the `covered` rows are of the class."""

    hits: int
    covered: int
    literals: int


@dataclass(frozen=True, eq=False)
class Tasks:
    """Some classes, each to be told from all others that are there, on the rows of a counter."""

    counter: Counter
    atoms: int
    kinds: Sequence[int]

    def problems(self, negations: bool = True) -> Iterator[Problem]:
        """Yield the problem of each class, wherever the rows are."""
        weights = {kind: self._weights(kind) for kind in self.kinds}
        return Problem.from_counter(self.counter, self.atoms, weights, negations)

    def episodes(self) -> list[Episode]:
        """Return the task of each class with its rows, which must be in memory."""
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
        """Return rules that need only show how sure each class is."""


def fit_rule_list(
    schema: Schema, classes: NDArray[Any], counter: Counter, learner: Learner
) -> tuple[RuleList, Turns]:
    """Return the rules of counted rows, and which of them were learnt from the same rows.

    Two classes have one rule, about the second; of more, one class after the other gets a rule.
    """
    labels = tuple(classes.tolist())
    sizes = counter.rows.tolist()
    if len(labels) == 2:
        (rule,) = learner.rules(Tasks(counter, len(schema.atoms), [1]))
        return RuleList.binary(schema, labels, rule, int(sizes[1] > sizes[0])), ((1,),)
    rules, turns, default = learn_in_turn(counter, len(schema.atoms), learner)
    steps = tuple(Step(rules[kind], kind) for turn in turns for kind in turn)
    return RuleList(schema, labels, steps, default), turns


def learn_in_turn(
    counter: Counter, atoms: int, learner: Learner
) -> tuple[dict[int, SignedDNF], Turns, int]:
    """Return the rules by class, the turns, and the class of the rows that are left.

    Every class but the last has a rule, as far as there is one.
    """
    sizes = counter.rows.tolist()
    rules: dict[int, SignedDNF] = {}
    turns: list[tuple[int, ...]] = []
    for turn in surest_first(_try_quick_rules(counter, atoms, learner), sizes):
        asked = [kind for kind in turn if counter.rows[kind]]
        if np.count_nonzero(counter.rows) < 2 or not asked:
            continue
        learnt = zip(asked, learner.rules(Tasks(counter, atoms, asked)), strict=True)
        found = {kind: rule for kind, rule in learnt if rule is not None}
        if found:
            rules |= found
            turns.append(tuple(found))
            counter = counter.without(any_of(rule.where(1) for rule in found.values()))
    first, *others = _largest(counter.rows.tolist(), sizes)
    if turns and turns[-1] == (first,) and not others:
        turns.pop()  # the default answers the rows of this rule in the same way
    return rules, tuple(turns), first


def _try_quick_rules(counter: Counter, atoms: int, learner: Learner) -> list[QuickRule | None]:
    """Return how sure a quick rule of each class is; None where a class has no rule."""
    kinds = range(len(counter.rows))
    rules = learner.quick_rules(Tasks(counter, atoms, kinds))
    found: list[QuickRule | None] = [None] * len(kinds)
    for kind, rule in zip(kinds, rules, strict=True):
        if rule is not None:
            covered = counter.sizes([rule.where(1)])[0]
            found[kind] = QuickRule(int(covered[kind]), int(covered.sum()), rule.size)
    return found


def surest_first(
    quick_rules: Sequence[QuickRule | None], sizes: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return the classes by decreasing (hits + 1) / (covered + 2), but for the last one.

    Of equally sure classes the larger comes first, then the one with fewer literals. Classes that
    are equal in all this are learnt in one turn, so that the order of the classes does not matter.

    >>> rules = [QuickRule(8, 9, 2), QuickRule(5, 5, 1), None, QuickRule(5, 5, 1)]
    >>> surest_first(rules, [8, 6, 9, 6])
    [(1, 3), (0,)]
    """

    def key(kind: int) -> tuple[Fraction, int, int]:
        rule = quick_rules[kind]
        if rule is None:
            return Fraction(0), sizes[kind], 0
        return Fraction(rule.hits + 1, rule.covered + 2), sizes[kind], -rule.literals

    ranked = sorted(range(len(sizes)), key=key, reverse=True)
    turns = [tuple(sorted(kinds)) for _, kinds in groupby(ranked, key=key)]
    return turns[:-1] if len(turns[-1]) == 1 else turns


def _largest(left: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Return the classes of most rows that are left, the larger ones of those that tie."""
    pairs = list(zip(left, sizes, strict=True))
    return [kind for kind, pair in enumerate(pairs) if pair == max(pairs)]


def class_weights(members: int, rows: int, classes: int) -> tuple[int, int]:
    """Return how often a row of a class counts, and a row of the other classes.

    With two classes a rule is to be right more often than not. One of several may be the likeliest
    without that, and no later rule finds what its rule misses; so such a class counts twice, if it
    has rows enough.

    >>> class_weights(100, 300, classes=3), class_weights(100, 300, classes=2)
    ((2, 1), (1, 1))
    >>> class_weights(10, 30, classes=3)
    (1, 1)
    """
    twice = classes > 2 and members >= DOUBLE_WEIGHT_ROWS and 5 * members < 2 * rows
    return (2 if twice else 1), 1


def episodes_in_turn(rule_list: RuleList, turns: Turns, counter: Counter) -> dict[int, Episode]:
    """Return the task from which the rule of each class was learnt, in the order of learning."""
    rules = rule_list.rule_of
    found: dict[int, Episode] = {}
    for turn in turns:
        tasks = Tasks(counter, len(rule_list.schema.atoms), turn)
        found |= dict(zip(turn, tasks.episodes(), strict=True))
        counter = counter.without(any_of(rules[kind].where(1) for kind in turn if kind in rules))
    return found


def one_vs_rest_episodes(
    values: NDArray[np.int8], codes: NDArray[np.intp], classes: int
) -> tuple[Episode, ...]:
    """Return the task of the second of two classes, or of each class against all others."""
    kinds = range(1, 2) if classes == 2 else range(classes)
    counter = Counter.from_values(values, codes, classes)
    return tuple(Tasks(counter, values.shape[1], kinds).episodes())
