"""From atoms and classes to the rules that tell the classes apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Schema
from gnri.episode import Episode
from gnri.estimator.leaf_counts import Votes, votes_of
from gnri.estimator.multiclass import Glance, Turns, class_weights, in_turn
from gnri.estimator.statistics import RuleCard, rule_cards
from gnri.estimator.training import TrainingRows, training_rows
from gnri.rules.dnf import SignedDNF
from gnri.rules.minimize import shortened
from gnri.rules.rule_list import RuleSet

Induce = Callable[[Sequence[Episode]], list[SignedDNF | None]]


class Inducing(NamedTuple):
    """How rules come about: those that count, and quick ones that show how sure a class is."""

    rules: Induce
    glances: Induce


@dataclass(frozen=True, eq=False, slots=True)
class Fitted:
    """What a table taught; see `RuleClassifier`, whose attributes these are."""

    classes: NDArray[Any]
    votes: Votes
    ruleset: RuleSet
    printed: RuleSet
    cards: tuple[RuleCard, ...]
    training: TrainingRows


def fit_rules(
    schema: Schema,
    values: NDArray[np.int8],
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    inducing: Inducing,
) -> Fitted:
    """The rules of the classes, from the truth of the atoms and the class of each row."""
    ruleset = learn_rules(schema, values, classes, codes, inducing)
    printed = shortened(ruleset)
    cards = rule_cards(printed, values, codes)
    votes = votes_of(ruleset, values, codes)
    return Fitted(classes, votes, ruleset, printed, cards, training_rows(ruleset, values, codes))


def learn_rules(
    schema: Schema,
    values: NDArray[np.int8],
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    inducing: Inducing,
) -> RuleSet:
    """One rule for two classes; more are asked for in turn."""
    if len(classes) > 2:
        return ruleset_of(schema, classes, in_turn(_Rows(values, codes, len(classes), inducing)))
    majority = int(2 * codes.sum() > len(codes))
    rules = tuple(inducing.rules(episodes_of(values, codes, 2)))
    return ruleset_of(schema, classes, Turns(rules, (), majority))


def ruleset_of(schema: Schema, classes: NDArray[Any], found: Turns) -> RuleSet:
    """The rules with what it takes to answer."""
    return RuleSet(schema, tuple(classes.tolist()), found.rules, found.rest, found.turns)


class _Rows:
    """A table in memory that rules take rows from; see `gnri.estimator.multiclass.Rows`."""

    def __init__(
        self, values: NDArray[np.int8], codes: NDArray[np.intp], classes: int, inducing: Inducing
    ) -> None:
        self._values, self._codes = values, codes
        self._classes, self._inducing = classes, inducing

    def left(self) -> list[int]:
        return np.bincount(self._codes, minlength=self._classes).tolist()

    def glance(self) -> list[Glance | None]:
        kinds = range(self._classes)
        found = self._inducing.glances(self._episodes(kinds))
        return [self._glance(*pair) for pair in zip(kinds, found, strict=True)]

    def learn(self, kinds: Sequence[int]) -> list[SignedDNF | None]:
        return self._inducing.rules(self._episodes(kinds))

    def take(self, rules: Sequence[SignedDNF]) -> None:
        for rule in rules:
            kept = rule.evaluate(self._values) != 1
            self._values, self._codes = self._values[kept], self._codes[kept]

    def _episodes(self, kinds: Sequence[int]) -> tuple[Episode, ...]:
        return tuple(_episode(self._values, self._codes, kind) for kind in kinds)

    def _glance(self, kind: int, rule: SignedDNF | None) -> Glance | None:
        if rule is None:
            return None
        taken = self._codes[rule.evaluate(self._values) == 1]
        return Glance(int(np.sum(taken == kind)), len(taken), rule.size)


def episodes_of(
    values: NDArray[np.int8], codes: NDArray[np.intp], classes: int
) -> tuple[Episode, ...]:
    """The tasks of a table: the second of two classes, or each class against the rest."""
    kinds = [1] if classes == 2 else range(classes)
    return tuple(_episode(values, codes, kind) for kind in kinds)


def episodes_in_turn(
    ruleset: RuleSet, values: NDArray[np.int8], codes: NDArray[np.intp]
) -> dict[int, Episode]:
    """The task from which each rule of a set was learnt, in the order in which they were."""
    if len(ruleset.classes) == 2:
        return dict(enumerate(episodes_of(values, codes, 2)))
    truths = ruleset.truths(values)
    left = np.ones(len(values), np.bool_)
    found: dict[int, Episode] = {}
    for turn in ruleset.turns:
        found |= {kind: _episode(values[left], codes[left], kind) for kind in turn}
        left &= np.all([truths[kind] != 1 for kind in turn], axis=0)
    return found


def _episode(values: NDArray[np.int8], codes: NDArray[np.intp], kind: int) -> Episode:
    """A class against the others that are there."""
    member = codes == kind
    weights = class_weights(int(member.sum()), len(member), len(np.unique(codes)))
    return Episode(values, np.where(member, 1, -1), weights)
