"""What rules say of classes: how often each was there, on the training rows answered alike."""

import numpy as np
from numpy.typing import NDArray

from gnri.rules.rule_list import RuleSet

JUST_OVER_HALF = float(np.nextafter(0.5, 1.0))

Votes = tuple[tuple[int, ...], ...]
"""Training rows of each class: where each rule is the first that is true, and where none is.

Of two classes, where their rule is true, where it is false, and all of them.
"""


def votes_of(ruleset: RuleSet, values: NDArray[np.int8], codes: NDArray[np.intp]) -> Votes:
    """The votes of the rules, from the rows they were learnt from."""
    classes, truths = len(ruleset.classes), ruleset.truths(values)
    if classes == 2:
        sides = [codes[truths[0] == 1], codes[truths[0] == -1], codes]
    else:
        place = places_of(ruleset, truths)
        sides = [codes[place == i] for i in range(len(ruleset.asked) + 1)]
    return tuple(tuple(np.bincount(side, minlength=classes).tolist()) for side in sides)


def places_of(ruleset: RuleSet, truths: list[NDArray[np.int8]]) -> NDArray[np.intp]:
    """For each row the place in `asked` of the first rule that is true; behind it if none is."""
    asked = ruleset.asked
    place = np.full(len(truths[0]), len(asked), np.intp)
    for i, rule in reversed(list(enumerate(asked))):
        place[truths[rule] == 1] = i
    return place


def class_probabilities(
    ruleset: RuleSet, votes: Votes, values: NDArray[np.int8]
) -> NDArray[np.float64]:
    """The probability of each class in each row (rows, classes); the largest is the answer.

    Of n training rows that were answered alike and t of them of the class, (t + 1) / (n + k) for k
    classes.
    """
    truths, counts = ruleset.truths(values), np.array(votes, np.float64) + 1
    shares = counts / counts.sum(axis=1, keepdims=True)
    if len(ruleset.classes) == 2:
        when_true, when_false, unknown = shares[:, 1]
        scores = _decisive(np.array([when_false, unknown, when_true]))[truths[0] + 1]
        return np.stack([1 - scores, scores], axis=1)
    return _with_winner(shares[places_of(ruleset, truths)], ruleset.choose(values))


def _decisive(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Moved to one half on a side that is wrong more often than right, as it decides all the same.

    So the likelier class is always the one that the rule names.
    """
    when_false, unknown, when_true = said
    return np.array([min(when_false, 0.5), unknown, max(when_true, JUST_OVER_HALF)])


def _with_winner(shares: NDArray[np.float64], winner: NDArray[np.intp]) -> NDArray[np.float64]:
    """The class that is answered is as likely as any other, and in the last bit the likeliest.

    A class that counts twice may have a rule that takes more rows of another one.
    """
    rows = np.arange(len(shares))
    shares[rows, winner] = shares.max(axis=1)
    scores = shares / shares.sum(axis=1, keepdims=True)
    scores[rows, winner] = np.nextafter(scores.max(axis=1), 1.0)
    return scores
