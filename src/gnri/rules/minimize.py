"""Write a rule in fewer literals that answers the same on every row there could be.

Atoms of one column read one cell, so they depend on each other: a number above 45 is above 30, and
a cell holds at most one category. A state of a column is one way in which a cell can answer all its
atoms at once; a missing cell is a state too, in which they all are unknown. A category never seen
before answers no to each atom, so `odor = foul` and `odor != none` differ even if the training rows
had no third odor.

A box allows each column some of its states. A clause is true in one box and not false in another; a
rule is true, or not false, in the union of the boxes of its clauses. A literal or clause is dropped
only if both unions stay the same; a SAT solver decides this where it is not obvious.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, compress, product
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import answer_cells
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Atom, Scalar, Schema, column_kinds, values_of
from gnri.rules.dnf import Clause, Literal, SignedDNF, absorb, multiply_out
from gnri.rules.scorecard import AnyRule

Box = frozenset[int]
"""The states that a box forbids."""


class States:
    """The states, numbered from 1 on, of the columns that some atoms of a schema read."""

    def __init__(self, schema: Schema, atoms: Iterable[int]) -> None:
        self.schema = schema
        self._columns: list[range] = []
        self._forbidden: dict[tuple[Literal, int], Box] = {}
        places: dict[str, list[int]] = {}
        for i in sorted(atoms):
            places.setdefault(schema.atoms[i].column, []).append(i)
        kinds = column_kinds(schema.atoms[i] for column in places.values() for i in column)
        end = 1
        for column, members in places.items():
            answers = _answers([schema.atoms[i] for i in members], kinds[column])
            states = range(end, end + len(answers))
            self._columns.append(states)
            end = states.stop
            for (i, truths), least in product(zip(members, answers.T, strict=True), (1, 0)):
                for literal, own in ((Literal(i), truths), (Literal(i, False), -truths)):
                    self._forbidden[literal, least] = frozenset(compress(states, own < least))

    def box(self, clause: Clause, least: int) -> Box:
        """Return where each literal of the clause has this truth (+1 true, 0 not false) or more."""
        return Box().union(*(self._forbidden[literal, least] for literal in clause))

    def is_empty(self, box: Box) -> bool:
        """Return whether the box forbids every state of a column."""
        return any(box.issuperset(states) for states in self._columns)

    def within(self, box: Box, boxes: list[Box]) -> bool:
        """Return whether the box lies in the union of others; the easy cases need no solver."""
        if self.is_empty(box) or any(other <= box for other in boxes):
            return True
        near = [other for other in boxes if not self.is_empty(box | other)]
        return len(near) > 1 and not self._escapes(box, near)

    def _escapes(self, box: Box, boxes: list[Box]) -> bool:
        """Return whether columns can be in states that lie in the box and in none of the others."""
        from pysat.solvers import Minisat22

        read = box.union(*boxes)
        # The variable of a state says that its column is in that state.
        with Minisat22() as solver:
            for states in self._columns:
                if not read.isdisjoint(states):
                    solver.add_clause(states)
                    for first, second in combinations(states, 2):
                        solver.add_clause([-first, -second])
            for other in boxes:
                solver.add_clause(other)
            return bool(solver.solve(assumptions=[-state for state in box]))


def _answers(atoms: Sequence[Atom], kind: ColumnKind) -> NDArray[np.int8]:
    """Return the distinct answers to the atoms (states, atoms), of a missing cell first."""
    answers = answer_cells(atoms, kind, _cells(atoms, kind))
    return np.concatenate([np.zeros((1, len(atoms)), np.int8), np.unique(answers, axis=0)])


def _cells(atoms: Sequence[Atom], kind: ColumnKind) -> list[Scalar]:
    """Return every cell that the atoms can tell apart."""
    known = {
        value
        for atom in atoms
        for value in ([atom.cut] if isinstance(atom, Above) else values_of(atom))
    }
    match kind:
        case ColumnKind.FLAG:
            return [False, True]
        case ColumnKind.NUMBER:  # each known number, the next one above it, and one below all
            numbers = [float(value) for value in known]
            return [-inf, *numbers, *(nextafter(number, inf) for number in numbers)]
        case ColumnKind.CATEGORY:  # each known text, and one that no atom knows
            texts = [str(value) for value in known]
            return [*texts, max(texts, key=len) + "?"]


def minimize(rule: AnyRule, schema: Schema, *, negations: bool = True) -> AnyRule:
    """Return the rule in fewer words, with the same truth on every row.

    Literals, and then clauses, that change nothing are dropped, until nothing more can be left out.
    With `negations`, a complement is written out where that takes no more words: not (a or not b)
    is not a and b. Where that can be reached in several ways, the first in the order of printing is
    taken; which one depends on how the columns are ordered, so it is for reading and running a
    rule, never for comparing rules.

    >>> from gnri.data.schema import Equals
    >>> schema = Schema((Equals("odor", "foul"), Equals("odor", "none")), ((0, 1),))
    >>> print(minimize(SignedDNF([[(0, True), (1, False)]]), schema))
    x0
    """
    if not isinstance(rule, SignedDNF):
        return rule  # every line of a scorecard counts for its probabilities
    states = States(schema, rule.atoms)
    short = _drop(rule, states)
    if short.positive or not negations:
        return short
    opposite = _drop(multiply_out(short, short.size, absorb) or short, states)
    possible = not any(states.is_empty(states.box(clause, 1)) for clause in opposite.clauses)
    shorter = _words(opposite, schema) <= _words(short, schema)
    return opposite if possible and shorter else short


def _drop(rule: SignedDNF, states: States) -> SignedDNF:
    """Return the rule without literals, and then clauses, that change its truth on no row."""
    clauses = [clause for clause, _ in rule.lines]
    for i, clause in enumerate(clauses):
        for literal in _candidates(states.schema, clause):
            smaller = clauses[i] - {literal}
            if _covered(smaller, clauses, states):
                clauses[i] = smaller
    clauses = list(dict.fromkeys(clauses))
    for clause in sorted(clauses, key=len, reverse=True):
        others = [other for other in clauses if other != clause]
        if _covered(clause, others, states):
            clauses = others
    return SignedDNF(clauses, rule.positive)


def _words(rule: SignedDNF, schema: Schema) -> tuple[int, int]:
    """Return how many conditions and lines a rule takes; `not` counts as one more condition."""
    total = 0
    for clause in rule.clauses:
        # Thresholds on a column are joined into a range, and excluded values into a list.
        atoms = [(schema.atoms[atom], positive) for atom, positive in clause]
        joined = {(atom.column, positive or isinstance(atom, Above)) for atom, positive in atoms}
        total += sum(1 if plain else 2 for _, plain in joined)
    return total, len(rule.clauses)


def _candidates(schema: Schema, clause: Clause) -> list[Literal]:
    """Return the literals in the order in which to try them: negated categories first."""
    above = {one for one in clause if isinstance(schema.atoms[one.atom], Above)}
    return sorted(clause, key=lambda one: (one.positive or one in above, -one.atom))


def _covered(clause: Clause, rule: list[Clause], states: States) -> bool:
    """Return whether the rule is true (and not false) wherever the clause is."""
    return all(
        states.within(states.box(clause, least), [states.box(other, least) for other in rule])
        for least in (1, 0)
    )
