"""Smaller rules of the same meaning, and the canonical form of a Boolean function."""

from gnri.errors import RuleError
from gnri.rules.dnf import Clause, Literal, SignedDNF, absorb, find_minimal

MAX_CLAUSES = 20_000
"""`blake` gives up past this many clauses at once: prime implicants can be exponentially many."""


def simplify(rule: SignedDNF) -> SignedDNF:
    """Return the rule without contradictory and absorbed clauses, the same on complete rows.

    >>> print(simplify(SignedDNF([[(0, True)], [(0, True), (1, True)], [(2, True), (2, False)]])))
    x0
    """
    return absorb(drop_contradictions(rule))


def drop_contradictions(rule: SignedDNF) -> SignedDNF:
    """Return the rule without the clauses that hold an atom and its negation.

    Such a clause is false on every row that shows the atom, and unknown at most where the atom is
    missing. So the truth can change only there, and only from unknown to what it is for every
    value the missing cells could have.
    """
    kept = (c for c in rule.clauses if len({literal.atom for literal in c}) == len(c))
    return SignedDNF(kept, rule.positive)


def blake(rule: SignedDNF) -> SignedDNF:
    """Return the Blake canonical form: all prime implicants of the clauses, with the same sign.

    For two rules of the same sign, blake(a) == blake(b) if and only if they are the same function
    of complete rows. A function can also be written with the other sign, and its two forms differ:
    compare across signs with `equivalent`. On a row with missing values the form says true (false)
    exactly if the rule is true (false) for every value the missing cells could have.

    By Tison's method: one atom after the other, add every consensus on it, then absorb. A
    `RuleError` is raised past `MAX_CLAUSES` clauses at once. The form never depends on how the
    atoms are numbered; whether a rule close to that limit gets there can.

    >>> print(blake(SignedDNF([[(0, True), (1, True)], [(0, False), (2, True)]])))
    x0 & x1 | ~x0 & x2 | x1 & x2
    """
    clauses = find_minimal(drop_contradictions(rule).clauses)
    for atom in sorted(rule.atoms):
        clauses = find_minimal(_with_consensus(clauses, Literal(atom)))
    return SignedDNF(clauses, rule.positive)


def _with_consensus(clauses: set[Clause], literal: Literal) -> set[Clause]:
    """Return the clauses, and p & q for each pair of clauses `literal` & p and ~`literal` & q."""
    grown = set(clauses)
    others = [c - {~literal} for c in clauses if ~literal in c]
    for rest in [c - {literal} for c in clauses if literal in c]:
        opposite = frozenset(~other for other in rest)
        grown.update(rest | other for other in others if opposite.isdisjoint(other))
        if len(grown) > MAX_CLAUSES:
            raise RuleError(
                f"the canonical form needs more than {MAX_CLAUSES} clauses at once (the rule has "
                f"{len(clauses)} before {literal}); use equivalent() to compare such rules"
            )
    return grown
