"""The rules of a table in parts: two passes over the files, and the rest on packed bits."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from gnri.binarizer.transformer import Binarizer
from gnri.cards.card import RuleCard
from gnri.counts.counted import Counter, counted_tables
from gnri.episodes.weights import class_weights
from gnri.logic.formula import SignedDNF
from gnri.model.guided.inducer import Guided
from gnri.render.classifier import RuleSet
from gnri.scale.atoms import fitted
from gnri.scale.cards import cards_of
from gnri.scale.induction import induce_table
from gnri.scale.labels import labels_of
from gnri.scale.packing import Packing
from gnri.scale.places import Place
from gnri.scale.source import Source
from gnri.scale.votes import Share, shares_of
from gnri.search.limits import DEFAULT, Limits

READINGS = 2
"""Passes over the files themselves."""


@dataclass(frozen=True, eq=False)
class Learnt(AbstractContextManager["Learnt"]):
    """The rule of each class, what it says of it, and the rows, which can be asked for more.

    It is to be closed, or used with `with`: the packed rows are then let go.
    """

    classes: NDArray[Any]
    rules: list[SignedDNF | None]
    shares: list[tuple[Share, Share, Share]]  # where a rule is true, where false, overall
    binarizer: Binarizer
    missing: dict[str, int]  # cells of each column
    counter: Counter

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
        counter = Counter(blocks)
        classes = len(labels.classes)
        kinds = [1] if classes == 2 else list(range(classes))
        total = int(counter.rows.sum())
        targets = {
            kind: class_weights(int(counter.rows[kind]), total, classes)[0] for kind in kinds
        }
        tables = counted_tables(counter, len(found.schema_.atoms), targets, limits.negations)
        rules = [induce_table(model, table, limits) for table in tables]
        shares = shares_of(counter, rules, kinds)
    except BaseException:
        blocks.close()
        raise
    missing = {one.name: one.missing for one in columns}
    return Learnt(labels.classes, rules, shares, found, missing, counter)
