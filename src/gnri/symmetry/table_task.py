"""Symmetries of a table with columns and classes, for rules that read whole columns."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, Atom, Schema, make_schema
from gnri.episode import Episode
from gnri.rules.rule_list import RuleList, Step
from gnri.symmetry.action import act
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import Transform, whole_columns


@dataclass(frozen=True, eq=False)
class TableTask:
    """A table as atoms and classes: a whole rule list is learnt from it.

    A symmetry moves it as it moves an episode. Swapped labels are the classes in reverse order. Of
    a column of numbers either all thresholds are negated or none; of a column with several values,
    none.
    """

    schema: Schema
    values: NDArray[np.int8]
    codes: NDArray[np.intp]
    classes: int

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
        values, codes = np.empty_like(self.values), np.empty_like(self.codes)
        values[np.ix_(g.rows, g.atoms)] = self.values * np.where(g.flips, -1, 1).astype(np.int8)
        codes[list(g.rows)] = self.classes - 1 - self.codes if g.label else self.codes
        return replace(self, schema=act(self.schema, g), values=values, codes=codes)


def negate_columns(transform: Transform) -> Transform:
    """Return the transform that negates whole columns in place of single atoms."""

    def draw(task: TableTask, *, rng: np.random.Generator) -> Symmetry:
        g = transform(task, rng=rng)  # type: ignore[arg-type]
        return replace(g, flips=whole_columns(task.schema, g.flips))

    return draw  # type: ignore[return-value]


@act.register
def _(schema: Schema, g: Symmetry) -> Schema:
    """Move the atoms; the thresholds of a negated column are negated."""
    moved = dict(zip(g.atoms, zip(schema.atoms, g.flips, strict=True), strict=True))
    return make_schema([_negate(*moved[i]) for i in range(len(moved))])


def _negate(atom: Atom, flip: bool) -> Atom:
    return replace(atom, cut=-atom.cut) if flip and isinstance(atom, Above) else atom


@act.register
def _(rules: RuleList, g: Symmetry) -> RuleList:
    """Move the rules; one about the second of two classes becomes its complement."""
    last = len(rules.classes) - 1
    keep = replace(g, label=g.label and last == 1)
    kinds = range(last, -1, -1) if g.label else range(last + 1)
    steps = [
        Step(act(step.rule, keep), kinds[step.answer], -step.truth if keep.label else step.truth)
        for step in rules.steps
    ]
    return replace(
        rules, schema=act(rules.schema, g), steps=tuple(steps), default=kinds[rules.default]
    )
