"""What rules say of their classes, counted where the rows are."""

from collections.abc import Sequence
from typing import Any

from gnri.counts.counted import Counter
from gnri.counts.selection import EVERYTHING, NOTHING, Rows, cover
from gnri.estimator.votes import Vote
from gnri.logic.formula import SignedDNF


def votes_of(
    counter: Counter, rules: Sequence[SignedDNF | None], kinds: Sequence[int]
) -> list[Vote]:
    """The vote of each rule for its class."""
    sides: list[Rows] = []
    for rule in rules:
        sides += [NOTHING, NOTHING] if rule is None else [_true(rule), _false(rule)]
    sizes = counter.sizes([*sides, EVERYTHING])
    return [
        Vote(*(_share(sizes[place], kind) for place in (2 * i, 2 * i + 1, -1)))
        for i, kind in enumerate(kinds)
    ]


def _share(by_class: Any, kind: int) -> tuple[int, int]:
    return int(by_class[kind]), int(by_class.sum())


def _true(rule: SignedDNF) -> Rows:
    """The rows on which a rule is true."""
    return _holds(rule) if rule.positive else _fails(rule)


def _false(rule: SignedDNF) -> Rows:
    return _fails(rule) if rule.positive else _holds(rule)


def _holds(rule: SignedDNF) -> Rows:
    """The rows on which some clause is true: all its literals are."""
    rows: Rows = NOTHING
    for clause in rule.clauses:
        rows = rows | cover(2 * atom + (not positive) for atom, positive in clause)
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
