"""The signed DNF of least cost that a symmetric search finds.

    refine(g(episode), g(prices)) == g(refine(episode, prices))     for every g in G

holds exactly, ties included, because each decision rests on integer counts and on codes that do
not depend on any order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.episodes.episode import Episode
from gnri.logic.formula import SignedDNF
from gnri.search.climb import Climb
from gnri.search.limits import DEFAULT, Limits
from gnri.search.prices import checked, flat
from gnri.search.rail import Clause, Rail
from gnri.search.state import State
from gnri.search.table import Table, tabulate


@dataclass(frozen=True, slots=True)
class Refined:
    """The rule, or None where the two rails tie; its cost, and the rail it was found on."""

    rule: SignedDNF | None
    cost: int
    rail: int | None


def refine(
    episode: Episode,
    prices: NDArray[np.int64] | None = None,
    *,
    starts: Sequence[SignedDNF] = (),
    limits: Limits = DEFAULT,
) -> Refined:
    """The rule of least PRICE_UNIT * errors + sum of its literals' prices, as far as we find it.

    A rule that misses a cell it needs does not cover the row. A rule on rail 1 covers the negative
    rows and comes as its complement. `starts` are searched from besides the empty rule, each on
    the rail of its sign.

    >>> episode = Episode([[1, -1], [1, 1], [1, 1], [-1, 1], [-1, -1]], [-1, 1, 1, -1, -1])
    >>> print(refine(episode, flat(2, errors=0.5)).rule)
    x0 & x1
    """
    prices = flat(episode.atoms) if prices is None else checked(prices, episode.atoms)
    table = tabulate(episode, prices, limits.negations)
    found = [
        _best(rail, _starts(table, starts, sign, limits), limits)
        for rail, sign in zip(table.rails, (True, False), strict=True)
    ]
    chosen = _choose(found)
    if chosen is None:
        return Refined(None, found[0].cost, None)
    rule = [frozenset().union(*(table.classes[i] for i in c)) for c in found[chosen].clauses]
    return Refined(SignedDNF(rule, positive=chosen == 0), found[chosen].cost, chosen)


def _best(rail: Rail, starts: Iterable[frozenset[Clause]], limits: Limits) -> State:
    """The best rule from any start; the first of them where several are equally good."""
    found = [Climb(rail, limits).best(start) for start in starts]
    return min(found, key=lambda state: (state.cost, state.key))


def _choose(found: Sequence[State]) -> int | None:
    """The rail of lower cost, then of lower key; None for a tie, which only symmetry leaves."""
    keys = [(state.cost, state.key) for state in found]
    return None if keys[0] == keys[1] else int(keys[1] < keys[0])


def _starts(
    table: Table, rules: Iterable[SignedDNF], sign: bool, limits: Limits
) -> list[frozenset[Clause]]:
    """The empty rule, and the given rules of this sign that keep to the limits."""
    index = table.index()
    found = [frozenset[Clause]()]
    for rule in rules:
        if rule.positive != sign:
            continue
        clauses = frozenset(
            frozenset(index[literal] for literal in clause)
            for clause in rule.clauses
            if clause and all(literal in index for literal in clause)
        )
        if len(clauses) <= limits.max_clauses and all(
            len(clause) <= limits.max_literals for clause in clauses
        ):
            found.append(clauses)
    return found
