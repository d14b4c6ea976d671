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
_TOO_DEAR = 1 << 50


def grow_clauses(state: State, limits: Limits) -> list[Move]:
    """Return the best clauses to add to a rule."""
    rail, free = state.rail, state.free
    if len(state.clauses) >= limits.max_clauses or not len(rail.words):
        return []
    beam, found, best, idle = [Clause()], dict[Clause, int](), 0, 0
    all_target, all_rest = map(int, rail.size(free))
    for length in range(min(limits.max_literals, limits.max_conditions - state.literals)):
        target, rest, price = _extend(rail, free, beam)
        codes = np.array([rail.code(clause) for clause in beam], np.uint64)
        bound = PRICE_UNIT * target - price  # no more literals gain more
        gain = bound - PRICE_UNIT * rest
        top, idle = int(gain.max()), idle + (best > 0)
        if top > best or rail.tied:
            useful = np.flatnonzero(gain > 0)
            found |= _best_clauses(rail, beam, codes, useful, gain.take(useful), _PROPOSED)
        if top > best:
            best, idle = top, 0
        # Tied clauses may gain less together than alone, so that then no gain sets a mark.
        hopeful = np.flatnonzero((bound > (0 if rail.tied else best)) & (rest > 0))
        measures, width = [gain.take(hopeful)], WIDTH if length else FIRST_WIDTH
        if limits.purity:
            some = target.take(hopeful), rest.take(hopeful)
            cost = price.take(hopeful) * (LOG_UNIT // PRICE_UNIT)
            measures.append(rail.information(*some, (all_target, all_rest)) - cost)
        next_beam: dict[Clause, int] = {}
        for measure in measures:
            next_beam |= _best_clauses(rail, beam, codes, hopeful, measure, width)
        beam = list(next_beam)
        if not beam or idle == PATIENCE:
            break
    merits = _merits(rail, list(found))
    return [
        make_move(rail, gain, [], [clause], merit=merit)
        for (clause, gain), merit in zip(found.items(), merits, strict=True)
    ]


def _merits(rail: Rail, clauses: list[Clause]) -> list[int]:
    """Return FOIL's gain of clauses on all rows, which decides between equal gains."""
    if not clauses:
        return []
    target, rest = rail.size(np.array([rail.cover(clause) for clause in clauses]))
    return rail.information(target, rest, among=(rail.target, rail.rest)).tolist()


def _extend(rail: Rail, free: NDArray[np.uint64], beam: list[Clause]) -> list[NDArray[np.int64]]:
    """Return what each clause is with each literal added (clauses, literals).

    Three arrays: its target rows and others among the free rows, and its price. A literal that
    the clause has already is too dear.
    """
    target, rest = rail.count(np.array([rail.cover(clause) & free for clause in beam]))
    price = rail.prices + np.array([[rail.price(clause)] for clause in beam])
    there = [(i, literal) for i, clause in enumerate(beam) for literal in clause]
    if there:
        price[tuple(zip(*there, strict=True))] = _TOO_DEAR
    return [target, rest, price]


def _best_clauses(
    rail: Rail,
    beam: list[Clause],
    beam_codes: NDArray[np.uint64],
    places: NDArray[np.intp],
    measure: NDArray[np.int64],
    width: int,
) -> dict[Clause, int]:
    """Return the best clauses by a measure: whole groups of tied clauses, `width` at most.

    The first group alone may be larger, up to `_WIDEST`. The measure is given for some places of
    (clauses, literals).
    """
    many = width * 4  # one clause may be reached from several
    if len(places) > many:
        inside = measure >= np.partition(measure, -many)[-many]
        places, measure = places[inside], measure[inside]
    parents, literals = np.divmod(places, len(rail.words))
    codes = rail.codes[literals] + beam_codes[parents]
    order = np.lexsort((codes, -measure))
    found: dict[Clause, int] = {}
    whole, last = 0, None  # clauses in complete groups, and the last group
    ordered = (part[order].tolist() for part in (measure, codes, parents, literals))
    for value, code, parent, literal in zip(*ordered, strict=True):
        if (value, code) != last:
            whole, last = len(found), (value, code)
        found[beam[parent] | {literal}] = value
        if len(found) > (width if whole else max(width, _WIDEST)):
            break
    else:
        whole = len(found)
    return dict(list(found.items())[:whole])
