"""Beam search for new clauses.

Each round extends the clauses of the beam by every literal, and keeps the best by cost and the best
by FOIL's gain, which leads to purity where no literal lowers the cost. A clause is given up when
its target rows cannot pay for a larger gain.
"""

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import LOG_UNIT, Clause, Rail
from gnri.search.limits import PRICE_UNIT, Limits
from gnri.search.state import Move, State, make_move

FIRST_WIDTH, WIDTH = 16, 4  # clauses of one literal, and of more, that are kept by each measure
PATIENCE = 2  # rounds without a better clause after which the beam ends, once there is a good one
_PROPOSED = 8  # clauses of each length that are proposed
_WIDEST = 64  # clauses that tie and are still kept
_NEVER = -(1 << 60)


def grow_clauses(state: State, limits: Limits) -> list[Move]:
    """Return the best clauses to add to a rule."""
    rail, free = state.rail, state.free
    if len(state.clauses) >= limits.max_clauses or not len(rail.words):
        return []
    beam, found, best, idle = [Clause()], dict[Clause, int](), 0, 0
    for length in range(min(limits.max_literals, limits.max_conditions - state.literals)):
        gain, bound, information = _extend(rail, free, beam)
        codes = np.array([rail.code(clause) for clause in beam], np.uint64)
        top, idle = int(gain.max()), idle + (best > 0)
        if top > best or rail.tied:
            useful = np.where(gain > 0, gain, _NEVER)
            found |= _best_clauses(rail, beam, codes, useful, _PROPOSED)
        if top > best:
            best, idle = top, 0
        # Tied clauses may gain less together than alone, so that then no gain sets a mark.
        pruned = (bound <= (0 if rail.tied else best)) | (bound == gain)
        next_beam: dict[Clause, int] = {}
        for measure in (gain, information) if limits.purity else (gain,):
            hopeful, width = np.where(pruned, _NEVER, measure), WIDTH if length else FIRST_WIDTH
            next_beam |= _best_clauses(rail, beam, codes, hopeful, width)
        beam = list(next_beam)
        if not beam or idle == PATIENCE:
            break
    return [
        make_move(rail, gain, [], [clause], merit=_merit(rail, clause))
        for clause, gain in found.items()
    ]


def _merit(rail: Rail, clause: Clause) -> int:
    """Return FOIL's gain of a clause on all rows, which decides between equal gains."""
    target, rest = rail.size(rail.cover(clause)[None])
    return int(rail.information(target, rest, among=(rail.target, rail.rest))[0])


def _extend(rail: Rail, free: NDArray[np.uint64], beam: list[Clause]) -> list[NDArray[np.int64]]:
    """Return what each clause is worth with each literal added, on the free rows.

    Three arrays (clauses, literals): the fall of the cost, a bound on it with more literals, and
    FOIL's gain.
    """
    target, rest = rail.count(np.array([rail.cover(clause) & free for clause in beam]))
    all_target, all_rest = rail.size(free)
    price = rail.prices + np.array([[rail.price(clause)] for clause in beam])
    gain = PRICE_UNIT * (target - rest) - price
    bound = PRICE_UNIT * target - price
    information = rail.information(target, rest, (int(all_target), int(all_rest)))
    information -= price * (LOG_UNIT // PRICE_UNIT)
    measures = [gain, bound, information]
    there = [(i, literal) for i, clause in enumerate(beam) for literal in clause]
    if there:
        for measure in measures:
            measure[tuple(zip(*there, strict=True))] = _NEVER
    return measures


def _best_clauses(
    rail: Rail,
    beam: list[Clause],
    beam_codes: NDArray[np.uint64],
    measure: NDArray[np.int64],
    width: int,
) -> dict[Clause, int]:
    """Return the best clauses by a measure: whole groups of tied clauses, `width` at most.

    The first group alone may be larger, up to `_WIDEST`.
    """
    many = min(width * 4, measure.size)  # one clause may be reached from several
    least = max(np.partition(measure, -many, axis=None)[-many], _NEVER + 1)
    parents, literals = np.nonzero(measure >= least)
    values = measure[parents, literals]
    codes = rail.codes[literals] + beam_codes[parents]
    found: dict[Clause, int] = {}
    whole, last = 0, None  # clauses in complete groups, and the last group
    for i in np.lexsort((codes, -values)).tolist():
        group = values[i], codes[i]
        if group != last:
            whole, last = len(found), group
        found[beam[parents[i]] | {int(literals[i])}] = int(values[i])
        if len(found) > (width if whole else max(width, _WIDEST)):
            break
    else:
        whole = len(found)
    return dict(list(found.items())[:whole])
