"""A decision list of rules over the columns of a table: what is saved, exported and run."""

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode_cells
from gnri.data.schema import LARGEST, Scalar, Schema, check_scalar, check_schema, plain
from gnri.errors import RuleError, shorten
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.minimize import minimize
from gnri.rules.row_expression import Rows, all_of
from gnri.rules.scorecard import AnyRule, Scorecard, where_ahead

if TYPE_CHECKING:
    from gnri.data.frames import Cells


class Step(NamedTuple):
    """Answer a class, by its index, where the rule is true or, with truth -1, where it is false."""

    rule: AnyRule
    answer: int
    truth: int = 1


@dataclass(frozen=True, slots=True)
class RuleList:
    """A decision list: the first step that applies gives the answer, else `default` does.

    A rule is true, false, or left unknown by missing cells. The last step may ask for a false
    rule: a rule about the default class then answers another class only where it is false.

    With a `unit`, the list is a point table: each step has a scorecard, and half a point is worth
    so much log-odds. Two classes have one step. More classes have one each, and the class with the
    most points above its threshold is the answer, the first of equals.

    `na_values` are texts that meant missing in the training files, and do so in files of new rows.

    >>> from gnri.data.schema import Above
    >>> from gnri.rules.dnf import SignedDNF
    >>> schema = Schema((Above("age", 30.0),))
    >>> adult = SignedDNF([[(0, True)]])
    >>> adults = RuleList(schema, ("young", "old"), (Step(adult, answer=1),), default=0)
    >>> adults.predict({"age": [45, 20.5, None]})
    ['old', 'young', 'young']
    """

    schema: Schema
    classes: tuple[Scalar, ...]
    steps: tuple[Step, ...]
    default: int
    unit: float | None = None
    na_values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", check_schema(self.schema))
        object.__setattr__(self, "classes", tuple(plain(label) for label in self.classes))
        check_labels(self.classes)
        self._check_class(self.default, "default")
        self._set_steps(self.steps)

    def _set_steps(self, steps: Iterable[Step]) -> None:
        object.__setattr__(self, "steps", tuple(Step(*step) for step in steps))
        for i, step in enumerate(self.steps):
            self._check_step(i, step)
        self._check_unit()
        if self.atoms and self.atoms[-1] >= len(self.schema.atoms):
            raise RuleError(
                f"a rule reads atom x{self.atoms[-1]}, but the schema has "
                f"{len(self.schema.atoms)} atoms; pass the schema the rules were induced with"
            )

    @classmethod
    def binary(
        cls, schema: Schema, classes: Sequence[Scalar], rule: AnyRule | None, default: int = 0
    ) -> "RuleList":
        """Return the list of one rule about the second of two classes.

        Where the rule is unknown, or None, the answer is the default class.
        """
        other = 1 - default
        steps = () if rule is None else (Step(rule, other, 1 if other == 1 else -1),)
        return cls(schema, tuple(classes), steps, default)

    @property
    def rules(self) -> tuple[AnyRule, ...]:
        """The rule of each step."""
        return tuple(step.rule for step in self.steps)

    @property
    def dnfs(self) -> tuple[SignedDNF, ...]:
        """The rule of each step, where only DNFs will do; raise if one is a scorecard."""
        found = tuple(rule for rule in self.rules if isinstance(rule, SignedDNF))
        if len(found) < len(self.rules):
            raise RuleError("this works with DNFs, got a scorecard; fit with form='dnf'")
        return found

    @property
    def atoms(self) -> list[int]:
        """The atoms that the rules read, in order."""
        return sorted({atom for rule in self.rules for atom in rule.atoms})

    @property
    def columns(self) -> list[str]:
        """The columns that a prediction needs."""
        return self.schema.columns_of(self.atoms)

    def subject(self, step: Step) -> int:
        """Return the index of the class that the rule of a step is about."""
        return step.answer if step.truth == 1 else self.default

    @property
    def rule_of(self) -> dict[int, AnyRule]:
        """The rule about each class that has one, by the index of the class."""
        return {self.subject(step): step.rule for step in self.steps}

    @property
    def without_rule(self) -> list[int]:
        """The classes that are never answered: none is the default or the answer of a step."""
        answers = {self.default, *(step.answer for step in self.steps)}
        return [kind for kind in range(len(self.classes)) if kind not in answers]

    def truths(self, values: NDArray[np.int8]) -> list[NDArray[np.int8]]:
        """Return the truth of each step's rule, as predictions use it, on each row of values."""
        return [rule.decide(values) for rule in self.rules]

    def choose(self, values: NDArray[np.int8]) -> NDArray[np.intp]:
        """Return the index of the class answered on each row of atom values in {-1, 0, +1}."""
        if self.most_points_win:
            answers = np.array([step.answer for step in self.steps])
            return answers[self.margins(values).argmax(axis=1)]
        return self.answer(self.truths(values), len(values))

    def answer(self, truths: Sequence[NDArray[np.int8]], rows: int) -> NDArray[np.intp]:
        """Return the index of the class answered on each row, by the truth of each step's rule."""
        chosen = np.full(rows, self.default, dtype=np.intp)
        for step, truth in zip(reversed(self.steps), reversed(truths), strict=True):
            chosen[truth == step.truth] = step.answer
        return chosen

    @property
    def most_points_win(self) -> bool:
        """Whether this is a point table of three classes or more."""
        return self.unit is not None and len(self.steps) > 1

    def margins(self, values: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return the half points of each row above the threshold of each step's scorecard."""
        cards = [rule for rule in self.rules if isinstance(rule, Scorecard)]
        return np.stack([card.margins(values) for card in cards], axis=1)

    def point_odds(self, values: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the probability of each class by its points alone (rows, classes).

        It is 1 / (1 + exp(-unit * margin)), scaled to a sum of 1.
        """
        assert self.unit is not None, "only a point table has a unit"
        margins, order = self.margins(values), [step.answer for step in self.steps]
        if not self.most_points_win:
            margins, order = np.hstack([-margins, margins]), [0, 1]
        chances = np.empty(margins.shape)
        chances[:, order] = 1 / (1 + np.exp(-self.unit * margins))
        return chances / chances.sum(axis=1, keepdims=True)

    def where(self, step: Step) -> Rows:
        """Return the rows on which a step applies, if no earlier one does."""
        if not self.most_points_win:
            return step.rule.where(step.truth)
        first, *later = self.rules[self.steps.index(step) :]
        return all_of(where_ahead(first, other) for other in later)

    def predict(self, columns: "Mapping[str, Cells]") -> list[Scalar]:
        """Return the class of each row, from raw cells; only `self.columns` are read.

        A missing cell (None or NaN) leaves its atoms unknown, a category never seen is none of the
        known ones, and a cell of the wrong type is an error.
        """
        small = self.compact()
        return [self.classes[k] for k in small.choose(encode_cells(small.schema, columns))]

    def compact(self) -> "RuleList":
        """Return the same list over a schema of only those atoms that its rules read."""
        return self.select_atoms(self.atoms)

    def select_atoms(self, atoms: Sequence[int]) -> "RuleList":
        """Return the same list over a schema of only these atoms, with all that its rules read."""
        place = {atom: i for i, atom in enumerate(atoms)}
        rules = [
            rule.map_literals(lambda one: Literal(place[one.atom], one.positive))
            for rule in self.rules
        ]
        schema = Schema(tuple(self.schema.atoms[atom] for atom in place))
        return replace(self.with_rules(rules), schema=schema)

    def minimized(self, negations: bool = True) -> "RuleList":
        """Return the list in fewer words, with the same answer on every row there could be.

        With `negations`, complements are written out where that is not longer.
        """
        found = [minimize(rule, self.schema, negations=negations) for rule in self.rules]
        return self.with_rules(found)

    def with_rules(self, rules: Sequence[AnyRule]) -> "RuleList":
        """Return the list with another rule in each step."""
        found = copy(self)  # schema and classes are checked
        pairs = zip(self.steps, rules, strict=True)
        found._set_steps(step._replace(rule=rule) for step, rule in pairs)
        return found

    def _check_unit(self) -> None:
        if self.unit is None:
            return
        if type(self.unit) is not float or not 0 < self.unit < math.inf:
            raise RuleError(f"unit must be a positive number, got {shorten(self.unit)}")
        answers = {step.answer for step in self.steps}
        wanted = len(classes_to_learn(self.classes))
        cards = all(isinstance(rule, Scorecard) for rule in self.rules)
        if not cards or len(self.steps) != wanted or len(answers) != wanted:
            raise RuleError(
                f"a point table of {len(self.classes)} classes has {wanted} scorecards, each of a "
                "class of its own"
            )

    def _check_class(self, kind: Any, place: str) -> None:
        if type(kind) is not int or not 0 <= kind < len(self.classes):
            raise RuleError(
                f"{place} must be the index of one of {len(self.classes)} classes, "
                f"got {shorten(kind)}"
            )

    def _check_step(self, i: int, step: Step) -> None:
        if type(step.rule) not in (SignedDNF, Scorecard):
            got = type(step.rule).__name__
            raise RuleError(f"rule {i} must be a SignedDNF or Scorecard, got {got}")
        self._check_class(step.answer, f"the answer of step {i}")
        last = i == len(self.steps) - 1
        if step.truth != 1 and not (last and step.truth == -1):
            raise RuleError(
                f"step {i} must have the truth 1 or, as the last one, -1, got {shorten(step.truth)}"
            )


def classes_to_learn(classes: Sized) -> range:
    """Return the indices of the classes that get a rule: all or, of two, the second alone."""
    return range(len(classes) == 2, len(classes))


def not_fewer_points(one: AnyRule, other: AnyRule) -> Scorecard:
    """Return a scorecard that decides +1 where one has at least as many points as another.

    The points count from the thresholds.
    """
    assert isinstance(one, Scorecard) and isinstance(other, Scorecard)
    lines = [*one.points, *((line, -p) for line, p in other.points)]
    return Scorecard(lines, one.threshold - other.threshold)


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
