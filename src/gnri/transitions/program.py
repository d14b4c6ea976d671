"""A program: for each variable, when it is true next."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.logic.evaluate import evaluate
from gnri.logic.formula import SignedDNF
from gnri.transitions.reading import Transitions


@dataclass(frozen=True, slots=True)
class Program:
    """The rule of each defined variable; without clauses it never holds, with an empty one always.

    Rules are positive, as logic programs have no other.
    """

    variables: tuple[str, ...]
    rules: Mapping[str, SignedDNF]

    def step(self, states: NDArray[np.int8]) -> NDArray[np.int8]:
        """The next values (rows, defined) of each state (rows, variables), +1 and -1."""
        return np.stack([evaluate(rule, states) for rule in self.rules.values()], axis=1)

    def reproduced(self, transitions: Transitions) -> int:
        """How many of the transitions it takes exactly as they were given."""
        return int((self.step(transitions.now) == transitions.next).all(axis=1).sum())
