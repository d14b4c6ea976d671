"""The rules of a table in parts: two passes over the files, and the rest on packed bits."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from gnri.binarizer.transformer import Binarizer
from gnri.counts.counter import Counter
from gnri.estimator.leaf_counts import votes_of
from gnri.estimator.learners import ModelLearner
from gnri.estimator.multiclass import Turns, learn_classes
from gnri.estimator.statistics import RuleCard, rule_cards
from gnri.model.guided.guided import Guided
from gnri.rules.rule_list import RuleSet
from gnri.scale.atoms import fitted
from gnri.scale.labels import labels_of
from gnri.scale.packing import Packing
from gnri.scale.places import Place
from gnri.scale.source import Source
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
        return rule_cards(self.counter, ruleset)

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
        rules = learn_classes(counter, len(found.schema_.atoms), ModelLearner(model, True, limits))
    except BaseException:
        blocks.close()
        raise
    missing = {one.name: one.missing for one in columns}
    return Learnt(labels.classes, rules, found, missing, counter)
