"""Decide exactly whether two rules are the same Boolean function."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import count
from typing import Any

from gnri.errors import RuleError
from gnri.rules.dnf import Clause
from gnri.rules.scorecard import AnyRule, Scorecard
from gnri.rules.simplify import drop_contradictions


def equivalent(a: AnyRule, b: AnyRule, atoms: int | None = None) -> bool:
    """Return whether two rules agree on every row without missing cells.

    With `atoms`, raise if a rule reads an atom that is not below that number. Rules of the same
    sign agree if each clause of one implies the DNF of the other, and conversely. Rules of opposite
    signs agree if exactly one of the two DNFs is true on every row. A SAT solver decides what
    implies what, so rows are never enumerated and the number of atoms is not limited. If one is a
    scorecard, the solver looks for a row on which only one of the two is true.

    >>> from gnri.rules.syntax import parse
    >>> equivalent(parse("x0 & x1 | ~x0 & x2"), parse("x0 & x1 | ~x0 & x2 | x1 & x2"))
    True
    >>> equivalent(parse("x0 & x1"), parse("~(~x0 | ~x1)"))
    True
    >>> equivalent(parse("x0 & x1 | x2"), parse("x0 + x1 + 2*x2 >= 2"))
    True
    """
    _check_atoms(a, b, atoms)
    if isinstance(a, Scorecard) or isinstance(b, Scorecard):
        return not _Formula().can_differ(a, b)
    first, second = (drop_contradictions(rule).clauses for rule in (a, b))
    if a.positive == b.positive:
        return _implies(first, second) and _implies(second, first)
    always: frozenset[Clause] = frozenset([frozenset()])  # the empty clause is true on every row
    return _exclusive(first, second) and _implies(always, first | second)


def _implies(clauses: frozenset[Clause], rule: frozenset[Clause]) -> bool:
    """Return whether the DNF `clauses` implies the DNF `rule`.

    It does if no clause can be true together with the negated rule.
    """
    from pysat.solvers import Minisat22

    # Number the atoms 1, 2, ... anew: a solver uses memory for each number up to the largest.
    number: defaultdict[int, int] = defaultdict(count(1).__next__)
    negated_rule = [[-signed for signed in _signed(clause, number)] for clause in rule]
    with Minisat22(bootstrap_with=negated_rule) as solver:
        return not any(
            solver.solve(assumptions=_signed(clause, number)) for clause in clauses - rule
        )


def _signed(clause: Clause, number: Mapping[Any, int]) -> list[int]:
    """Return the literals of a clause as the solver takes them: negative if negated."""
    return [number[atom] if positive else -number[atom] for atom, positive in clause]


def _exclusive(first: frozenset[Clause], second: frozenset[Clause]) -> bool:
    """Return whether no row satisfies both DNFs: each pair of clauses has opposite literals."""
    opposites = [frozenset(~literal for literal in clause) for clause in first]
    return not any(opposite.isdisjoint(clause) for opposite in opposites for clause in second)


class _Formula:
    """Clauses for a SAT solver, with a variable for each rule, line and partial sum."""

    def __init__(self) -> None:
        self._clauses: list[list[int]] = []
        self._number: defaultdict[object, int] = defaultdict(count(1).__next__)
        self._true = self._number["true"]
        self._clauses.append([self._true])

    def can_differ(self, a: AnyRule, b: AnyRule) -> bool:
        """Return whether a row makes one rule true and the other false."""
        from pysat.solvers import Minisat22

        first, second = self._rule(a), self._rule(b)
        self._clauses += [[first, second], [-first, -second]]
        with Minisat22(bootstrap_with=self._clauses) as solver:
            return bool(solver.solve())

    def _rule(self, rule: AnyRule) -> int:
        if isinstance(rule, Scorecard):
            lines = [(self._all(_signed(line, self._number)), p) for line, p in rule.lines]
            return self._reaches(lines, rule.threshold, {})
        clauses = [-self._all(_signed(clause, self._number)) for clause in rule.clauses]
        return -self._all(clauses) if rule.positive else self._all(clauses)

    def _all(self, parts: list[int]) -> int:
        """Return a variable that is true where all parts are."""
        if len(parts) == 1:
            return parts[0]
        variable = self._number[len(self._number), "all"]
        self._clauses += [[-variable, part] for part in parts]
        self._clauses.append([variable, *(-part for part in parts)])
        return variable

    def _reaches(self, lines: list[tuple[int, int]], need: int, known: dict[object, int]) -> int:
        """Return a variable that is true where the lines give at least the points needed."""
        if sum(min(p, 0) for _, p in lines) >= need:
            return self._true
        if sum(max(p, 0) for _, p in lines) < need:
            return -self._true
        key = len(lines), need
        if key not in known:
            (line, p), *rest = lines
            yes, no = (self._reaches(rest, need - q, known) for q in (p, 0))
            known[key] = variable = self._number[len(self._number), "sum"]
            self._clauses += [[-line, -variable, yes], [-line, variable, -yes]]
            self._clauses += [[line, -variable, no], [line, variable, -no]]
        return known[key]


def _check_atoms(a: AnyRule, b: AnyRule, atoms: int | None) -> None:
    largest = max(a.atoms | b.atoms, default=-1)
    if atoms is not None and largest >= atoms:
        raise RuleError(
            f"with atoms={atoms} the rules may read only atoms below x{atoms}, but one reads "
            f"x{largest}; pass the number of columns of the table they are for"
        )
