"""Symmetries of a table with columns and classes, for rules that read whole columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, Equals, Schema, make_schema
from gnri.episode import Episode
from gnri.rules.rule_list import RuleList, Step, classes_to_learn
from gnri.symmetry.action import act, move_values
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import Transform, whole_columns


@dataclass(frozen=True, eq=False)
class TableTask:
    """A table as atoms and classes: a whole rule list is learnt from it.

    A symmetry moves it as it moves an episode. Swapped labels are the classes in reverse order;
    `names`, if given, stay with their rows. A column of numbers is negated as a whole, a column
    with several values never. The `bounds` that rules must keep to move as well. `class_copies` are
    those of a row of each class, if classes have weights.
    """

    schema: Schema
    values: NDArray[np.int8]
    codes: NDArray[np.intp]
    classes: int
    names: tuple[Any, ...] = ()
    bounds: Any = None
    class_copies: Sequence[float] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    @property
    def atoms(self) -> int:
        """The number of atoms."""
        return len(self.schema.atoms)

    def one_vs_rest(self, kind: int) -> Episode:
        """Return the episode of a class against all others."""
        return Episode(self.values, np.where(self.codes == kind, 1, -1))

    def move(self, g: Symmetry) -> "TableTask":
        """Return the image of the table under a symmetry."""
        codes = np.empty_like(self.codes)
        codes[list(g.rows)] = move_class(self.codes, self.classes, g)
        return replace(
            self,
            schema=act(self.schema, g),
            values=move_values(self.values, g),
            codes=codes,
            names=self.names[::-1] if g.label else self.names,
            bounds=act(self.bounds, g),
            class_copies=self.class_copies[::-1] if g.label else self.class_copies,
        )


def move_class(kind: Any, classes: int, g: Symmetry) -> Any:
    """Return the index of a class after a symmetry, which may reverse the order of the classes."""
    return classes - 1 - kind if g.label else kind


def negate_columns(transform: Transform) -> Transform:
    """Return the transform that negates whole columns in place of single atoms."""

    def draw(task: TableTask, *, rng: np.random.Generator) -> Symmetry:
        g = transform(task, rng=rng)  # type: ignore[arg-type]
        return replace(g, flips=whole_columns(task.schema, g.flips))

    return draw  # type: ignore[return-value]


@act.register
def _(schema: Schema, g: Symmetry) -> Schema:
    """Move the atoms; the thresholds, and the codes, of a negated column are negated."""
    atoms: dict[int, Atom] = {}
    pairs = list(zip(schema.atoms, g.flips, strict=True))
    turned = {atom.column for atom, flip in pairs if flip and isinstance(atom, Above)}
    codes = {(atom.column, atom.value) for atom, _ in pairs if isinstance(atom, Equals)}
    for place, (atom, flip) in zip(g.atoms, pairs, strict=True):
        if flip and isinstance(atom, Above):
            # A code at the cut is not above it, so it is above the cut of the negated column.
            cut = nextafter(-atom.cut, -inf) if (atom.column, atom.cut) in codes else -atom.cut
            atom = Above(atom.column, cut, tuple(-code for code in atom.codes))
        elif isinstance(atom, Equals) and atom.column in turned:
            atom = replace(atom, value=-atom.value)  # type: ignore[operator]
        atoms[place] = atom
    return make_schema([atoms[place] for place in range(len(atoms))])


@act.register
def _(rules: RuleList, g: Symmetry) -> RuleList:
    """Move the rules; one about a class that gets none there becomes its complement."""
    kinds = [move_class(kind, len(rules.classes), g) for kind in range(len(rules.classes))]
    learnt, steps = classes_to_learn(rules.classes), []
    for step in rules.steps:
        swap = kinds[rules.subject(step)] not in learnt
        rule = act(step.rule, replace(g, label=swap))
        steps.append(Step(rule, kinds[step.answer], -step.truth if swap else step.truth))
    schema, default = act(rules.schema, g), kinds[rules.default]
    return replace(rules, schema=schema, steps=tuple(steps), default=default)
