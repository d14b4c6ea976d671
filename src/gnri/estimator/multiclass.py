"""Several classes asked for in turn: the surest first, each on the rows that are left by then.

A rule then speaks only of rows that no rule before it took. So the last class needs no rule, and
the others need not tell their rows from those of the classes before them.

How much a class weighs in the task that tells it from all others.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple, Protocol

from gnri.rules.dnf import SignedDNF


class Glance(NamedTuple):
    """A first rule of a class: `right` of the `taken` rows where it is true are of the class."""

    right: int
    taken: int
    literals: int


class Rows(Protocol):
    """Rows of several classes, which rules take one after the other."""

    def left(self) -> list[int]:
        """Of each class, the rows that no rule has taken."""

    def glance(self) -> list[Glance | None]:
        """A first look at each class, while all rows are there; None where there is no rule."""

    def learn(self, kinds: Sequence[int]) -> list[SignedDNF | None]:
        """The rule of each of these classes against all others, from the rows that are left."""

    def take(self, rules: Sequence[SignedDNF]) -> None:
        """Take away the rows where one of the rules is true."""


class Turns(NamedTuple):
    """The rule of each class, which are asked for in each turn, and who gets what is left."""

    rules: tuple[SignedDNF | None, ...]
    turns: tuple[tuple[int, ...], ...]
    rest: int


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
