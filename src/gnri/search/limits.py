"""How large a rule may grow, and how long the search may look for it.

The limits that a user sets on the search.
"""

from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral

from gnri.errors import GnriError, RuleError


@dataclass(frozen=True, slots=True)
class Limits:
    """What the search may do. Identical literals count as one."""

    max_clauses: int = 24
    max_literals: int = 8  # in one clause
    negations: bool = True  # whether a clause may hold negated atoms
    steps: int = 400  # changes of the rule, over all its clauses, on one rail
    purity: bool = True  # whether a new clause may grow towards purity, and not by cost alone

    def __post_init__(self) -> None:
        for name in ("max_clauses", "max_literals", "steps"):
            if getattr(self, name) < 0:
                raise RuleError(f"{name} must be 0 or more, got {getattr(self, name)}")

    def allow(self, clauses: Collection[Collection[object]]) -> bool:
        """Whether a rule keeps to the limits."""
        return len(clauses) <= self.max_clauses and all(
            len(clause) <= self.max_literals for clause in clauses
        )


DEFAULT = Limits()


def limits_of(max_clauses: object, max_literals: object, negations: object) -> Limits:
    """What was set, checked; the rest, None, is as in every search."""
    if not isinstance(negations, bool):
        raise GnriError(f"negations must be True or False, got {negations!r}")
    return Limits(
        max_clauses=_size("max_clauses", max_clauses, DEFAULT.max_clauses),
        max_literals=_size("max_literals", max_literals, DEFAULT.max_literals),
        negations=negations,
    )


def _size(name: str, given: object, default: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise GnriError(f"{name} must be a whole number from 1 up, or None, got {given!r}")
    return int(given)
