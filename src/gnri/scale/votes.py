"""What rules say of their classes, counted where the rows are."""

from collections.abc import Sequence

from gnri.counts.counted import Counter
from gnri.counts.selection import EVERYTHING, NOTHING, Rows, cover
from gnri.logic.formula import Clause, SignedDNF

Share = tuple[int, int]
"""Rows of a class, and rows in all."""


def shares_of(
    counter: Counter, rules: Sequence[SignedDNF | None], kinds: Sequence[int]
) -> list[tuple[Share, Share, Share]]:
    """Of each rule's class, its share where the rule is true, where it is false, and overall."""
    sides: list[Rows] = []
    for rule in rules:
        sides += [NOTHING, NOTHING] if rule is None else [where_true(rule), where_false(rule)]
    sizes = counter.sizes([*sides, EVERYTHING])
    totals = sizes.sum(axis=1)

    def share(place: int, kind: int) -> Share:
        return int(sizes[place, kind]), int(totals[place])

    return [
        (share(2 * i, kind), share(2 * i + 1, kind), share(-1, kind))
        for i, kind in enumerate(kinds)
    ]


def where_true(rule: SignedDNF) -> Rows:
    """The rows on which a rule is true."""
    return _holds(rule) if rule.positive else _fails(rule)


def where_false(rule: SignedDNF) -> Rows:
    """The rows on which a rule is false."""
    return _fails(rule) if rule.positive else _holds(rule)


def covered(clause: Clause) -> Rows:
    """The rows on which all literals of a clause are true."""
    return cover(2 * atom + (not positive) for atom, positive in clause)


def _holds(rule: SignedDNF) -> Rows:
    """The rows on which some clause is true."""
    rows: Rows = NOTHING
    for clause in rule.clauses:
        rows = rows | covered(clause)
    return rows


def _fails(rule: SignedDNF) -> Rows:
    """The rows on which each clause is false: the negation of one of its literals holds."""
    rows: Rows = EVERYTHING
    for clause in rule.clauses:
        broken: Rows = NOTHING
        for atom, positive in clause:
            broken = broken | cover([2 * atom + positive])
        rows = rows & broken
    return rows
