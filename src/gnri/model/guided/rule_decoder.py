"""The executing decoder: it runs the rule so far on the rows before it adds the next literal.

Several rules are written at a time, on several rails and with several biases against stopping.
Common beginnings are computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Clause, Rail
from gnri.model.guided.architecture import GuidedNetwork, Step
from gnri.model.guided.critic import description_length
from gnri.model.layers import GRID, require_finite

CLAUSES, LITERALS = 16, 8
"""The most clauses in a rule, and literals in a clause."""

STOP_BIASES = (0.0, 2.0, 4.0, 8.0)
"""Subtracted from the logit to end a clause or the rule: one rule is written with each."""

PATIENCE = 3
"""Clauses without a shorter description, after which a rule ends and is cut back to the best."""

_NEVER = -(10**6) * GRID  # the logit of what cannot be chosen

EMPTY = Clause()

State = tuple[int, tuple[Clause, ...], Clause]
"""The rail, the clauses that are finished, and the one that is being written."""


@dataclass(eq=False)
class Draft:
    """A rule in the making."""

    number: int
    rail: Rail
    stop_bias: float
    finished: tuple[Clause, ...] = ()
    clause: Clause = EMPTY
    covered: NDArray[np.uint64] = field(init=False)
    lengths: list[float] = field(default_factory=list)  # description length with each clause
    done: bool = False

    def __post_init__(self) -> None:
        self.covered = np.zeros_like(self.rail.everything)
        self.done = not len(self.rail.words)

    @property
    def state(self) -> State:
        """Return all that the next action depends on."""
        return self.number, self.finished, self.clause

    @property
    def open(self) -> NDArray[np.uint64]:
        """Return the rows that the clause covers and no finished clause does."""
        return self.rail.cover(self.clause) & ~self.covered

    @property
    def rule(self) -> frozenset[Clause]:
        """Return the clauses up to the shortest description."""
        return frozenset(self.finished[: 1 + _first_least(self.lengths)])

    def go_on(self, logits: NDArray[np.int64]) -> None:
        """Add the best literal, or end the clause, or the rule."""
        chosen = _best(logits, self.rail.codes, self.stop_bias)
        if chosen is None:
            self._finish()
            return
        self.clause |= {chosen}
        if len(self.clause) == LITERALS or not self.rail.size(self.open)[1]:
            self._finish()

    def _finish(self) -> None:
        gained, _ = self.rail.size(self.open)
        if not self.clause or not gained:
            self.done = True
            return
        self.covered = self.covered | self.rail.cover(self.clause)
        self.finished, self.clause = (*self.finished, self.clause), EMPTY
        self.lengths.append(self._length())
        idle = len(self.lengths) - 1 - _first_least(self.lengths)
        over = len(self.finished) == CLAUSES or not self.rail.size(self.open)[1]
        self.done = over or idle == PATIENCE

    def _length(self) -> float:
        hits, false_alarms = map(int, self.rail.size(self.covered))
        errors = self.rail.target - hits + false_alarms
        rows = self.rail.target + self.rail.rest
        return description_length(errors, rows, map(len, self.finished), len(self.rail.words))


class Decoder:
    """The network's policy on the rails of tables.

    `orders` are the literals of each rail that it may choose, in the order in which they are
    shown, and `tokens` (1, literals, width) what the network made of them.
    """

    def __init__(
        self,
        network: GuidedNetwork,
        rails: Sequence[Rail],
        orders: Sequence[NDArray[np.intp]],
        tokens: Sequence[NDArray[np.float64]],
    ) -> None:
        self.network, self.rails, self.orders = network, rails, orders
        self.tokens = [network.policy_tokens(part) for part in tokens]
        self._places = [{int(x): i for i, x in enumerate(order)} for order in orders]
        self._alone = [self._counts(i, rail.everything[None])[:, 0] for i, rail in enumerate(rails)]

    def rules(self, stop_biases: Sequence[float]) -> list[tuple[frozenset[Clause], ...]]:
        """Return for each rail the rule written with each bias."""
        drafts = [
            [Draft(i, rail, bias) for bias in stop_biases] for i, rail in enumerate(self.rails)
        ]
        known: dict[State, NDArray[np.int64]] = {}
        while active := [draft for some in drafts for draft in some if not draft.done]:
            fresh = {draft.state: draft for draft in active if draft.state not in known}
            known |= self._answers(list(fresh.values()))
            for draft in active:
                draft.go_on(known[draft.state])
        return [tuple(draft.rule for draft in some) for some in drafts]

    def _answers(self, drafts: list[Draft]) -> dict[State, NDArray[np.int64]]:
        """Return what the policy says in each state; rails of equal width are asked at once."""
        shown = [len(self.orders[draft.number]) for draft in drafts]
        found: dict[State, NDArray[np.int64]] = {}
        for width in set(shown):
            some = [draft for draft, size in zip(drafts, shown, strict=True) if size == width]
            found |= zip((draft.state for draft in some), self._logits(some), strict=True)
        return found

    def _logits(self, drafts: list[Draft]) -> list[NDArray[np.int64]]:
        """Return a logit for each literal of the table, then one to end."""
        sizes = np.array([[d.rail.target, d.rail.rest] for d in drafts], np.float64)
        *counted, banned = map(np.array, zip(*map(self._step, drafts), strict=True))
        literals, totals, place = (part.astype(np.float64) for part in counted)
        steps = Step(literals, totals, place, banned)
        tokens = np.concatenate([self.tokens[draft.number] for draft in drafts])
        answers = round_logits(self.network.actions(tokens, steps, sizes))
        found = []
        for draft, answer in zip(drafts, answers, strict=True):
            logits = np.full(len(draft.rail.words) + 1, _NEVER)
            logits[self.orders[draft.number]], logits[-1] = answer[:-1], answer[-1]
            found.append(logits)
        return found

    def _step(self, draft: Draft) -> tuple[NDArray[Any], ...]:
        """Return where a draft stands, as the fields of `Step`."""
        rail, places = draft.rail, self._places[draft.number]
        cover, free = rail.cover(draft.clause), rail.everything & ~draft.covered
        masks = np.array([cover & free, cover, free])
        counted = self._counts(draft.number, masks), self._alone[draft.number][:, None]
        literals = np.concatenate(counted, 1)
        totals = np.stack(rail.size(np.concatenate([masks, rail.everything[None]])), -1)
        banned = np.zeros(len(places), np.bool_)
        banned[[places[literal] for literal in draft.clause]] = True
        place = np.array([len(draft.clause), len(draft.finished)])
        return literals, totals, place, banned

    def _counts(self, number: int, masks: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return rows where each literal is true besides: (literals, masks, 2), as shown."""
        counts = np.stack(self.rails[number].count(masks), -1)
        return counts[:, self.orders[number]].transpose(1, 0, 2)


def _first_least(lengths: list[float]) -> int:
    return lengths.index(min(lengths)) if lengths else 0


def round_logits(logits: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return logits as whole numbers, so that rounding noise decides nothing."""
    return np.round(require_finite((logits * GRID).clip(_NEVER, -_NEVER))).astype(np.int64)


def _best(logits: NDArray[np.int64], codes: NDArray[np.uint64], stop_bias: float) -> int | None:
    """Return the best literal; None to end, also where the best two look the same."""
    literals, end = logits[:-1], int(logits[-1]) - round(stop_bias * GRID)
    best = int(literals.max())
    tied = np.flatnonzero(literals == best)
    first = tied[codes[tied] == codes[tied].min()]
    return None if best <= end or len(first) > 1 else int(first[0])
