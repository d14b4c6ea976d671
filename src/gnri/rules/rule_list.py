"""How the truth of rules becomes one answer: a decision list, the same in every export.

Rules with what it takes to answer: the thing that is saved, exported and run without us.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode_cells
from gnri.data.schema import LARGEST, Scalar, Schema, check_scalar, check_schema, plain
from gnri.errors import RuleError
from gnri.messages import shorten
from gnri.rules.dnf import Literal, SignedDNF, evaluate

if TYPE_CHECKING:
    from gnri.data.frames import Cells


def check_labels(labels: Sequence[Any]) -> None:
    """Raise unless these are two or more distinct labels of one type."""
    if len(labels) < 2:
        raise RuleError(f"a classifier needs 2 or more classes, got {len(labels)}")
    for label in labels:
        check_scalar(label, "a class label")
        if type(label) is int and abs(label) > LARGEST:
            raise RuleError("a whole number as class label must fit in 64 bits, got a larger one")
    if len({type(label) for label in labels}) > 1:
        raise RuleError("class labels must be of one type; make them all text, or all numbers")
    if len(set(labels)) < len(labels):
        raise RuleError(f"class labels must differ, got {shorten(list(labels))}")


class Step(NamedTuple):
    """If the rule of this index has this truth (+1, or -1 for false), answer this class."""

    rule: int
    truth: int
    answer: int


def binary_steps(present: bool, majority: int) -> list[Step]:
    """The list of a single rule, under class 1: only the other class needs the rule."""
    other = 1 - majority
    return [Step(0, 1 if other == 1 else -1, other)] if present else []


Turns = tuple[tuple[int, ...], ...]
"""Which of several classes are asked for, turn by turn."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a classifier over raw columns, in three-valued logic.

    Two classes have one rule, under `classes[1]`; where it is unknown (a missing cell) or absent
    (`None`), the answer is `classes[majority]`. More classes are asked for in `turns`: the answer
    is the first class whose rule is true and, where none is, `classes[majority]`. Classes of one
    turn were learnt on the same rows; where several of their rules are true, the first one counts.

    >>> from gnri.data.schema import Above
    >>> schema = Schema((Above("age", 30.0),))
    >>> adults = RuleSet(schema, ("young", "old"), (SignedDNF([[(0, True)]]),), majority=0)
    >>> adults.predict({"age": [45, 20.5, None]})
    ['old', 'young', 'young']
    """

    schema: Schema
    classes: tuple[Scalar, ...]
    rules: tuple[SignedDNF | None, ...]
    majority: int
    turns: Turns = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", check_schema(self.schema))
        object.__setattr__(self, "classes", tuple(plain(label) for label in self.classes))
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "turns", tuple(map(tuple, self.turns)))
        check_labels(self.classes)
        self._check_rules()
        self._check_majority()
        self._check_turns()

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
        return [Step(kind, 1, kind) for kind in self.asked], self.majority

    @property
    def asked(self) -> list[int]:
        """The rules in the order in which they are asked; an absent one is not."""
        order = [0] if len(self.classes) == 2 else [kind for turn in self.turns for kind in turn]
        return [i for i in order if self.rules[i] is not None]

    @property
    def listed(self) -> list[int]:
        """The rules in the order in which they are told: as they are asked, then absent ones.

        Of several classes, one without a rule that has the rest is not told twice.
        """
        rest = self.majority if len(self.classes) > 2 else None
        absent = [i for i, rule in enumerate(self.rules) if rule is None and i != rest]
        return [*self.asked, *absent]

    def owner(self, rule: int) -> Scalar:
        """The class that the rule of this index is about."""
        return self.classes[1] if len(self.classes) == 2 else self.classes[rule]

    def truths(self, values: NDArray[np.int8]) -> list[NDArray[np.int8]]:
        """Truth of each rule on each row of atom values; an absent rule is unknown."""
        unknown = np.zeros(len(values), dtype=np.int8)
        return [unknown if rule is None else evaluate(rule, values) for rule in self.rules]

    def reached(self, values: NDArray[np.int8]) -> dict[int, NDArray[np.bool_]]:
        """The rows that each rule is asked about: those which no rule before it takes."""
        truths, left = self.truths(values), np.ones(len(values), np.bool_)
        found = {}
        for i in self.asked:
            found[i] = left
            left = left & (truths[i] != 1)
        return found

    def choose(self, values: NDArray[np.int8]) -> NDArray[np.intp]:
        """The index of the class answered on each row of atom values in {-1, 0, +1}."""
        truths = self.truths(values)
        steps, default = self.decisions
        chosen = np.full(len(values), default, dtype=np.intp)
        for step in reversed(steps):
            chosen[truths[step.rule] == step.truth] = step.answer
        return chosen

    def predict(self, columns: "Mapping[str, Cells]") -> list[Scalar]:
        """The class of each row, from raw cells; only `self.columns` are read.

        A missing cell (None or NaN) leaves its atoms unknown, a category never seen is none of the
        known ones, and a cell of the wrong type is an error.
        """
        small = self.compact()
        return [self.classes[k] for k in small.choose(encode_cells(small.schema, columns))]

    def compact(self) -> "RuleSet":
        """The same classifier over a schema of only those atoms that its rules read."""
        place = {atom: i for i, atom in enumerate(self.atoms)}
        rules = (
            rule and rule.map_literals(lambda one: Literal(place[one.atom], one.positive))
            for rule in self.rules
        )
        schema = Schema(tuple(self.schema.atoms[atom] for atom in place))
        return RuleSet(schema, self.classes, tuple(rules), self.majority, self.turns)

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

    def _check_turns(self) -> None:
        asked = [kind for turn in self.turns for kind in turn]
        if len(self.classes) == 2:
            if asked:
                raise RuleError("two classes have one rule and no turns; leave turns out")
            return
        if any(type(kind) is not int for kind in asked) or not (
            self._present <= set(asked) <= set(range(len(self.classes)))
            and len(set(asked)) == len(asked)
        ):
            raise RuleError(
                f"turns must name each of {len(self.classes)} classes that has a rule once, by its "
                f"index, got {self.turns!r} for rules of {sorted(self._present)}"
            )

    @property
    def _present(self) -> set[int]:
        return {i for i, rule in enumerate(self.rules) if rule is not None}
