"""The places in a rule where a literal may come in, and how much it could gain there at most."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Clause, Rail
from gnri.search.prices import PRICE_UNIT
from gnri.search.state import State

Memory = dict[tuple[Clause, Clause], tuple[NDArray[np.uint64], int]]
"""For an opening, the rows it was last looked at on and the most a literal was worth on them."""

_REMEMBERED = 1 << 22  # words of rows kept in memory


class Openings(NamedTuple):
    """Clauses with one literal taken out, or none: each a place where another may come in.

    A literal put in gains `base` + what it is worth on the rows of the mask.
    """

    clauses: list[Clause]
    shorter: list[Clause]
    masks: NDArray[np.uint64]  # the rows that the shorter clause covers and no other clause does
    bare: NDArray[np.int64]  # the gain with no literal put in
    base: NDArray[np.int64]
    bound: NDArray[np.int64]  # no literal gains more than this

    def take(self, places: NDArray[np.intp]) -> "Openings":
        clauses, shorter = ([part[i] for i in places] for part in (self.clauses, self.shorter))
        masks, bare = self.masks[places], self.bare[places]
        return Openings(clauses, shorter, masks, bare, self.base[places], self.bound[places])


def open_up(state: State, memory: Memory) -> Openings:
    """Every place for a literal in the clauses of a rule."""
    rail = state.rail
    pairs = [(c, rest) for c in state.clauses for rest in (c, *(c - {literal} for literal in c))]
    clauses, shorter = [c for c, _ in pairs], [rest for _, rest in pairs]
    places = [len(clause) + 1 for clause in state.clauses]
    whole = np.repeat(np.cumsum([0, *places[:-1]]), places)  # where each clause stands unshortened
    covers = np.array([rail.cover(rest) for rest in shorter])
    masks = covers & state.spared(covers[whole])
    target, others = rail.size(masks)
    worth = PRICE_UNIT * (target - others)
    price = np.array([rail.price(rest) for rest in shorter])
    base = -price - (worth - price)[whole]
    bound = PRICE_UNIT * target - rail.cheapest
    for place, most in _from_memory(rail, memory, clauses, shorter, masks):
        bound[place] = min(bound[place], most)
    return Openings(clauses, shorter, masks, base + worth, base, base + bound)


def remember(memory: Memory, openings: Openings, tops: NDArray[np.int64]) -> None:
    """Keep the largest gain found at each opening, for bounds on later ones."""
    if len(memory) * openings.masks.shape[1] > _REMEMBERED:
        memory.clear()
    worth = (tops - openings.base).tolist()
    for i, place in enumerate(zip(openings.clauses, openings.shorter, strict=True)):
        memory[place] = openings.masks[i], worth[i]


def _from_memory(
    rail: Rail,
    memory: Memory,
    clauses: list[Clause],
    shorter: list[Clause],
    masks: NDArray[np.uint64],
) -> list[tuple[int, int]]:
    """What a literal can be worth at openings seen before.

    No more than then, and one error for each target row come in and each other row gone.
    """
    keys = zip(clauses, shorter, strict=True)
    known = [(i, *memory[key]) for i, key in enumerate(keys) if key in memory]
    if not known:
        return []
    places, old, worth = zip(*known, strict=True)
    now, then = masks[list(places)], np.array(old)
    came, went = rail.size(now & ~then)[0], rail.size(then & ~now)[1]
    most = np.array(worth) + PRICE_UNIT * (came + went)
    return list(zip(places, most.tolist(), strict=True))
