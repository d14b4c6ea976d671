"""What every form of rule offers, so that the rest of the library need not know which one it is."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.row_expression import Rows


class Rule(Protocol):
    """A Boolean function of atoms in three-valued logic, closed under complement; hashable."""

    form: ClassVar[str]
    """The name of the form, which tells it apart in a document."""

    @property
    def atoms(self) -> frozenset[int]:
        """The atoms that it reads."""

    @property
    def size(self) -> int:
        """The conditions that a reader has to check."""

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return its truth on each row: +1, -1, or 0 where missing cells leave it open."""

    def __invert__(self) -> Self: ...

    def map_literals(self, to: Callable[[Literal], Literal]) -> Self:
        """Return it with each literal replaced: all that a symmetry needs."""

    def where(self, truth: int) -> Rows:
        """Return the rows on which it is true (+1) or false (-1): all that counting needs."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain lists and flags, for JSON."""

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the rule that `to_dict` wrote."""


FORMS: dict[str, type[Rule]] = {form.form: form for form in (SignedDNF,)}
"""The forms of rules by name; a further one stands here and nowhere else."""
