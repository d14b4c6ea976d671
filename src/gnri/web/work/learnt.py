"""What was learnt from a table: all that the page asks about later, and no more."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Scalar, Schema
from gnri.episode import Episode
from gnri.estimator.learning import episodes_in_turn
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet, Turns

Rules = tuple[SignedDNF | None, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person chose: the target, what each column is read as, and cuts of their own."""

    target: str
    kinds: dict[str, ColumnKind]
    cuts: dict[str, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Learnt:
    """The atoms and the class of each row, and the rules: as induced, and as short as they go.

    Both answer the same on every row there could be. A promise is checked on the first, the
    second is what a person reads and edits.
    """

    settings: Settings
    schema: Schema
    classes: tuple[Scalar, ...]
    values: NDArray[np.int8]
    codes: NDArray[np.intp]
    induced: Rules
    printed: Rules
    majority: int
    turns: Turns
    model: str
    seconds: float

    @cached_property
    def digest(self) -> str:
        """The same for the same rows that are asked the same; what its rules are told apart by,
        as the numbers of their atoms say nothing of the table.
        """
        asked = repr((self.settings.target, self.schema, self.classes)).encode()
        found = blake2b(asked, digest_size=12)
        found.update(np.ascontiguousarray(self.values).data)
        found.update(np.ascontiguousarray(self.codes).data)
        return found.hexdigest()

    @cached_property
    def counter(self) -> Counter:
        """The rows, to be counted."""
        return Counter.from_values(self.values, self.codes, len(self.classes))

    @property
    def episodes(self) -> dict[int, Episode]:
        """The task that each rule was learnt from, in the order in which they were."""
        return episodes_in_turn(self.ruleset(self.induced), self.values, self.codes)

    def ruleset(self, rules: Sequence[SignedDNF | None]) -> RuleSet:
        """These rules, the person's or the model's, asked in the order of the model's."""
        return RuleSet(self.schema, self.classes, tuple(rules), self.majority, self.turns)
