"""A rule on a rail, with what it covers and costs."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gnri.counts.rail import Clause, Rail
from gnri.search.prices import PRICE_UNIT


class State:
    """A set of clauses, the rows that one or several of them cover, and the cost.

    cost = PRICE_UNIT * (target rows not covered + other rows covered) + prices of all literals.
    """

    def __init__(self, rail: Rail, clauses: Iterable[Clause] = ()) -> None:
        self.rail = rail
        self.clauses = frozenset(clauses)
        self.once = np.zeros_like(rail.everything)
        self.twice = np.zeros_like(rail.everything)
        for clause in self.clauses:
            cover = rail.cover(clause)
            self.twice |= self.once & cover
            self.once |= cover
        target, rest = rail.size(self.once)
        self.errors = rail.target - int(target) + int(rest)
        self.literals = sum(map(len, self.clauses))
        self.cost = PRICE_UNIT * self.errors + sum(map(rail.price, self.clauses))

    @cached_property
    def key(self) -> tuple[int, ...]:
        """What decides between rules of one cost; equal only for symmetric ones."""
        codes = sorted(map(self.rail.code, self.clauses))
        return self.literals, len(self.clauses), self.errors, *codes

    @property
    def free(self) -> NDArray[np.uint64]:
        """The rows that no clause covers."""
        return self.rail.everything & ~self.once

    def spared(self, covers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """For clauses of the rule that cover these rows, the rows that no other clause covers."""
        others = self.twice | (self.once & ~covers)
        return self.rail.everything & ~others
