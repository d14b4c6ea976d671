"""Decide exactly whether two rules are the same Boolean function."""

from collections import defaultdict
from itertools import count

from gnri.errors import RuleError
from gnri.rules.dnf import Clause
from gnri.rules.scorecard import AnyRule, Scorecard


def equivalent(a: AnyRule, b: AnyRule, atoms: int | None = None) -> bool:
    """Return whether two rules agree on every row without missing cells.

    With `atoms`, raise if a rule reads an atom that is not below that number. A SAT solver looks
    for a row on which only one of the two is true, so rows are never enumerated and the number of
    atoms is not limited.

    >>> from gnri.rules.syntax import parse
    >>> equivalent(parse("x0 & x1 | ~x0 & x2"), parse("x0 & x1 | ~x0 & x2 | x1 & x2"))
    True
    >>> equivalent(parse("x0 & x1"), parse("~(~x0 | ~x1)"))
    True
    >>> equivalent(parse("x0 & x1 | x2"), parse("x0 + x1 + 2*x2 >= 2"))
    True
    """
    largest = max(a.atoms | b.atoms, default=-1)
    if atoms is not None and largest >= atoms:
        raise RuleError(
            f"with atoms={atoms} the rules may read only atoms below x{atoms}, but one reads "
            f"x{largest}; pass the number of columns of the table they are for"
        )
    return not _Formula().can_differ(a, b)


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
            return self._reaches([(self._clause(c), p) for c, p in rule.lines], rule.threshold, {})
        none_holds = self._all([-self._clause(clause) for clause in rule.clauses])
        return -none_holds if rule.positive else none_holds

    def _clause(self, clause: Clause) -> int:
        # Atoms are numbered 1, 2, ... anew: a solver uses memory for each number up to the largest.
        signs = [(self._number[atom], positive) for atom, positive in clause]
        return self._all([number if positive else -number for number, positive in signs])

    def _all(self, parts: list[int]) -> int:
        """Return a variable that is true where all parts are; equal parts have the same one."""
        if len(parts) == 1:
            return parts[0]
        key = frozenset(parts)
        if key not in self._number:
            self._clauses += [[-self._number[key], part] for part in parts]
            self._clauses.append([self._number[key], *(-part for part in parts)])
        return self._number[key]

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
