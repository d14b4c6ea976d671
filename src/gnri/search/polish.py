"""Moves on the clauses a rule has: drop one, drop, add or swap a literal, merge two."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Rail
from gnri.search.limits import Limits
from gnri.search.moves import Move, move
from gnri.search.openings import Memory, Openings, open_up, remember
from gnri.search.prices import PRICE_UNIT
from gnri.search.state import State

_NEVER = -(1 << 40)  # less than any gain
_BATCH = 1 << 17  # words looked at before the best move is asked for again


def polish(state: State, limits: Limits, memory: Memory) -> list[Move]:
    """The best moves on the single clauses of a rule, with all that tie.

    `memory` holds what earlier calls on this rail saw; it saves work and changes no best move.
    """
    if not state.clauses:
        return []
    openings = open_up(state, memory)
    moves = list(_drops(state.rail, openings))
    best = max([0, *(item.gain for item in moves)])
    for part in _most_promising_first(state.rail, openings, limits):
        if part.bound[0] < best:
            break
        moves += _additions(state.rail, part, memory)
        best = max([0, *(item.gain for item in moves)])
    return moves


def merge(state: State) -> list[Move]:
    """Two clauses replaced by what they have in common, which covers all that they do."""
    rail = state.rail
    pairs = [(one, other) for one, other in combinations(state.clauses, 2) if one & other]
    if not pairs:
        return []
    added = np.array([rail.cover(one & other) for one, other in pairs]) & state.free
    target, rest = rail.size(added)
    saved = [rail.price(one) + rail.price(other) - rail.price(one & other) for one, other in pairs]
    gains = PRICE_UNIT * (target - rest) + np.array(saved)
    return [
        move(rail, int(gains[i]), pairs[i], [pairs[i][0] & pairs[i][1]])
        for i in np.flatnonzero(gains > 0)
    ]


def _drops(rail: Rail, openings: Openings) -> Iterator[Move]:
    """Each literal left out, and each clause as a whole, where that gains."""
    for i, (clause, shorter) in enumerate(zip(*openings[:2], strict=True)):
        if shorter == clause:
            gain, left = int(openings.base[i]) + rail.price(clause), []
        else:
            gain, left = int(openings.bare[i]), [shorter]
        if gain > 0 and shorter:
            yield move(rail, gain, [clause], left)


def _most_promising_first(rail: Rail, openings: Openings, limits: Limits) -> Iterator[Openings]:
    """The openings with room for a literal that gains, by their bound, many at a time.

    Those of equal bound stay together: what is looked at must not depend on their order.
    """
    room = np.array([len(shorter) < limits.max_literals for shorter in openings.shorter])
    places = np.flatnonzero(room & (openings.bound > 0))
    places = places[np.argsort(-openings.bound[places], kind="stable")]
    bounds = openings.bound[places]
    many, start = max(1, _BATCH // max(rail.words.size, 1)), 0
    while start < len(places):
        last = bounds[min(start + many, len(places)) - 1]
        stop = int(np.searchsorted(-bounds, -last, side="right"))
        yield openings.take(places[start:stop])
        start = stop


def _additions(rail: Rail, openings: Openings, memory: Memory) -> Iterator[Move]:
    """For each opening, the literal that gains most when put in."""
    target, rest = rail.count(openings.masks)
    gains = PRICE_UNIT * (target - rest) - rail.prices + openings.base[:, None]
    for gain, clause in zip(gains, openings.clauses, strict=True):
        gain[list(clause)] = _NEVER
    remember(memory, openings, gains.max(axis=1))
    gains[target == 0] = _NEVER  # to drop the clause is better, and contradictions stay out
    tops = gains.max(axis=1)
    wanted = tops > 0 if rail.tied else tops == max(1, tops.max())
    for i in np.flatnonzero(wanted):
        for literal in _best_literals(gains[i], rail):
            put_in = openings.shorter[i] | {literal}
            yield move(rail, int(gains[i, literal]), [openings.clauses[i]], [put_in])


def _best_literals(gains: NDArray[np.int64], rail: Rail) -> list[int]:
    """The literal of largest gain, then lowest code; where several tie, the best single one too."""
    order = gains * len(gains) - rail.ranks
    if not rail.tied:
        return [int(order.argmax())]
    _, first, times = np.unique(order, return_index=True, return_counts=True)
    tied = np.flatnonzero(order == order.max()).tolist()
    return tied if len(tied) == 1 else tied + first[times == 1][-1:].tolist()
