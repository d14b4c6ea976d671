"""The state of the search, which is a rule with its cost, and the choice of the next move.

A move takes clauses out of a rule and puts others in. Moves are compared by their gain, then by a
key that does not depend on the order of rows or literals. Moves that agree in both are tied: a
symmetry of the table may map one to the other, so they are made all at once or not at all.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Clause, Rail
from gnri.search.limits import PRICE_UNIT, Limits


class State:
    """A set of clauses, the rows they cover, and the cost.

    `once` and `twice` are the rows that at least one and at least two of the clauses cover.
    cost = PRICE_UNIT * (target rows not covered + other rows covered) + prices of all literals.
    """

    def __init__(self, rail: Rail, clauses: Iterable[Clause] = ()) -> None:
        self.rail = rail
        self.clauses = frozenset(clauses)
        self.once = np.zeros_like(rail.everything)
        self.twice = np.zeros_like(rail.everything)
        for clause in self.clauses:
            cover = rail.cover(clause)
            self.twice |= self.once & cover
            self.once |= cover
        target, rest = rail.size(self.once)
        self.errors = rail.target - int(target) + int(rest)
        self.literals = sum(map(len, self.clauses))
        self.cost = PRICE_UNIT * self.errors + sum(map(rail.price, self.clauses))

    @cached_property
    def key(self) -> tuple[int, ...]:
        """Return what decides between rules of one cost; equal for symmetric ones."""
        codes = sorted(map(self.rail.code, self.clauses))
        return self.literals, len(self.clauses), self.errors, *codes

    @property
    def free(self) -> NDArray[np.uint64]:
        """Return the rows that no clause covers."""
        return self.rail.everything & ~self.once

    def not_covered_by_others(self, covers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return, for each clause, given by its cover, the rows that no other clause covers."""
        others = self.twice | (self.once & ~covers)
        return self.rail.everything & ~others


_MAX_GROUPS = 32  # groups of tied moves that a step tries


class Move(NamedTuple):
    """Clauses to take out, clauses to put in, and by how much the cost falls if made alone."""

    gain: int
    key: tuple[int, ...]
    removed: frozenset[Clause]
    added: frozenset[Clause]


def make_move(
    rail: Rail, gain: int, removed: Iterable[Clause], added: Iterable[Clause], merit: int = 0
) -> Move:
    """Return a move with the key of its merit, the larger the better, and its clauses."""
    out, into = frozenset(removed), frozenset(added)
    key = -merit, len(out), len(into), *sorted(map(rail.code, out)), *sorted(map(rail.code, into))
    return Move(gain, key, out, into)


def best_step(state: State, moves: Iterable[Move], limits: Limits) -> State | None:
    """Return the rule after the best move that lowers its cost, or None if no move does.

    The gain of a move made alone is exact, so of the moves without ties only the first within the
    limits is tried. What tied moves gain together is known only once they are made, so several
    groups of them are tried.
    """
    promising = {item for item in moves if item.gain > 0}
    ordered = sorted(promising, key=lambda item: (-item.gain, item.key))
    groups = groupby(ordered, key=lambda item: item[:2])
    best, tried_single = state, False
    for _, group in islice(groups, _MAX_GROUPS if state.rail.tied else 1):
        tied = list(group)
        if len(tied) == 1 and tried_single:
            continue
        for rule in _outcomes(state, tied, limits):
            outcome = State(state.rail, rule)
            best = outcome if outcome.cost < best.cost else best
            tried_single = tried_single or len(tied) == 1
    return None if best is state else best


def _outcomes(state: State, tied: list[Move], limits: Limits) -> Iterator[frozenset[Clause]]:
    """Return the rules within the limits that a group of tied moves leads to.

    Tied moves are made together in two ways: each adds its own clauses, or moves that remove the
    same clauses add a single clause, with the literals of all that they would add.
    """
    removed = frozenset().union(*(item.removed for item in tied))
    separate = frozenset().union(*(item.added for item in tied))
    rules = [(state.clauses - removed) | separate]
    if len(tied) > 1 and separate:
        joined: dict[frozenset[Clause], Clause] = {}
        for item in tied:
            joined[item.removed] = joined.get(item.removed, frozenset()).union(*item.added)
        rules.append((state.clauses - removed) | frozenset(joined.values()))
    return filter(limits.allow, rules)
