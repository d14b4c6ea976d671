"""Decide exactly whether two rules are the same Boolean function."""

from collections import defaultdict
from itertools import count

from gnri.errors import RuleError
from gnri.rules.dnf import Clause, SignedDNF
from gnri.rules.simplify import drop_contradictions


def equivalent(a: SignedDNF, b: SignedDNF, atoms: int | None = None) -> bool:
    """Return whether two rules agree on every complete row, at any number of atoms.

    With `atoms`, both rules must read only atoms below that number. Rules of the same sign agree
    if each clause of one implies the other rule; rules of opposite signs agree if one of the two
    DNFs always holds, and never both. A SAT solver decides both.

    >>> from gnri.rules.syntax import parse
    >>> equivalent(parse("x0 & x1 | ~x0 & x2"), parse("x0 & x1 | ~x0 & x2 | x1 & x2"))
    True
    >>> equivalent(parse("x0 & x1"), parse("~(~x0 | ~x1)"))
    True
    """
    _check_atoms(a, b, atoms)
    first, second = (drop_contradictions(rule).clauses for rule in (a, b))
    if a.positive == b.positive:
        return _implies(first, second) and _implies(second, first)
    return _exclusive(first, second) and _implies(frozenset([frozenset()]), first | second)


def _implies(clauses: frozenset[Clause], rule: frozenset[Clause]) -> bool:
    """Return whether each of `clauses` implies the OR `rule`: it contradicts the negated rule."""
    from pysat.solvers import Minisat22

    # Atoms get the numbers 1, 2, ...: a solver takes memory for each number up to the largest.
    number: defaultdict[int, int] = defaultdict(count(1).__next__)
    negated_rule = [[-signed for signed in _signed(clause, number)] for clause in rule]
    with Minisat22(bootstrap_with=negated_rule) as solver:
        return not any(
            solver.solve(assumptions=_signed(clause, number)) for clause in clauses - rule
        )


def _signed(clause: Clause, number: dict[int, int]) -> list[int]:
    return [number[atom] if positive else -number[atom] for atom, positive in clause]


def _exclusive(first: frozenset[Clause], second: frozenset[Clause]) -> bool:
    """Return whether no row satisfies both, that is, each pair of clauses disagrees on an atom."""
    opposites = [frozenset(~literal for literal in clause) for clause in first]
    return not any(opposite.isdisjoint(clause) for opposite in opposites for clause in second)


def _check_atoms(a: SignedDNF, b: SignedDNF, atoms: int | None) -> None:
    largest = max(a.atoms | b.atoms, default=-1)
    if atoms is not None and largest >= atoms:
        raise RuleError(
            f"with atoms={atoms} the rules may read only atoms below x{atoms}, but one reads "
            f"x{largest}; pass the number of columns of the table they are for"
        )
