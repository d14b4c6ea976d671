"""What a report is made of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Atom
from gnri.estimator.statistics import RuleCard
from gnri.rules.rule_list import RuleSet


@dataclass(frozen=True, eq=False)
class Confusion:
    """How many rows of each class (first axis) got each answer (second), and on which rows."""

    title: str
    note: str
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """A column, the atoms it gave, and in how many training rows its cell is missing."""

    name: str
    atoms: tuple[Atom, ...]
    missing: int | None  # None for a column that gave no atoms


@dataclass(frozen=True, slots=True)
class Verdict:
    """A change of the table, and whether the rules came out changed in the same way alone."""

    change: str
    promise: str
    kept: bool | None  # None where nothing is promised


@dataclass(frozen=True, eq=False)
class Facts:
    """All a page says. `symmetry` is a sentence where the check was left out."""

    ruleset: RuleSet  # in the form that is printed
    cards: tuple[RuleCard, ...]
    codes: NDArray[np.int32]  # the class of each training row
    answers: NDArray[np.int32]
    confusions: tuple[Confusion, ...]
    columns: tuple[Column, ...]
    symmetry: tuple[Verdict, ...] | str
    recipe: str  # Python that makes the classifier again
    again: str  # what comes out then
    versions: str
