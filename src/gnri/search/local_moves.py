"""Moves on the clauses a rule has: drop one, drop, add or swap a literal, merge two."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Clause, Rail
from gnri.search.limits import PRICE_UNIT, Limits
from gnri.search.state import Move, State, make_move

Memory = dict[tuple[Clause, Clause], tuple[NDArray[np.uint64], int]]
"""For each edit, its rows when last tried, and the most that a literal was worth on them."""

_REMEMBERED = 1 << 22  # words of rows kept in memory


class Edits(NamedTuple):
    """Clauses with at most one literal removed, to each of which a literal can be added.

    Adding a literal gains `base` plus its worth on the rows of the mask.
    """

    pairs: list[tuple[Clause, Clause]]  # a clause, and what is left of it
    masks: NDArray[np.uint64]  # the rows that the shorter clause covers and no other clause does
    bare: NDArray[np.int64]  # the gain with no literal put in
    base: NDArray[np.int64]
    bound: NDArray[np.int64]  # no literal gains more than this

    def take(self, places: NDArray[np.intp]) -> "Edits":
        """Return the edits at these places."""
        pairs, masks = [self.pairs[i] for i in places], self.masks[places]
        return Edits(pairs, masks, self.bare[places], self.base[places], self.bound[places])


def find_edits(state: State, memory: Memory) -> Edits:
    """Return every place for a literal in the clauses of a rule."""
    rail = state.rail
    pairs = [(c, rest) for c in state.clauses for rest in (c, *(c - {literal} for literal in c))]
    places = [len(clause) + 1 for clause in state.clauses]
    whole = np.repeat(np.cumsum([0, *places[:-1]]), places)  # where each clause stands unshortened
    covers = np.array([rail.cover(rest) for _, rest in pairs])
    masks = covers & state.not_covered_by_others(covers[whole])
    target, others = rail.size(masks)
    worth = PRICE_UNIT * (target - others)
    price = np.array([rail.price(rest) for _, rest in pairs])
    base = -price - (worth - price)[whole]
    bound = PRICE_UNIT * target - rail.cheapest
    for place, most in _from_memory(rail, memory, pairs, masks):
        bound[place] = min(bound[place], most)
    return Edits(pairs, masks, base + worth, base, base + bound)


def _from_memory(
    rail: Rail, memory: Memory, pairs: list[tuple[Clause, Clause]], masks: NDArray[np.uint64]
) -> list[tuple[int, int]]:
    """Return (index, bound on the worth of a literal) for the edits that were tried before.

    The bound is the worth then, plus one error for each new target row and each other row gone.
    """
    known = [(i, *memory[pair]) for i, pair in enumerate(pairs) if pair in memory]
    if not known:
        return []
    places, old, worth = zip(*known, strict=True)
    now, then = masks[list(places)], np.array(old)
    came, went = rail.size(now & ~then)[0], rail.size(then & ~now)[1]
    most = np.array(worth) + PRICE_UNIT * (came + went)
    return list(zip(places, most.tolist(), strict=True))


_NEVER = -(1 << 40)  # less than any gain
_BATCH = 1 << 17  # words looked at before the best move is asked for again


def edit_clauses(state: State, limits: Limits, memory: Memory) -> list[Move]:
    """Return the best moves on the single clauses of a rule, with all that tie.

    `memory` holds results of earlier calls on this rail. It saves work and changes no best move.
    """
    if not state.clauses:
        return []
    edits = find_edits(state, memory)
    moves = list(_drops(state.rail, edits))
    for part in _most_promising_first(state, edits, limits):
        if part.bound[0] < max((item.gain for item in moves), default=0):
            break
        moves += _additions(state.rail, part, memory)
    return moves


def merge_clauses(state: State) -> list[Move]:
    """Return moves that replace two clauses by what they share, which covers all that they do."""
    rail = state.rail
    pairs = [(one, other) for one, other in combinations(state.clauses, 2) if one & other]
    if not pairs:
        return []
    added = np.array([rail.cover(one & other) for one, other in pairs]) & state.free
    target, rest = rail.size(added)
    saved = [rail.price(one) + rail.price(other) - rail.price(one & other) for one, other in pairs]
    gains = PRICE_UNIT * (target - rest) + np.array(saved)
    return [
        make_move(rail, int(gains[i]), pairs[i], [frozenset.intersection(*pairs[i])])
        for i in np.flatnonzero(gains > 0)
    ]


def _drops(rail: Rail, edits: Edits) -> Iterator[Move]:
    """Yield moves that leave out a literal, or a clause as a whole, where that gains."""
    for i, (clause, shorter) in enumerate(edits.pairs):
        if shorter == clause:
            gain, left = int(edits.base[i]) + rail.price(clause), []
        else:
            gain, left = int(edits.bare[i]), [shorter]
        if gain > 0 and shorter:
            yield make_move(rail, gain, [clause], left)


def _most_promising_first(state: State, edits: Edits, limits: Limits) -> Iterator[Edits]:
    """Yield the edits to which a literal may be added with gain, in batches, best bound first.

    Edits of equal bound stay in one batch, so that the result does not depend on their order.
    """
    left = limits.max_conditions - state.literals
    room = np.array(
        [
            len(shorter) < min(limits.max_literals, left + len(clause))
            for clause, shorter in edits.pairs
        ]
    )
    places = np.flatnonzero(room & (edits.bound > 0))
    places = places[np.argsort(-edits.bound[places], kind="stable")]
    bounds = edits.bound[places]
    many, start = max(1, _BATCH // max(state.rail.packed_size, 1)), 0
    while start < len(places):
        last = bounds[min(start + many, len(places)) - 1]
        stop = int(np.searchsorted(-bounds, -last, side="right"))
        yield edits.take(places[start:stop])
        start = stop


def _additions(rail: Rail, edits: Edits, memory: Memory) -> Iterator[Move]:
    """Yield for each edit the move to put in the literal that gains most."""
    target, rest = rail.count(edits.masks)
    gains = PRICE_UNIT * (target - rest) - rail.prices + edits.base[:, None]
    for gain, (clause, _) in zip(gains, edits.pairs, strict=True):
        gain[list(clause)] = _NEVER
    if len(memory) * edits.masks.shape[1] > _REMEMBERED:
        memory.clear()
    worth = (gains.max(axis=1) - edits.base).tolist()
    memory.update(zip(edits.pairs, zip(edits.masks, worth, strict=True), strict=True))
    gains[target == 0] = _NEVER  # to drop the clause is better, and contradictions stay out
    tops = gains.max(axis=1)
    wanted = tops > 0 if rail.tied else tops == max(1, tops.max())
    for i in np.flatnonzero(wanted):
        clause, shorter = edits.pairs[i]
        for literal in _best_literals(gains[i], rail):
            yield make_move(rail, int(gains[i, literal]), [clause], [shorter | {literal}])


def _best_literals(gains: NDArray[np.int64], rail: Rail) -> list[int]:
    """Return the literals of largest gain, then lowest code; in a tie, also the best untied one."""
    order = gains * len(gains) - rail.ranks
    if not rail.tied:
        return [int(order.argmax())]
    _, first, times = np.unique(order, return_index=True, return_counts=True)
    tied = np.flatnonzero(order == order.max()).tolist()
    return tied if len(tied) == 1 else tied + first[times == 1][-1:].tolist()
