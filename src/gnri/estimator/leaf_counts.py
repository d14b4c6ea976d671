"""What rules say of classes: how often each was there, on the training rows answered alike."""

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.rules.row_expression import EVERYTHING, NOTHING, Rows, all_of
from gnri.rules.rule_list import RuleSet

JUST_OVER_HALF = float(np.nextafter(0.5, 1.0))

Votes = tuple[tuple[int, ...], ...]
"""Training rows of each class: where each rule is the first that is true, and where none is.

Of two classes, where their rule is true, where it is false, and all of them.
"""


def votes_of(counter: Counter, ruleset: RuleSet) -> Votes:
    """Return the votes of the rules, from the rows they were learnt from."""
    if len(ruleset.classes) > 2:
        where = where_decided(ruleset)
    elif (rule := ruleset.rules[0]) is None:
        where = [NOTHING, NOTHING, EVERYTHING]
    else:
        where = [rule.where(1), rule.where(-1), EVERYTHING]
    return tuple(tuple(sizes) for sizes in counter.sizes(where).tolist())


def where_decided(ruleset: RuleSet) -> list[Rows]:
    """Return where each of the rules asked is the first that is true, and last where none is."""
    *reached, left = where_reached(ruleset)
    both = zip(reached, _where_true(ruleset), strict=True)
    return [*(rows & true for rows, true in both), left]


def where_reached(ruleset: RuleSet) -> list[Rows]:
    """Return the rows that each of the rules asked is asked about, and last those left over.

    No rule before it takes these rows.
    """
    taken = _where_true(ruleset)
    return [all_of(~rows for rows in taken[:i]) for i in range(len(taken) + 1)]


def _where_true(ruleset: RuleSet) -> list[Rows]:
    return [rule.where(1) for i in ruleset.asked if (rule := ruleset.rules[i]) is not None]


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
