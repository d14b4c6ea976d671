"""Rules in fewer literals that answer the same on every cell there could be.

Atoms of one column read one cell, so they depend on each other: a number above 45 is above 30, and
a cell holds at most one category. The states of a column are the ways in which a cell can answer
all its atoms at once, and one more, missing, that leaves them all unknown. A category never seen
before answers no to each atom, so `odor = foul` and `odor != none` differ even if the training rows
had no third odor.

A clause is true in one box of column states and not false in another; a rule is true, or not false,
in the union of the boxes of its clauses. Two rules are the same if both unions are. A literal or
clause is dropped only where this, checked by SAT where it is not obvious, keeps the rule the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.column import Column
from gnri.data.encode import truth
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Atom, Schema, column_kinds, values_of
from gnri.rules.dnf import SOLVER, Clause, Literal, SignedDNF, sorted_clauses

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
        """Return where each literal of the clause has this truth (+1 true, 0 not false) or more."""
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


def _answers(atoms: Sequence[Atom], kind: ColumnKind) -> NDArray[np.int8]:
    """Return the distinct answers to the atoms (states, atoms), of a missing cell first."""
    holds, _ = truth(atoms, _cells(atoms, kind))
    table = np.where(holds.T, 1, -1).astype(np.int8)
    return np.concatenate([np.zeros((1, len(atoms)), np.int8), np.unique(table, axis=0)])


def _cells(atoms: Sequence[Atom], kind: ColumnKind) -> Column:
    """Return every cell that the atoms can tell apart."""
    name = atoms[0].column
    match kind:
        case ColumnKind.FLAG:
            return Column(name, kind, np.array([False, True]))
        case ColumnKind.NUMBER:
            return Column(name, kind, _numbers(atoms))
        case ColumnKind.CATEGORY:
            texts = _texts(atoms)
            return Column(name, kind, np.arange(len(texts)), categories=tuple(texts))


def _texts(atoms: Sequence[Atom]) -> list[str]:
    """Return every text that an atom knows, and one that none does."""
    found = (values_of(atom) for atom in atoms if not isinstance(atom, Above))
    known = {str(value) for values in found for value in values}
    return [*sorted(known), max(known, key=len) + "?"]


def _numbers(atoms: Sequence[Atom]) -> NDArray[np.float64]:
    """Return each number that an atom knows, the one right above it, and one below all."""
    known = {
        number
        for atom in atoms
        for number in ([atom.cut] if isinstance(atom, Above) else map(float, values_of(atom)))
    }
    return np.array([-inf, *known, *(nextafter(number, inf) for number in known)])


TRUE, NOT_FALSE = 1, 0


def minimize(rule: SignedDNF, schema: Schema) -> SignedDNF:
    """Return the rule without literals, and then clauses, that change its truth on no row.

    Nothing more can be left out of the result. Where that can be reached in several ways, the
    first in the order of printing is taken; which one depends on how the columns are ordered, so
    it is for reading and running a rule, never for comparing rules.

    >>> from gnri.data.schema import Equals
    >>> schema = Schema((Equals("odor", "foul"), Equals("odor", "none")), ((0, 1),))
    >>> print(minimize(SignedDNF([[(0, True), (1, False)]]), schema))
    x0
    """
    states = States(schema, rule.atoms)
    clauses = [frozenset(items) for items in sorted_clauses(rule)]
    for i, clause in enumerate(clauses):
        for literal in _candidates(schema, clause):
            smaller = clauses[i] - {literal}
            if _covered(smaller, clauses, states):
                clauses[i] = smaller
    clauses = list(dict.fromkeys(clauses))
    for clause in sorted(clauses, key=len, reverse=True):
        others = [other for other in clauses if other != clause]
        if _covered(clause, others, states):
            clauses = others
    return SignedDNF(clauses, rule.positive)


def _candidates(schema: Schema, clause: Clause) -> list[Literal]:
    """Return the literals in the order in which they are tried: negated categories first."""

    def key(literal: Literal) -> tuple[bool, int]:
        category = not isinstance(schema.atoms[literal.atom], Above)
        return not (category and not literal.positive), -literal.atom

    return sorted(clause, key=key)


def _covered(clause: Clause, rule: Iterable[Clause], states: States) -> bool:
    """Return whether the rule is true (not false) wherever the clause is."""
    rule = list(rule)
    return all(
        _within(states.box(clause, least), [states.box(other, least) for other in rule], states)
        for least in (TRUE, NOT_FALSE)
    )


def _within(box: Box, boxes: list[Box], states: States) -> bool:
    """Return whether the box lies in the union of the others; the easy cases need no solver."""
    if not all(box.values()) or any(_inside(box, other) for other in boxes):
        return True
    near = [other for other in boxes if _meet(box, other)]
    return len(near) > 1 and not _escapes(box, near, states)


def _inside(box: Box, other: Box) -> bool:
    return all(column in box and box[column] <= allowed for column, allowed in other.items())


def _meet(box: Box, other: Box) -> bool:
    return all(
        allowed and (column not in box or box[column] & allowed)
        for column, allowed in other.items()
    )


def _escapes(box: Box, boxes: list[Box], states: States) -> bool:
    """Return whether columns can be in states that lie in the box and in none of the others."""
    from pysat.solvers import Solver

    columns = {column for one in (box, *boxes) for column in one}
    number = _numbering(columns, states)
    with Solver(SOLVER, bootstrap_with=_one_state_each(columns, number, states)) as solver:
        for other in boxes:
            solver.add_clause([number[pair] for pair in _outside(other, states)])
        found: Any = solver.solve(assumptions=[-number[pair] for pair in _outside(box, states)])
    return bool(found)


def _numbering(columns: Iterable[str], states: States) -> dict[tuple[str, int], int]:
    pairs = ((column, state) for column in columns for state in range(states.count[column]))
    return {pair: i for i, pair in enumerate(pairs, start=1)}


def _one_state_each(
    columns: Iterable[str], number: dict[tuple[str, int], int], states: States
) -> Iterator[list[int]]:
    for column in columns:
        mine = [number[column, state] for state in range(states.count[column])]
        yield mine
        yield from ([-a, -b] for i, a in enumerate(mine) for b in mine[:i])


def _outside(box: Box, states: States) -> Iterator[tuple[str, int]]:
    """Yield the states that the box forbids."""
    for column, allowed in box.items():
        yield from ((column, s) for s in range(states.count[column]) if s not in allowed)
