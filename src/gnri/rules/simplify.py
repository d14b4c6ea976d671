"""Smaller rules of the same meaning, and the canonical form of a Boolean function."""

from collections.abc import Iterable
from math import gcd
from typing import TypeVar

from gnri.errors import RuleError
from gnri.rules.dnf import Clause, Literal, SignedDNF, absorb, find_minimal
from gnri.rules.scorecard import Scorecard

MAX_CLAUSES = 20_000
"""`blake` gives up past this many clauses at once: prime implicants can be exponentially many."""


R = TypeVar("R", SignedDNF, Scorecard)


def simplify(rule: R) -> R:
    """Return the rule without what changes its truth on no complete row, as far as is plain.

    A DNF loses contradictory and absorbed clauses. A scorecard loses lines that cannot matter and
    a common divisor of its points, and its threshold is a sum of points.

    >>> print(simplify(SignedDNF([[(0, True)], [(0, True), (1, True)], [(2, True), (2, False)]])))
    x0
    >>> print(simplify(Scorecard({(0, True): 4, (1, True): 4, (2, True): 1}, 6)))
    at least 2 of (x0, x1)
    """
    return (
        _simplify_points(rule) if isinstance(rule, Scorecard) else absorb(drop_contradictions(rule))
    )


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


def _simplify_points(card: Scorecard) -> Scorecard:
    """Return the lines that can matter, were all lines independent, in the smallest units."""
    lines, threshold = dict(card.points), card.threshold
    for size in sorted(set(map(abs, lines.values()))):
        level = [line for line, p in lines.items() if abs(p) == size]
        # Of lines with equally many points, either all or none matter.
        if _matters(lines, level[0], threshold):
            break
        for line in level:
            del lines[line]
    low, high = _neighbours(lines.values(), threshold)
    if low is None or high is None:  # always true, or never
        return Scorecard({}, int(low is not None))
    divisor = gcd(*lines.values())
    return Scorecard([(line, p // divisor) for line, p in lines.items()], high // divisor)


def _matters(lines: dict[Clause, int], line: Clause, threshold: int) -> bool:
    """Return whether some sum of other points reaches the threshold only with, or without, it."""
    others = [p for other, p in lines.items() if other != line]
    low, high = _neighbours(others, threshold)
    p = lines[line]
    if p > 0:
        return low is not None and low + p >= threshold
    return high is not None and high + p < threshold


def _neighbours(points: Iterable[int], threshold: int) -> tuple[int | None, int | None]:
    """Return the largest sum of some of the points below the threshold, and the smallest from it.

    >>> _neighbours([2, 5], 3), _neighbours([2, 5], 8)
    ((2, 5), (7, None))
    """
    reachable, least = 1, 0  # bit i: the sum `least` + i
    for p in points:
        reachable |= reachable << abs(p)
        least += min(p, 0)
    place = max(threshold - least, 0)
    below, above = reachable & ((1 << place) - 1), reachable >> place
    return (
        least + below.bit_length() - 1 if below else None,
        least + place + (above & -above).bit_length() - 1 if above else None,
    )
