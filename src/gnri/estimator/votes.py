"""What a rule says of its class: how often each of its sides was right on the training rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.logic.formula import SignedDNF
from gnri.render.classifier import RuleSet

JUST_OVER_HALF = float(np.nextafter(0.5, 1.0))


@dataclass(frozen=True, slots=True)
class Vote:
    """Rows of the class, and rows in all, where its rule is true, is false, and overall."""

    when_true: tuple[int, int]
    when_false: tuple[int, int]
    overall: tuple[int, int]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Of the class where its rule is false, is unknown and is true: (t + 1) / (n + 2)."""
        sides = (self.when_false, self.overall, self.when_true)
        return np.array([(members + 1) / (rows + 2) for members, rows in sides])


def vote(rule: SignedDNF | None, values: NDArray[np.int8], member: NDArray[np.bool_]) -> Vote:
    """The vote of a rule for the class of the rows marked in `member`."""
    truth = np.zeros(len(values), np.int8) if rule is None else rule.evaluate(values)
    sides = (member[truth == 1], member[truth == -1], member)
    return Vote(*((int(side.sum()), len(side)) for side in sides))


def class_probabilities(
    ruleset: RuleSet, votes: list[Vote], values: NDArray[np.int8]
) -> NDArray[np.float64]:
    """The probability of each class in each row (rows, classes); the largest is the answer.

    Two classes share one vote: the first has what the second leaves. With a vote for each class,
    they are scaled to sum to one.
    """
    said = [one.probabilities for one in votes]
    if len(said) == 1:
        said = [_decisive(said[0])]
    truths = ruleset.truths(values)
    scores = np.stack([by[truth + 1] for by, truth in zip(said, truths, strict=True)], axis=1)
    if len(said) == 1:
        return np.hstack([1 - scores, scores])
    return _with_winner(scores / scores.sum(axis=1, keepdims=True), ruleset.choose(values))


def _decisive(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Moved to one half on a side that is wrong more often than right, as it decides all the same.

    So the likelier class is always the one that the rule names.
    """
    when_false, unknown, when_true = said
    return np.array([min(when_false, 0.5), unknown, max(when_true, JUST_OVER_HALF)])


def _with_winner(scores: NDArray[np.float64], winner: NDArray[np.intp]) -> NDArray[np.float64]:
    """Among equal scores argmax takes the first; the last bit says which class it is to be."""
    scores[np.arange(len(scores)), winner] = np.nextafter(scores.max(axis=1), 1.0)
    return scores
