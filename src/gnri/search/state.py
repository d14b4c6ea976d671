"""A rule on a rail, and the choice of a move by nothing but gains and order-free keys.

A move takes clauses out of a rule and puts others in. Moves are compared by their gain, then by an
order-free key. Moves that agree in both may be images of one another, so they are made all at once
or not at all.
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
    """A set of clauses, the rows that one or several of them cover, and the cost.

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
        """Return what decides between rules of one cost; equal only for symmetric ones."""
        codes = sorted(map(self.rail.code, self.clauses))
        return self.literals, len(self.clauses), self.errors, *codes

    @property
    def free(self) -> NDArray[np.uint64]:
        """Return the rows that no clause covers."""
        return self.rail.everything & ~self.once

    def not_covered_by_others(self, covers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return, for clauses that cover these rows, the rows that no other clause covers."""
        others = self.twice | (self.once & ~covers)
        return self.rail.everything & ~others


_TRIED = 32  # groups of tied moves


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
    """Return the rule after the best move that lowers its cost, or None where there is none.

    The gain of a single move is exact, so only the first of these is made. What tied moves gain
    together is known only once they are made, so several groups are tried.
    """
    promising = {item for item in moves if item.gain > 0}
    ordered = sorted(promising, key=lambda item: (-item.gain, item.key))
    groups = groupby(ordered, key=lambda item: item[:2])
    best, alone = state, False
    for _, group in islice(groups, _TRIED if state.rail.tied else 1):
        tied = list(group)
        if len(tied) == 1 and alone:
            continue
        for rule in _outcomes(state, tied, limits):
            outcome = State(state.rail, rule)
            best = outcome if outcome.cost < best.cost else best
            alone = alone or len(tied) == 1
    return None if best is state else best


def _outcomes(state: State, tied: list[Move], limits: Limits) -> Iterator[frozenset[Clause]]:
    """Return the rules within the limits that a group of tied moves leads to.

    Tied moves give a clause each, or one clause for all that start from the same one.
    """
    removed = frozenset().union(*(item.removed for item in tied))
    side_by_side = frozenset().union(*(item.added for item in tied))
    rules = [(state.clauses - removed) | side_by_side]
    if len(tied) > 1 and side_by_side:
        starts: dict[frozenset[Clause], Clause] = {}
        for item in tied:
            starts[item.removed] = starts.get(item.removed, frozenset()).union(*item.added)
        rules.append((state.clauses - removed) | frozenset(starts.values()))
    return filter(limits.allow, rules)
