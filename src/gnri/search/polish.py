"""Moves on the clauses a rule has: drop one, drop, add or swap a literal, merge two."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.search.limits import Limits
from gnri.search.moves import Move, move
from gnri.search.prices import PRICE_UNIT
from gnri.search.rail import Clause, Rail
from gnri.search.state import State

_NEVER = -(1 << 40)  # less than any gain
_BATCH = 1 << 17  # words looked at before the best move is asked for again


class Openings(NamedTuple):
    """Clauses with one literal taken out, or none: each a place where another may come in."""

    clauses: list[Clause]
    shorter: list[Clause]
    masks: NDArray[np.uint64]  # the rows a new literal is chosen on
    bare: NDArray[np.int64]  # the gain with no literal put in
    bound: NDArray[np.int64]  # no literal gains more than this

    def take(self, places: NDArray[np.intp]) -> "Openings":
        clauses, shorter = ([part[i] for i in places] for part in (self.clauses, self.shorter))
        return Openings(clauses, shorter, *(part[places] for part in self[2:]))


def polish(state: State, limits: Limits) -> list[Move]:
    """The best moves on the single clauses of a rule, with all that tie."""
    if not state.clauses:
        return []
    openings = _openings(state)
    moves = [*_clause_drops(state), *_literal_drops(state.rail, openings)]
    best = max(item.gain for item in moves)
    for part in _most_promising_first(state.rail, openings, limits):
        if part.bound[0] < best:
            break
        moves += _additions(state.rail, part)
        best = max(item.gain for item in moves)
    return moves


def merges(state: State) -> Iterator[Move]:
    """Two clauses replaced by what they have in common."""
    for one, other in combinations(state.clauses, 2):
        common = one & other
        if common:
            outcome = State(state.rail, (state.clauses - {one, other}) | {common})
            yield move(state.rail, state.cost - outcome.cost, [one, other], [common])


def _openings(state: State) -> Openings:
    """Every place for a literal in the clauses of a rule."""
    rail, clauses, shorter, masks, whole = state.rail, [], [], [], []
    for clause in state.clauses:
        spared = state.spared(clause)
        whole += [len(clauses)] * (len(clause) + 1)
        for rest in (clause, *(clause - {literal} for literal in clause)):
            clauses.append(clause)
            shorter.append(rest)
            masks.append(rail.cover(rest) & spared)
    stacked = np.array(masks)
    target, others = rail.size(stacked)
    value = PRICE_UNIT * (target - others) - np.array([rail.price(rest) for rest in shorter])
    bare = value - value[whole]
    return Openings(clauses, shorter, stacked, bare, bare + PRICE_UNIT * others - rail.cheapest)


def _clause_drops(state: State) -> Iterator[Move]:
    rail = state.rail
    for clause in state.clauses:
        target, rest = rail.size(rail.cover(clause) & state.spared(clause))
        yield move(rail, rail.price(clause) - PRICE_UNIT * int(target - rest), [clause], [])


def _literal_drops(rail: Rail, openings: Openings) -> Iterator[Move]:
    for clause, shorter, gain in zip(*openings[:2], openings.bare.tolist(), strict=True):
        if shorter and shorter != clause:
            yield move(rail, gain, [clause], [shorter])


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


def _additions(rail: Rail, openings: Openings) -> Iterator[Move]:
    """For each opening, the literal that gains most when put in."""
    target, rest = rail.count(openings.masks)
    whole, others = rail.size(openings.masks)
    gains = PRICE_UNIT * (target - rest) - rail.prices
    gains += (openings.bare - PRICE_UNIT * (whole - others))[:, None]
    for gain, clause in zip(gains, openings.clauses, strict=True):
        gain[list(clause)] = _NEVER
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
