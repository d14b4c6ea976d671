"""Decide exactly whether two rules are the same Boolean function."""

from collections.abc import Iterable
from typing import Any

from gnri.errors import RuleError
from gnri.rules.dnf import SOLVER, Clause, SignedDNF
from gnri.rules.simplify import is_contradiction


def equivalent(a: SignedDNF, b: SignedDNF, atoms: int | None = None) -> bool:
    """Return whether two rules agree on every complete row, by SAT at any number of atoms.

    With `atoms`, both rules must read only atoms below that number. Rules of the same sign agree
    if each clause of one implies the other rule; rules of opposite signs agree if one of the two
    DNFs always holds, and never both.

    >>> from gnri.rules.syntax import parse
    >>> equivalent(parse("x0 & x1 | ~x0 & x2"), parse("x0 & x1 | ~x0 & x2 | x1 & x2"))
    True
    >>> equivalent(parse("x0 & x1"), parse("~(~x0 | ~x1)"))
    True
    """
    _check_atoms(a, b, atoms)
    first, second = (
        frozenset(clause for clause in rule.clauses if not is_contradiction(clause))
        for rule in (a, b)
    )
    if a.positive == b.positive:
        return _implies(first, second) and _implies(second, first)
    return _exclusive(first, second) and _always(first | second)


def _implies(clauses: frozenset[Clause], rule: frozenset[Clause]) -> bool:
    """Return whether each of `clauses` implies the OR `rule`: it contradicts the negated rule."""
    number = _numbering(clauses | rule)
    with _negation(rule, number) as solver:
        return not any(
            solver.solve(assumptions=_signed(clause, number)) for clause in clauses - rule
        )


def _always(rule: frozenset[Clause]) -> bool:
    """Return whether the OR `rule` is true on every row."""
    with _negation(rule, _numbering(rule)) as solver:
        return not solver.solve()


def _exclusive(first: frozenset[Clause], second: frozenset[Clause]) -> bool:
    """Return whether no row satisfies both, that is, each pair of clauses disagrees on an atom."""
    opposites = [frozenset(~literal for literal in clause) for clause in first]
    return not any(opposite.isdisjoint(clause) for opposite in opposites for clause in second)


def _negation(rule: frozenset[Clause], number: dict[int, int]) -> Any:
    """Return a solver that holds NOT `rule`, which is already a CNF."""
    from pysat.solvers import Solver

    cnf = [[-signed for signed in _signed(clause, number)] for clause in rule]
    return Solver(SOLVER, bootstrap_with=cnf)


def _numbering(clauses: Iterable[Clause]) -> dict[int, int]:
    """Return the atoms as 1, 2, ...: solvers make room for every number up to the largest."""
    atoms = {literal.atom for clause in clauses for literal in clause}
    return {atom: number for number, atom in enumerate(sorted(atoms), start=1)}


def _signed(clause: Clause, number: dict[int, int]) -> list[int]:
    return [number[atom] if positive else -number[atom] for atom, positive in clause]


def _check_atoms(a: SignedDNF, b: SignedDNF, atoms: int | None) -> None:
    largest = max(a.atoms | b.atoms, default=-1)
    if atoms is not None and largest >= atoms:
        raise RuleError(
            f"with atoms={atoms} the rules may read only atoms below x{atoms}, but one reads "
            f"x{largest}; pass the number of columns of the table they are for"
        )
