"""What the cell of a column can say to its atoms: the finitely many states that they tell apart.

Atoms of one column read one cell, so they are not free of each other: a number above 45 is above
30, and one cell holds one category at most. The states of a column are the ways in which a cell
can answer all its atoms at once, and one more, missing, that leaves them all open. A category
never seen before answers no to each, so that `odor = foul` and `odor != none` differ, even where
training rows knew no third odor.
"""

from collections.abc import Iterable, Sequence
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from gnri.cells import truth
from gnri.logic.formula import Clause
from gnri.render.checks import column_kinds
from gnri.schema import Above, Atom, Schema, values_of

Box = dict[str, frozenset[int]]
"""For each column the states it may be in; a column that is not named may be in any."""


class States:
    """The states of the columns that some atoms of a schema read; missing is state 0."""

    def __init__(self, schema: Schema, atoms: Iterable[int]) -> None:
        self._schema = schema
        self._truths: dict[int, NDArray[np.int8]] = {}
        self._boxes: dict[tuple[Clause, int], Box] = {}
        self.count: dict[str, int] = {}
        places: dict[str, list[int]] = {}
        for i in sorted(atoms):
            places.setdefault(schema.atoms[i].column, []).append(i)
        kinds = column_kinds(schema.atoms[i] for column in places.values() for i in column)
        for column, members in places.items():
            answers = _answers([schema.atoms[i] for i in members], kinds[column])
            self.count[column] = len(answers)
            self._truths.update(zip(members, answers.T, strict=True))

    def box(self, clause: Clause, least: int) -> Box:
        """Where each literal of the clause has this truth (+1 true, 0 not false) or more."""
        if (clause, least) not in self._boxes:
            self._boxes[clause, least] = self._box(clause, least)
        return self._boxes[clause, least]

    def _box(self, clause: Clause, least: int) -> Box:
        found: Box = {}
        for atom, positive in clause:
            truths = self._truths[atom] if positive else -self._truths[atom]
            column = self._schema.atoms[atom].column
            allowed = frozenset(np.flatnonzero(truths >= least).tolist())
            found[column] = found.get(column, allowed) & allowed
        return found


def _answers(atoms: Sequence[Atom], kind: str) -> NDArray[np.int8]:
    """The distinct answers to all the atoms, (states, atoms), with that of a missing cell first."""
    cells = _flags() if kind == "flag" else _texts(atoms) if kind == "text" else _numbers(atoms)
    known = np.ones(len(cells), np.bool_)
    table = np.stack([truth(atom, cells, known) for atom in atoms], axis=1)
    return np.concatenate([np.zeros((1, len(atoms)), np.int8), np.unique(table, axis=0)])


def _flags() -> NDArray[np.float64]:
    return np.array([0.0, 1.0])


def _texts(atoms: Sequence[Atom]) -> NDArray[np.object_]:
    """Every text that an atom knows, and one that none does."""
    known = {value for atom in atoms if not isinstance(atom, Above) for value in values_of(atom)}
    unseen = max(map(str, known), key=len) + "?"
    return np.array([*sorted(known, key=str), unseen], dtype=object)


def _numbers(atoms: Sequence[Atom]) -> NDArray[np.float64]:
    """Each number that an atom knows, the one right above it, and one below all."""
    known = {
        number
        for atom in atoms
        for number in ([atom.cut] if isinstance(atom, Above) else map(float, values_of(atom)))
    }
    return np.array([-inf, *known, *(nextafter(number, inf) for number in known)])
