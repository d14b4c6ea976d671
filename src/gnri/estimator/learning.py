"""From atoms and classes to the rules that tell the classes apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.schema import Schema
from gnri.episode import Episode
from gnri.estimator.leaf_counts import Votes, votes_of
from gnri.estimator.multiclass import Learner, Turns, class_weights, learn_classes
from gnri.estimator.statistics import RuleCard, rule_cards
from gnri.estimator.training import TrainingRows, training_rows
from gnri.rules.minimize import shortened
from gnri.rules.rule_list import RuleSet


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
    learner: Learner,
) -> Fitted:
    """The rules of the classes, from the truth of the atoms and the class of each row."""
    counter = Counter.from_values(values, codes, len(classes))
    found = learn_classes(counter, len(schema.atoms), learner)
    ruleset = ruleset_of(schema, classes, found)
    printed = shortened(ruleset)
    cards, votes = rule_cards(counter, printed), votes_of(counter, ruleset)
    return Fitted(classes, votes, ruleset, printed, cards, training_rows(ruleset, values, codes))


def learn_rules(
    schema: Schema,
    values: NDArray[np.int8],
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    learner: Learner,
) -> RuleSet:
    """One rule for two classes; more are asked for in turn."""
    counter = Counter.from_values(values, codes, len(classes))
    return ruleset_of(schema, classes, learn_classes(counter, len(schema.atoms), learner))


def ruleset_of(schema: Schema, classes: NDArray[Any], found: Turns) -> RuleSet:
    """The rules with what it takes to answer."""
    return RuleSet(schema, tuple(classes.tolist()), found.rules, found.rest, found.turns)


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
