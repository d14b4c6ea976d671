"""The interface of a rule: what the rest of the library may use, whatever the form of the rule."""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.row_expression import Rows
from gnri.rules.scorecard import Scorecard


class Rule(Protocol):
    """A Boolean function of atoms in three-valued logic, closed under complement; hashable."""

    form: ClassVar[str]
    """The name of the form, as in a JSON document."""

    @property
    def atoms(self) -> frozenset[int]:
        """The atoms that the rule reads."""

    @property
    def size(self) -> int:
        """The number of conditions that a reader has to check."""

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth of the rule on each row: +1, -1, or 0 where unknown."""

    def decide(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth that predictions use, in which missing cells may count half."""

    def __invert__(self) -> Self: ...

    def map_literals(self, to: Callable[[Literal], Literal]) -> Self:
        """Return the rule with each literal replaced: all that a symmetry needs."""

    def where(self, truth: int) -> Rows:
        """Return the rows on which `decide` is +1 or -1: all that counting needs."""

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain lists and flags, for JSON."""


FORMS: dict[str, type[Rule]] = {form.form: form for form in (SignedDNF, Scorecard)}
"""The forms of rules by name. A new form also needs `express` and a struct in `documents`."""
