"""From atoms and classes to the rules that tell the classes apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cards.card import RuleCard
from gnri.cards.make import rule_cards
from gnri.episodes.episode import Episode
from gnri.episodes.weights import class_weights
from gnri.estimator.training import TrainingRows, training_rows
from gnri.estimator.votes import Vote, vote
from gnri.logic.formula import SignedDNF
from gnri.render.classifier import RuleSet
from gnri.render.decisions import ranks_from_counts
from gnri.render.shorten import shortened
from gnri.schema import Schema

Induce = Callable[[Sequence[Episode]], list[SignedDNF | None]]


@dataclass(frozen=True, eq=False, slots=True)
class Fitted:
    """What a table taught; see `RuleClassifier`, whose attributes these are."""

    classes: NDArray[Any]
    votes: list[Vote]
    ruleset: RuleSet
    printed: RuleSet
    cards: tuple[RuleCard, ...]
    training: TrainingRows


def fit_rules(
    schema: Schema,
    values: NDArray[np.int8],
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    induce: Induce,
) -> Fitted:
    """The rules of the classes, from the truth of the atoms and the class of each row."""
    episodes = episodes_of(values, codes, len(classes))
    rules = induce(episodes)
    votes = votes_of(rules, episodes)
    ruleset = ruleset_of(schema, classes, rules, votes)
    printed = shortened(ruleset)
    cards = rule_cards(printed, values, codes)
    return Fitted(classes, votes, ruleset, printed, cards, training_rows(ruleset, values, codes))


def episodes_of(
    values: NDArray[np.int8], codes: NDArray[np.intp], classes: int
) -> tuple[Episode, ...]:
    """The tasks of a table: the second of two classes, or each class against the rest."""
    members = [codes == 1] if classes == 2 else [codes == k for k in range(classes)]
    return tuple(
        Episode(
            values,
            np.where(member, 1, -1),
            class_weights(int(member.sum()), len(member), classes),
        )
        for member in members
    )


def votes_of(rules: Sequence[SignedDNF | None], episodes: Sequence[Episode]) -> list[Vote]:
    """The vote of each rule for the class that is positive in its episode."""
    return [
        vote(rule, episode.values, episode.labels == 1)
        for rule, episode in zip(rules, episodes, strict=True)
    ]


def ruleset_of(
    schema: Schema, classes: NDArray[Any], rules: Sequence[SignedDNF | None], votes: Sequence[Vote]
) -> RuleSet:
    """The rules with what it takes to answer where several hold, or none is known."""
    labels = tuple(classes.tolist())
    if len(labels) == 2:
        members, rows = votes[0].overall
        return RuleSet(schema, labels, tuple(rules), majority=int(2 * members > rows))
    sizes = [one.overall[0] for one in votes]
    hits, misses = [one.when_true for one in votes], [one.when_false for one in votes]
    ranks = ranks_from_counts(hits, misses, sizes)
    return RuleSet(schema, labels, tuple(rules), sizes.index(max(sizes)), ranks)
