"""The rules of a table in parts: two passes over the files, and the rest on packed bits."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from gnri.binarizer.transformer import Binarizer
from gnri.counts.counted import Counter, counted_tables
from gnri.counts.table import Table
from gnri.estimator.multiclass import Glance, Turns, class_weights, in_turn
from gnri.estimator.statistics import RuleCard
from gnri.model.guided.guided import Guided
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet
from gnri.scale.atoms import fitted
from gnri.scale.cards import cards_of
from gnri.scale.induction import glance_tables, induce_table
from gnri.scale.labels import labels_of
from gnri.scale.packing import Packing
from gnri.counts.executors import Place
from gnri.scale.source import Source
from gnri.scale.votes import votes_of, where_true
from gnri.search.limits import DEFAULT, Limits

READINGS = 2
"""Passes over the files themselves."""


@dataclass(frozen=True, eq=False)
class Learnt(AbstractContextManager["Learnt"]):
    """The rules of the classes, and the rows, which can be asked for more.

    It is to be closed, or used with `with`: the packed rows are then let go.
    """

    classes: NDArray[Any]
    rules: Turns
    binarizer: Binarizer
    missing: dict[str, int]  # cells of each column
    counter: Counter

    def votes(self, ruleset: RuleSet) -> tuple[tuple[int, ...], ...]:
        """The rows of each class that the rules of a set answer alike."""
        return votes_of(self.counter, ruleset)

    def cards(self, ruleset: RuleSet) -> tuple[RuleCard, ...]:
        """How the rules of a set, and their clauses, do on the rows."""
        return cards_of(self.counter, ruleset)

    @property
    def sizes(self) -> list[int]:
        """The rows of each class."""
        return [int(rows) for rows in self.counter.rows]

    @property
    def passes(self) -> int:
        """Passes over the packed rows so far."""
        return self.counter.blocks.passes

    def __exit__(self, *_: object) -> None:
        self.counter.blocks.close()


def learn(
    source: Source,
    model: Guided,
    place: Place,
    *,
    binarizer: Binarizer | None = None,
    limits: Limits = DEFAULT,
) -> Learnt:
    """The rules that `RuleClassifier(model)` would find on all rows of the parts in memory."""
    parts = source.parts
    *columns, label = place.summaries(parts, [*source.columns, source.target])
    labels = labels_of(label, source.target, parts[0].text)
    found = fitted(binarizer or Binarizer(), [one.decided() for one in columns], labels.rows)
    packing = Packing(found.schema_, source.target, labels.places, len(labels.classes))
    blocks = place.blocks(parts, packing)
    try:
        rows = _Rows(Counter(blocks), len(found.schema_.atoms), model, limits)
        rules = in_turn(rows) if len(labels.classes) > 2 else rows.of_two()
    except BaseException:
        blocks.close()
        raise
    missing = {one.name: one.missing for one in columns}
    return Learnt(labels.classes, rules, found, missing, rows.all)


class _Rows:
    """Packed rows that rules take from; see `gnri.estimator.multiclass.Rows`."""

    def __init__(self, counter: Counter, atoms: int, model: Guided, limits: Limits) -> None:
        self.all = self._left = counter
        self._atoms, self._model, self._limits = atoms, model, limits

    def left(self) -> list[int]:
        return [int(rows) for rows in self._left.rows]

    def glance(self) -> list[Glance | None]:
        kinds = range(len(self._left.rows))
        rules = glance_tables(self._model, self._tables(kinds), self._limits)
        return [self._glance(*pair) for pair in zip(kinds, rules, strict=True)]

    def learn(self, kinds: Sequence[int]) -> list[SignedDNF | None]:
        return [induce_table(self._model, one, self._limits) for one in self._tables(kinds)]

    def take(self, rules: Sequence[SignedDNF]) -> None:
        for rule in rules:
            self._left = self._left.rest(where_true(rule))

    def of_two(self) -> Turns:
        """The one rule of two classes."""
        first, second = self.left()
        return Turns(tuple(self.learn([1])), (), int(second > first))

    def _tables(self, kinds: Sequence[int]) -> list[Table]:
        """The table of each class against the others that are there."""
        left = self.left()
        there = sum(rows > 0 for rows in left)
        targets = {kind: class_weights(left[kind], sum(left), there)[0] for kind in kinds}
        return counted_tables(self._left, self._atoms, targets, self._limits.negations)

    def _glance(self, kind: int, rule: SignedDNF | None) -> Glance | None:
        if rule is None:
            return None
        taken = self._left.sizes([where_true(rule)])[0]
        return Glance(int(taken[kind]), int(taken.sum()), rule.size)
