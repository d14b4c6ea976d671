"""Decide exactly whether two rules are the same Boolean function."""

from collections import defaultdict
from itertools import count

from gnri.errors import RuleError
from gnri.rules.dnf import Clause, SignedDNF
from gnri.rules.simplify import drop_contradictions


def equivalent(a: SignedDNF, b: SignedDNF, atoms: int | None = None) -> bool:
    """Return whether two rules agree on every row without missing cells.

    With `atoms`, raise if a rule reads an atom that is not below that number. Rules of the same
    sign agree if each clause of one implies the DNF of the other, and conversely. Rules of opposite
    signs agree if exactly one of the two DNFs is true on every row. A SAT solver decides what
    implies what, so rows are never enumerated and the number of atoms is not limited.

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


def _signed(clause: Clause, number: dict[int, int]) -> list[int]:
    """Return the literals of a clause as the solver takes them: negative if negated."""
    return [number[atom] if positive else -number[atom] for atom, positive in clause]


def _exclusive(first: frozenset[Clause], second: frozenset[Clause]) -> bool:
    """Return whether no row satisfies both DNFs: each pair of clauses has opposite literals."""
    opposites = [frozenset(~literal for literal in clause) for clause in first]
    return not any(opposite.isdisjoint(clause) for opposite in opposites for clause in second)


def _check_atoms(a: SignedDNF, b: SignedDNF, atoms: int | None) -> None:
    largest = max(a.atoms | b.atoms, default=-1)
    if atoms is not None and largest >= atoms:
        raise RuleError(
            f"with atoms={atoms} the rules may read only atoms below x{atoms}, but one reads "
            f"x{largest}; pass the number of columns of the table they are for"
        )
