"""How large a rule may grow, and how long the search may look for it."""

from collections.abc import Collection
from dataclasses import dataclass

from gnri.errors import RuleError


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
