"""Several classes asked for in turn: the surest first, each on the rows that are left by then.

A rule then speaks only of rows that no rule before it took. So the last class needs no rule, and
the others need not tell their rows from those of the classes before them. Rows are only counted,
so that they may be anywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import any_of
from gnri.rules.rule_list import RuleSet


class Glance(NamedTuple):
    """A first rule of a class: `right` of the `taken` rows where it is true are of the class."""

    right: int
    taken: int
    literals: int


@dataclass(frozen=True, eq=False)
class Tasks:
    """Some classes, each to be told from all others that are there, on the rows of a counter."""

    counter: Counter
    atoms: int
    kinds: Sequence[int]

    def problems(self, negations: bool = True) -> Iterator[Problem]:
        """Yield the problem of each class, wherever the rows are."""
        weights = {kind: _weights(self.counter.rows, kind) for kind in self.kinds}
        return Problem.from_counter(self.counter, self.atoms, weights, negations)

    def episodes(self) -> list[Episode]:
        """Return the task of each class with its rows, which must be in memory."""
        table = self.counter.table()
        assert table is not None, "who reads rows is asked only where they are in memory"
        return episodes_of_rows(*table, self.kinds)


class Learner(Protocol):
    """What finds the rules of tasks."""

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the rule of each task; None where there is none."""

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return rules that need only show how sure each class is."""


class Rows:
    """Rows of several classes, which rules take one after the other."""

    def __init__(self, counter: Counter, atoms: int, learner: Learner) -> None:
        self._counter, self._atoms, self._learner = counter, atoms, learner

    def left(self) -> list[int]:
        """Return how many rows of each class no rule has taken."""
        return [int(rows) for rows in self._counter.rows]

    def glance(self) -> list[Glance | None]:
        """Take a first look at each class, while all rows are there; None: it has no rule."""
        kinds = range(len(self._counter.rows))
        rules = self._learner.quick_rules(Tasks(self._counter, self._atoms, kinds))
        return [self._glance(*pair) for pair in zip(kinds, rules, strict=True)]

    def learn(self, kinds: Sequence[int]) -> list[SignedDNF | None]:
        """Return the rule of each of these classes against all others, on the rows left."""
        return self._learner.rules(Tasks(self._counter, self._atoms, kinds))

    def take(self, rules: Sequence[SignedDNF]) -> None:
        """Take away the rows where one of the rules is true."""
        self._counter = self._counter.without(any_of(rule.where(1) for rule in rules))

    def _glance(self, kind: int, rule: SignedDNF | None) -> Glance | None:
        if rule is None:
            return None
        taken = self._counter.sizes([rule.where(1)])[0]
        return Glance(int(taken[kind]), int(taken.sum()), rule.size)


class Turns(NamedTuple):
    """The rule of each class, which are asked for in each turn, and who gets what is left."""

    rules: tuple[SignedDNF | None, ...]
    turns: tuple[tuple[int, ...], ...]
    rest: int


def learn_classes(counter: Counter, atoms: int, learner: Learner) -> Turns:
    """Return one rule for two classes; more are asked for in turn."""
    rows = Rows(counter, atoms, learner)
    if len(counter.rows) > 2:
        return in_turn(rows)
    first, second = rows.left()
    return Turns(tuple(rows.learn([1])), (), int(second > first))


def in_turn(rows: Rows) -> Turns:
    """A rule for every class but the last, as far as there is one, from the surest class on."""
    sizes = rows.left()
    rules: list[SignedDNF | None] = [None] * len(sizes)
    turns = []
    for turn in surest_first(rows.glance(), sizes):
        here = {kind for kind, size in enumerate(rows.left()) if size}
        asked = tuple(kind for kind in turn if kind in here)
        if len(here) < 2 or not asked:
            continue
        for kind, rule in zip(asked, rows.learn(asked), strict=True):
            rules[kind] = rule
        found = tuple(kind for kind in asked if rules[kind] is not None)
        rows.take([rule for kind in found if (rule := rules[kind]) is not None])
        turns += [found] if found else []
    first, *others = _largest(rows.left(), sizes)
    if turns and turns[-1] == (first,) and not others:  # what it takes is answered so without it
        turns.pop()
        rules[first] = None
    return Turns(tuple(rules), tuple(turns), first)


def surest_first(glances: Sequence[Glance | None], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """The classes in the order of (right + 1) / (taken + 2), but for the last one.

    Of equally sure ones the larger comes first, then the one in fewer literals. Classes that all
    this does not tell apart are asked for in one turn, so that no order of the classes counts.

    >>> surest_first([Glance(8, 9, 2), Glance(5, 5, 1), None, Glance(5, 5, 1)], [8, 6, 9, 6])
    [(1, 3), (0,)]
    """

    def promise(kind: int) -> tuple[Fraction, int, int]:
        glance = glances[kind]
        if glance is None:
            return Fraction(0), sizes[kind], 0
        return Fraction(glance.right + 1, glance.taken + 2), sizes[kind], -glance.literals

    ranked = sorted(range(len(sizes)), key=promise, reverse=True)
    turns = [tuple(sorted(kinds)) for _, kinds in groupby(ranked, key=promise)]
    return turns[:-1] if len(turns[-1]) == 1 else turns


def _largest(left: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """The class of most rows that are left; of as many the larger one; of as large ones all."""
    pairs = list(zip(left, sizes, strict=True))
    return [kind for kind, pair in enumerate(pairs) if pair == max(pairs)]


ROWS = 60
"""A class of so many rows, and of less than two fifths of all, counts twice."""


def class_weights(members: int, rows: int, classes: int) -> tuple[int, int]:
    """How often a row of a class counts against the rest, and one of the rest.

    Of two classes a rule is to be right more often than not. One of several may be the likeliest
    without that, and what its rule misses no other rule finds; so such a class counts twice, if
    there are rows enough to afford it.

    >>> class_weights(100, 300, classes=3), class_weights(100, 300, classes=2)
    ((2, 1), (1, 1))
    >>> class_weights(10, 30, classes=3)
    (1, 1)
    """
    twice = classes > 2 and members >= ROWS and 5 * members < 2 * rows
    return (2 if twice else 1), 1


def _weights(rows: NDArray[np.int64], kind: int) -> tuple[int, int]:
    """Return the weights of a class, from the rows of each."""
    return class_weights(int(rows[kind]), int(rows.sum()), int((rows > 0).sum()))


def episodes_of_rows(
    values: NDArray[np.int8], codes: NDArray[np.intp], kinds: Sequence[int]
) -> list[Episode]:
    """Return the task to tell each of some classes from all others."""
    rows = np.bincount(codes, minlength=max(kinds, default=0) + 1)
    return [Episode(values, np.where(codes == kind, 1, -1), _weights(rows, kind)) for kind in kinds]


def episodes_in_turn(
    ruleset: RuleSet, values: NDArray[np.int8], codes: NDArray[np.intp]
) -> dict[int, Episode]:
    """Return the task from which each rule of a set was learnt, in the order in which they were."""
    found: dict[int, Episode] = {}
    for turn in ((0,),) if len(ruleset.classes) == 2 else ruleset.turns:
        kinds = [ruleset.classes.index(ruleset.owner(i)) for i in turn]
        found |= dict(zip(turn, episodes_of_rows(values, codes, kinds), strict=True))
        left = np.ones(len(codes), np.bool_)
        for i in turn:
            rule = ruleset.rules[i]
            left &= True if rule is None else rule.evaluate(values) != 1
        values, codes = values[left], codes[left]
    return found


def episodes_of(
    values: NDArray[np.int8], codes: NDArray[np.intp], classes: int
) -> tuple[Episode, ...]:
    """Return one-vs-rest tasks: the second of two classes, or each class against the others."""
    kinds = range(1, 2) if classes == 2 else range(classes)
    return tuple(episodes_of_rows(values, codes, kinds))
