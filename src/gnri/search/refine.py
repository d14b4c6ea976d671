"""The symmetric search for the signed DNF of least cost.

    refine(g(episode), g(prices)) == g(refine(episode, prices))     for every g in G

holds exactly, ties included, because each decision rests on integer counts and on codes that do
not depend on any order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gnri.counts.problem import Problem
from gnri.counts.rail import Clause, Rail
from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.search.beam import grow_clauses
from gnri.search.limits import DEFAULT, Limits, check_prices, uniform_prices
from gnri.search.local_moves import Memory, edit_clauses, merge_clauses
from gnri.search.state import State, best_step

SCALES = (4, 2, 1)  # of the prices, one climb after another
STRICT = 4  # rows missed by mistake that cost as much as one covered by mistake, in a strict climb

REBUILDING_STEPS = 64  # spent at most on rebuilding one rule
_REBUILDING = 1 << 20  # steps times the words of the table, spent at most on rebuilding


@dataclass(frozen=True, slots=True)
class SearchResult:
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
) -> SearchResult:
    """Return the best rule found; its cost is PRICE_UNIT * errors + the prices of its literals.

    Where missing cells make the rule unknown, it does not cover the row. A rule on rail 1 covers
    the negative rows; its complement is returned. The search starts from the empty rule, a strict
    rule, and `starts`, each on the rail of its sign. `prices` are (atoms, 2), or (2, atoms, 2) if
    the rails differ.

    >>> episode = Episode([[1, -1], [1, 1], [1, 1], [-1, 1], [-1, -1]], [-1, 1, 1, -1, -1])
    >>> print(refine(episode, uniform_prices(2, errors=0.5)).rule)
    x0 & x1
    """
    if prices is None:
        prices = uniform_prices(episode.atoms)
    problem = Problem.from_episode(episode, limits.negations)
    return refine_problem(problem.with_prices(check_prices(prices, episode.atoms)), starts, limits)


def refine_problem(
    problem: Problem, starts: Sequence[SignedDNF] = (), limits: Limits = DEFAULT
) -> SearchResult:
    """Return the same for a problem that has its prices."""
    found = [
        _best(rail, _starts(problem, starts, sign, limits), limits)
        for rail, sign in zip(problem.rails, (True, False), strict=True)
    ]
    keys = [(state.cost, state.key) for state in found]
    if keys[0] == keys[1]:  # only symmetry leaves a tie
        return SearchResult(None, found[0].cost, None)
    rail = int(keys[1] < keys[0])
    rule = problem.to_rule(rail, found[rail].clauses, limits.max_clauses)
    return SearchResult(rule, found[rail].cost, rail)


def climb_all(
    rail: Rail, starts: Iterable[frozenset[Clause]], limits: Limits = DEFAULT
) -> list[frozenset[Clause]]:
    """Return the rules found by climbing from each of `starts` that is within the limits.

    Climb also from the empty rule at 4 times the prices, go on at 2 times and at 1 times, and
    return the rule after each.
    """
    found, rule = [], frozenset[Clause]()
    for factor in SCALES:
        dear = rail.with_prices(rail.prices * factor)
        rule = Climb(dear, limits).climb(rule).clauses
        found.append(rule)
    found += [Climb(rail, limits).climb(start).clauses for start in starts if limits.allow(start)]
    return found


def _best(rail: Rail, starts: Iterable[frozenset[Clause]], limits: Limits) -> State:
    """Return the best rule from any start, a strict rule last; of equal ones the first."""
    every = dict.fromkeys([*starts, _strict_rule(rail, limits)])
    found = [Climb(rail, limits).best(start) for start in every]
    return min(found, key=lambda state: (state.cost, state.key))


def _strict_rule(rail: Rail, limits: Limits) -> frozenset[Clause]:
    """Return a rule with few false positives, as a start of the search.

    A first clause with many false positives can keep the search from several better clauses.
    Prices are multiplied like the cost of false positives, so only false negatives are cheap.
    """
    strict = rail.with_prices(rail.prices * STRICT).weigh_rest(STRICT)
    return Climb(strict, limits).climb(frozenset()).clauses


def _starts(
    problem: Problem, rules: Iterable[SignedDNF], sign: bool, limits: Limits
) -> list[frozenset[Clause]]:
    """Return the empty rule, and the given rules of this sign that keep to the limits."""
    index = problem.index()
    given = (
        frozenset(
            frozenset(index[literal] for literal in clause)
            for clause in rule.clauses
            if clause and clause <= index.keys()
        )
        for rule in rules
        if rule.positive == sign
    )
    return [frozenset(), *filter(limits.allow, given)]


class Climb:
    """A search on one rail, with the steps it has left."""

    def __init__(self, rail: Rail, limits: Limits) -> None:
        self.rail, self.limits, self.left = rail, limits, limits.steps
        self._memory: Memory = {}
        self._next: dict[frozenset[Clause], State | None] = {}

    def best(self, start: frozenset[Clause]) -> State:
        """Return the best rule found from `start`: climb, then rebuild it clause by clause."""
        state = self.climb(start)
        affordable = _REBUILDING // max(self.rail.packed_size, 1)
        self.left = min(self.left, REBUILDING_STEPS, affordable)
        while better := self._rebuild(state):
            state = better
        return state

    def climb(self, start: frozenset[Clause]) -> State:
        """Return the rule that is left when no move, the best first, lowers the cost."""
        state = State(self.rail, start)
        while better := self._step(state):
            state = better
        return state

    def _rebuild(self, state: State) -> State | None:
        """Drop one clause (with all that tie) and climb again; return the rule if it is better."""
        ordered = sorted(state.clauses, key=self.rail.code)
        for _, clauses in groupby(ordered, key=self.rail.code):
            outcome = self.climb(state.clauses - frozenset(clauses))
            if outcome.cost < state.cost:
                return outcome
        return None

    def _step(self, state: State) -> State | None:
        """Return the rule after the best move, if steps are left; each rule costs one step."""
        if state.clauses not in self._next:
            if self.left == 0:
                return None
            self.left -= 1
            self._next[state.clauses] = self._better(state)
        return self._next[state.clauses]

    def _better(self, state: State) -> State | None:
        """Try moves on single clauses first, then on two of them, and a new clause last."""
        limits = self.limits
        return (
            best_step(state, edit_clauses(state, limits, self._memory), limits)
            or best_step(state, merge_clauses(state), limits)
            or best_step(state, grow_clauses(state, limits), limits)
        )
