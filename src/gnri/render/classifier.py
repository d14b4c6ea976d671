"""Rules with what it takes to answer: the thing that is saved, exported and run without us."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import RuleError
from gnri.logic.evaluate import evaluate
from gnri.logic.formula import SignedDNF
from gnri.render.cells import read_atoms
from gnri.render.checks import check_labels, check_schema, plain
from gnri.render.decisions import Step, binary_steps, ranked_steps
from gnri.schema import Scalar, Schema

if TYPE_CHECKING:
    from gnri.render.explain import Explanation

Ranks = tuple[tuple[int, int, int], ...]
"""For each class, its rank where its rule is true, where it is false, and where it is unknown."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a classifier over raw columns, in three-valued logic.

    Two classes have one rule, under `classes[1]`; where it is unknown (a missing cell) or absent
    (`None`), the answer is `classes[majority]`. More classes have one rule each, and the answer is
    the class with the highest rank; `majority` is the class that wins where no rule is known.
    Ranks are whole numbers that differ between classes, so no backend can break a tie its own way;
    `gnri.render.decisions.ranks_from_counts` makes them.

    >>> from gnri.schema import Above
    >>> schema = Schema((Above("age", 30.0),))
    >>> adults = RuleSet(schema, ("young", "old"), (SignedDNF([[(0, True)]]),), majority=0)
    >>> adults.predict({"age": [45, 20.5, None]})
    ['old', 'young', 'young']
    """

    schema: Schema
    classes: tuple[Scalar, ...]
    rules: tuple[SignedDNF | None, ...]
    majority: int
    ranks: Ranks = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", check_schema(self.schema))
        object.__setattr__(self, "classes", tuple(plain(label) for label in self.classes))
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "ranks", tuple(tuple(map(int, ranks)) for ranks in self.ranks))
        check_labels(self.classes)
        self._check_rules()
        self._check_majority()

    @property
    def atoms(self) -> list[int]:
        """The atoms that the rules read, in order."""
        return sorted({atom for rule in self.rules if rule is not None for atom in rule.atoms})

    @property
    def columns(self) -> list[str]:
        """The columns that a prediction needs."""
        return self.schema.columns_of(self.atoms)

    @property
    def decisions(self) -> tuple[list[Step], int]:
        """The decision list, and its default: the first step that applies gives the answer."""
        if len(self.classes) == 2:
            return binary_steps(self.rules[0] is not None, self.majority), self.majority
        return ranked_steps([rule is not None for rule in self.rules], self.ranks)

    def owner(self, rule: int) -> Scalar:
        """The class that the rule of this index is about."""
        return self.classes[1] if len(self.classes) == 2 else self.classes[rule]

    def truths(self, values: NDArray[np.int8]) -> list[NDArray[np.int8]]:
        """Truth of each rule on each row of atom values; an absent rule is unknown."""
        unknown = np.zeros(len(values), dtype=np.int8)
        return [unknown if rule is None else evaluate(rule, values) for rule in self.rules]

    def choose(self, values: NDArray[np.int8]) -> NDArray[np.intp]:
        """The index of the class answered on each row of atom values in {-1, 0, +1}."""
        truths = self.truths(values)
        steps, default = self.decisions
        chosen = np.full(len(values), default, dtype=np.intp)
        for step in reversed(steps):
            chosen[truths[step.rule] == step.truth] = step.answer
        return chosen

    def predict(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> list[Scalar]:
        """The class of each row, from raw cells; only `self.columns` are read.

        A missing cell (None or NaN) leaves its atoms unknown, a category never seen is none of the
        known ones, and a cell of the wrong type is an error.
        """
        small = self.compact()
        return [self.classes[k] for k in small.choose(read_atoms(small.schema, columns))]

    def explain(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> list["Explanation"]:
        """The answer on each row, why it is so, and the clauses that fired, in words."""
        from gnri.render.explain import explain

        return explain(self, columns)

    def compact(self) -> "RuleSet":
        """The same classifier over a schema of only those atoms that its rules read."""
        place = {atom: i for i, atom in enumerate(self.atoms)}
        rules = (
            None
            if rule is None
            else SignedDNF(
                ([(place[atom], sign) for atom, sign in items] for items in rule.clauses),
                rule.positive,
            )
            for rule in self.rules
        )
        schema = Schema(tuple(self.schema.atoms[atom] for atom in place))
        return RuleSet(schema, self.classes, tuple(rules), self.majority, self.ranks)

    def _check_rules(self) -> None:
        needed = 1 if len(self.classes) == 2 else len(self.classes)
        if len(self.rules) != needed:
            raise RuleError(
                f"{len(self.classes)} classes need {needed} rules, got {len(self.rules)}; "
                "two classes share one rule, more have one each"
            )
        for i, rule in enumerate(self.rules):
            if rule is not None and not isinstance(rule, SignedDNF):
                raise RuleError(f"rule {i} must be a SignedDNF or None, got {type(rule).__name__}")
        if self.atoms and self.atoms[-1] >= len(self.schema.atoms):
            raise RuleError(
                f"a rule reads atom x{self.atoms[-1]}, but the schema has "
                f"{len(self.schema.atoms)} atoms; pass the schema the rules were induced with"
            )

    def _check_majority(self) -> None:
        if type(self.majority) is not int or not 0 <= self.majority < len(self.classes):
            raise RuleError(
                f"majority must be the index of one of {len(self.classes)} classes, "
                f"got {self.majority!r}"
            )
        if len(self.classes) == 2:
            if self.ranks:
                raise RuleError("two classes have one rule and no ranks; leave ranks out")
            return
        if [len(ranks) for ranks in self.ranks] != [3] * len(self.classes):
            raise RuleError(
                f"ranks must be 3 whole numbers for each of {len(self.classes)} classes"
            )
        if len(set().union(*self.ranks)) != sum(len(set(ranks)) for ranks in self.ranks):
            raise RuleError("ranks must differ between classes; use ranks_from_counts to make them")
        unknown = [ranks[2] for ranks in self.ranks]
        if unknown.index(max(unknown)) != self.majority:
            raise RuleError("majority must be the class with the highest rank where all is unknown")
