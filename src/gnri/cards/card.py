"""What a card says: of a rule as a whole, and of each of its clauses."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cards.figures import Figures
from gnri.logic.formula import Clause
from gnri.schema import Scalar


@dataclass(frozen=True, slots=True)
class ClauseCard:
    """A clause, in words, and the rows it covers: those where every literal is true.

    `figures` count rows of the class that the clause speaks for. In a rule that is read as its
    complement, `good unless ...`, that is the other class. `unique` counts the covered rows that
    no other clause of the rule covers.
    """

    clause: Clause
    text: str
    figures: Figures
    unique: int
    rows: NDArray[np.intp] = field(repr=False, compare=False)  # in the order of the table

    def as_dict(self) -> dict[str, Any]:
        """The card for JSON."""
        return {
            "text": self.text,
            "unique": self.unique,
            **self.figures.as_dict(),
            "provenance": self.rows.tolist(),
        }


@dataclass(frozen=True, slots=True)
class RuleCard:
    """The rule of the class `label` in words, and how it does on the rows.

    `figures` are those of the rows where the rule is true; on `undecided` rows missing cells
    leave it open. Where several classes are asked for in turn and this one `follows` others, the
    rows are those that the rules before it leave. `target` says in words what the clauses speak
    for: the class or, for a rule read as its complement and so not `positive`, the other one. An
    absent rule has no clauses, and covers nothing.
    """

    label: Scalar
    positive: bool
    text: str
    target: str
    figures: Figures
    undecided: int
    clauses: tuple[ClauseCard, ...]
    follows: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The card for JSON."""
        return {
            "label": self.label,
            "positive": self.positive,
            "text": self.text,
            "target": self.target,
            "undecided": self.undecided,
            "follows": self.follows,
            **self.figures.as_dict(),
            "clauses": [card.as_dict() for card in self.clauses],
        }
