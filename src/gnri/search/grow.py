"""New clauses, grown a literal at a time from several beginnings at once.

A beam search: each round extends the clauses it holds by every literal, and keeps the best by cost
and the best by FOIL's gain, which leads to purity where the cost alone sees nothing to be gained.
A clause whose target rows cannot pay for a gain any more is given up.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.search.limits import Limits
from gnri.search.moves import Move, move
from gnri.search.prices import PRICE_UNIT
from gnri.search.rail import LOG_UNIT, Clause, Rail
from gnri.search.state import State

FIRST_WIDTH, WIDTH = 32, 6
"""How many literals, and then how many longer clauses, are kept by each of the two measures."""

_KEPT = 16  # clauses proposed
_NEVER = -(1 << 60)


class Grown(NamedTuple):
    """Extensions of the clauses of a beam by each literal, as (clauses, literals)."""

    gain: NDArray[np.int64]  # by how much the cost would fall
    bound: NDArray[np.int64]  # by how much it could, with more literals
    information: NDArray[np.int64]


def grow(state: State, limits: Limits) -> list[Move]:
    """The best clauses to add to a rule."""
    rail, free = state.rail, state.free
    if len(state.clauses) >= limits.max_clauses or not len(rail.words):
        return []
    beam, found = [frozenset[int]()], dict[Clause, int]()
    for length in range(limits.max_literals):
        grown = _extend(rail, free, beam)
        found |= _best(rail, beam, grown.gain, _KEPT)
        best = max([0, *found.values()])
        hopeless = (grown.bound <= best) | (grown.bound == grown.gain)
        width = WIDTH if length else FIRST_WIDTH
        kept = [
            _best(rail, beam, np.where(hopeless, _NEVER, measure), width)
            for measure in (grown.gain, grown.information)
        ]
        beam = list(kept[0] | kept[1])
        if not beam:
            break
    return [move(rail, gain, [], [clause]) for clause, gain in found.items()]


def _extend(rail: Rail, free: NDArray[np.uint64], beam: list[Clause]) -> Grown:
    target, rest = rail.count(np.array([rail.cover(clause) & free for clause in beam]))
    all_target, all_rest = rail.size(free)
    price = rail.prices + np.array([[rail.price(clause)] for clause in beam])
    gain = PRICE_UNIT * (target - rest) - price
    information = rail.information(target, rest, (int(all_target), int(all_rest)))
    information -= price * (LOG_UNIT // PRICE_UNIT)
    for i, clause in enumerate(beam):
        gain[i, list(clause)] = information[i, list(clause)] = _NEVER
    return Grown(gain, np.where(gain > _NEVER, PRICE_UNIT * target - price, _NEVER), information)


def _best(
    rail: Rail, beam: list[Clause], measure: NDArray[np.int64], width: int
) -> dict[Clause, int]:
    """The clauses that a measure likes best, at most `width`, never one without those that tie."""
    many = min(width * 4, measure.size)
    least = max(np.partition(measure, -many, axis=None)[-many], _NEVER + 1)
    parents, literals = np.nonzero(measure >= least)
    values = measure[parents, literals].tolist()
    found = {
        beam[i] | {j}: value for i, j, value in zip(parents, literals.tolist(), values, strict=True)
    }
    ordered = sorted((-value, rail.code(clause), clause) for clause, value in found.items())
    return {}
