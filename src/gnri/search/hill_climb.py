"""Hill climbing: from a rule to a better one, until no move lowers its cost."""

from itertools import groupby

from gnri.counts.rail import Clause, Rail
from gnri.search.beam import grow_clauses
from gnri.search.limits import Limits
from gnri.search.local_moves import Memory, edit_clauses, merge_clauses
from gnri.search.state import State, best_step

REBUILDING_STEPS = 64  # spent at most on rebuilding one rule
_REBUILDING = 1 << 20  # steps times the words of the table, spent at most on rebuilding


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
