"""What was learnt from a table: all that the page asks about later, and no more."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Scalar, Schema
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.multiclass import episodes_in_turn
from gnri.estimator.settings import FitSettings
from gnri.messages import shorten
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet, Turns
from gnri.web.schemas import Column, SentRule, given

Rules = tuple[SignedDNF | None, ...]

Report = Callable[[float, str], None]
"""Says how much of a job is done, from 0 to 1, and what is being done."""

MOST_CLAUSES, MOST_LITERALS = 240, 5_000
"""Of all rules together. The search ends at 24 clauses a rule; where rules that were learnt here
have more in all, so may those that come back."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person chose: the target, what each column is read as, and cuts of their own."""

    target: str
    kinds: dict[str, ColumnKind]
    cuts: dict[str, tuple[float, ...]]

    @classmethod
    def of(
        cls, target: str, columns: Mapping[str, Column], kinds: Mapping[str, ColumnKind]
    ) -> "Settings":
        """Return what the columns are read as: as they are, of these kinds, or as is said."""
        found = {name: kind for name, kind in kinds.items() if name != target}
        for name, column in columns.items():
            if name not in kinds:
                raise GnriError(f"the table has no column {shorten(name)}")
            kind = given(column.kind)
            if kind == "leave out":
                found.pop(name, None)
            elif kind is not None and name != target:
                found[name] = ColumnKind(kind)
        cuts = {name: given(columns[name].cuts) for name in columns if name in found}
        return cls(target, found, {name: tuple(own) for name, own in cuts.items() if own})

    def fit_settings(self) -> FitSettings:
        """Return how rules are made by default, with the person's own cuts."""
        cuts = {name: list(own) for name, own in self.cuts.items()}
        return FitSettings(thresholds=cuts or None)


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

    @classmethod
    def of(cls, settings: Settings, fitted: Fitted) -> "Learnt":
        """Return what is kept of fitted rules."""
        values, codes = fitted.rows()
        return cls(
            settings,
            fitted.schema,
            tuple(fitted.classes.tolist()),
            values,
            codes,
            fitted.ruleset.rules,
            fitted.printed.rules,
            fitted.ruleset.majority,
            fitted.ruleset.turns,
            str(fitted.settings.model),
            fitted.seconds,
        )

    @cached_property
    def counter(self) -> Counter:
        """Counts of the rows."""
        return Counter.from_values(self.values, self.codes, len(self.classes))

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

    @property
    def episodes(self) -> dict[int, Episode]:
        """The task that each rule was learnt from, in the order in which they were."""
        return episodes_in_turn(self.ruleset(self.induced), self.values, self.codes)

    def ruleset(self, rules: Sequence[SignedDNF | None]) -> RuleSet:
        """These rules, the person's or the model's, asked in the order of the model's."""
        return RuleSet(self.schema, self.classes, tuple(rules), self.majority, self.turns)

    def read_rules(self, sent: Sequence[SentRule | None] | None) -> Rules:
        """Return the rules that came back from the page; the model's if none did."""
        if sent is None:
            return self.printed
        if len(sent) != len(self.printed):
            raise GnriError(f"'rules' must be {len(self.printed)}, got {len(sent)}")
        own, came = _clauses(self.printed), _clauses(sent)
        clauses, literals = max(MOST_CLAUSES, len(own)), max(MOST_LITERALS, sum(map(len, own)))
        if len(came) > clauses or sum(map(len, came)) > literals:
            raise GnriError(
                f"'rules' may have {clauses:,} clauses and {literals:,} literals in all, got "
                f"{len(came):,} and {sum(map(len, came)):,}; drop some"
            )
        atoms = len(self.schema.atoms)
        if any(atom >= atoms for clause in came for atom, _ in clause):
            raise GnriError(f"a literal is [atom, positive], the atom from 0 to {atoms - 1}")
        return tuple(
            None if rule is None else SignedDNF(rule.clauses, rule.positive) for rule in sent
        )


def _clauses(rules: Sequence[SentRule | SignedDNF | None]) -> list[Any]:
    return [clause for rule in rules if rule is not None for clause in rule.clauses]
