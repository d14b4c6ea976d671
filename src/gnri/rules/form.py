"""The interface of a rule: what the rest of the library may use, whatever the form of the rule."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gnri.rules.row_expression import Rows

if TYPE_CHECKING:
    from gnri.rules.dnf import Clause, Literal


class Rule(Protocol):
    """A Boolean function of atoms in three-valued logic, closed under complement; hashable."""

    __slots__ = ()

    form: ClassVar[str]
    """The name of the form, as in a JSON document."""

    @property
    def lines(self) -> "Sequence[tuple[Clause, int | None]]":
        """The clauses as they are printed, each with its points; None in a form without points."""

    @property
    def atoms(self) -> frozenset[int]:
        """The atoms that the rule reads."""
        return frozenset(literal.atom for line, _ in self.lines for literal in line)

    @property
    def size(self) -> int:
        """The number of literals, which a reader has to check, over all clauses."""
        return sum(len(line) for line, _ in self.lines)

    def __str__(self) -> str:
        from gnri.rules.syntax import render

        return render(self)  # type: ignore[arg-type]

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth of the rule on each row: +1, -1, or 0 where unknown."""

    def decide(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth that predictions use, in which missing cells may count half."""

    def __invert__(self) -> Self: ...

    def map_literals(self, to: "Callable[[Literal], Literal]") -> Self:
        """Return the rule with each literal replaced: all that a symmetry needs."""

    def where(self, truth: int) -> Rows:
        """Return the rows on which `decide` is +1 or -1: all that counting needs."""

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain lists and flags, for JSON."""
