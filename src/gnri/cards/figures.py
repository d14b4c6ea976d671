"""How often something that covers rows is right, and how sure that is."""

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

Z95 = 1.959963984540054
"""The standard normal deviate with 2.5 % above it."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of `rows`, `members` are of the class spoken for; of those covered, `hits` are.

    >>> few = Figures(covered=8, hits=8, members=20, rows=50)
    >>> few.precision, few.lift
    (1.0, 2.5)
    >>> [round(bound, 3) for bound in few.interval]
    [0.676, 1.0]
    """

    covered: int
    hits: int
    members: int
    rows: int

    @property
    def share(self) -> float:
        """Covered rows among all; 0 where there is none."""
        return self.covered / self.rows if self.rows else 0.0

    @property
    def base(self) -> float:
        """Rows of the class among all; 0 where there is none."""
        return self.members / self.rows if self.rows else 0.0

    @property
    def precision(self) -> float | None:
        """Rows of the class among those covered; None where none is covered."""
        return self.hits / self.covered if self.covered else None

    @property
    def recall(self) -> float | None:
        """Covered rows among those of the class; None where it has none."""
        return self.hits / self.members if self.members else None

    @property
    def lift(self) -> float | None:
        """How much likelier the class is where it covers than overall."""
        if self.precision is None or not self.members:
            return None
        return self.precision * self.rows / self.members

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson for the precision; it tells 8 of 8 from 800 of 800."""
        return wilson(self.hits, self.covered)

    def as_dict(self) -> dict[str, Any]:
        """The counts and what follows from them, for JSON."""
        return {
            **asdict(self),
            "share": self.share,
            "precision": self.precision,
            "interval": list(self.interval),
            "recall": self.recall,
            "lift": self.lift,
        }


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """The probabilities p at which `hits` is within Z95 standard deviations of its mean.

    These solve (hits/n - p)^2 = Z95^2 p (1 - p) / n. Nothing tried says nothing: from 0 to 1.
    """
    if not trials:
        return 0.0, 1.0
    z2 = Z95 * Z95
    middle = hits + z2 / 2
    spread = Z95 * sqrt(hits * (trials - hits) / trials + z2 / 4)
    low, high = ((middle + sign * spread) / (trials + z2) for sign in (-1, 1))
    # Rounding alone keeps these two from their exact values.
    return (0.0 if hits == 0 else low), (1.0 if hits == trials else high)
