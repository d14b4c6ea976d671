"""New clauses, grown a literal at a time from several beginnings at once.

A beam search: each round extends the clauses it holds by every literal, and keeps the best by cost
and the best by FOIL's gain, which leads to purity where the cost alone sees nothing to be gained.
A clause whose target rows cannot pay for a larger gain any more is given up.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import LOG_UNIT, Clause, Rail
from gnri.search.limits import PRICE_UNIT, Limits
from gnri.search.state import Move, State, move

FIRST_WIDTH, WIDTH = 16, 4
"""How many literals, and then how many longer clauses, are kept by each of the two measures."""

PATIENCE = 2
"""Rounds without a better clause, once there is a good one, after which a beam ends."""

_PROPOSED = 8  # clauses of each length that are proposed
_WIDEST = 64  # clauses that tie and are still kept
_NEVER = -(1 << 60)


class Grown(NamedTuple):
    """What each clause of a beam is worth with each literal added, as (clauses, literals)."""

    gain: NDArray[np.int64]  # by how much the cost would fall
    bound: NDArray[np.int64]  # by how much it could fall with more literals
    information: NDArray[np.int64]


def grow(state: State, limits: Limits) -> list[Move]:
    """Return the best clauses to add to a rule."""
    rail, free = state.rail, state.free
    if len(state.clauses) >= limits.max_clauses or not len(rail.words):
        return []
    beam, found, best, idle = [Clause()], dict[Clause, int](), 0, 0
    for length in range(limits.max_literals):
        grown = _extend(rail, free, beam)
        top, idle = int(grown.gain.max()), idle + (best > 0)
        if top > best or rail.tied:
            found |= _liked(rail, beam, np.where(grown.gain > 0, grown.gain, _NEVER), _PROPOSED)
        if top > best:
            best, idle = top, 0
        # Tied clauses may gain less together than alone, so that then no gain sets a mark.
        mark = 0 if rail.tied else best
        measures = [grown.gain, grown.information] if limits.purity else [grown.gain]
        pruned = (grown.bound <= mark) | (grown.bound == grown.gain)
        beam = _survivors(rail, beam, measures, pruned, WIDTH if length else FIRST_WIDTH)
        if not beam or idle == PATIENCE:
            break
    return [
        move(rail, gain, [], [clause], merit=_merit(rail, clause)) for clause, gain in found.items()
    ]


def _merit(rail: Rail, clause: Clause) -> int:
    """Return what a clause tells on all rows, covered ones too; it decides between equal gains."""
    target, rest = rail.size(rail.cover(clause)[None])
    return int(rail.information(target, rest, among=(rail.target, rail.rest))[0])


def _extend(rail: Rail, free: NDArray[np.uint64], beam: list[Clause]) -> Grown:
    """Extend the clauses of a beam by each literal, counted on the rows that are still free."""
    target, rest = rail.count(np.array([rail.cover(clause) & free for clause in beam]))
    all_target, all_rest = rail.size(free)
    price = rail.prices + np.array([[rail.price(clause)] for clause in beam])
    gain = PRICE_UNIT * (target - rest) - price
    bound = PRICE_UNIT * target - price
    information = rail.information(target, rest, (int(all_target), int(all_rest)))
    information -= price * (LOG_UNIT // PRICE_UNIT)
    for i, clause in enumerate(beam):
        for measure in (gain, bound, information):
            measure[i, list(clause)] = _NEVER
    return Grown(gain, bound, information)


def _survivors(
    rail: Rail,
    beam: list[Clause],
    measures: list[NDArray[np.int64]],
    pruned: NDArray[np.bool_],
    width: int,
) -> list[Clause]:
    """Return the next beam: the best by each measure of the clauses that may yet pass the mark."""
    liked = (_liked(rail, beam, np.where(pruned, _NEVER, part), width) for part in measures)
    return list({clause: None for part in liked for clause in part})


def _liked(
    rail: Rail, beam: list[Clause], measure: NDArray[np.int64], width: int
) -> dict[Clause, int]:
    """Return the best clauses by a measure, those that tie together.

    At most `width` of them, or the first group alone where it is larger, up to a limit.
    """
    many = min(width * 4, measure.size)  # one clause may be reached from several
    least = max(np.partition(measure, -many, axis=None)[-many], _NEVER + 1)
    parents, literals = np.nonzero(measure >= least)
    values = measure[parents, literals]
    codes = rail.codes[literals] + np.array([rail.code(c) for c in beam], np.uint64)[parents]
    found: dict[Clause, int] = {}
    whole, last = 0, None  # how many clauses are in groups that are complete, and the last group
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
