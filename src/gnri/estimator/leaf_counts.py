"""Class probabilities: the training rows of each class that the same step answers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.rules.row_expression import Rows, all_of
from gnri.rules.rule_list import RuleList

Counts = tuple[tuple[int, ...], ...]


class LeafCounts(NamedTuple):
    """Training rows of each class.

    `answered` counts for each step the rows that it answers, and last the rows where every rule is
    known and no step applies. `reached` counts for each step the rows that no earlier step answers.
    """

    answered: Counts
    reached: Counts


def count_leaves(counter: Counter, rule_list: RuleList) -> LeafCounts:
    """Return the leaf counts of a rule list on its training rows."""
    reached, steps = where_reached(rule_list), rule_list.steps
    answered = [rows & rule_list.where(step) for rows, step in zip(reached, steps, strict=True)]
    answered.append(all_of(step.rule.where(-step.truth) for step in steps))
    counts = [tuple(size) for size in counter.sizes([*answered, *reached]).tolist()]
    return LeafCounts(tuple(counts[: len(answered)]), tuple(counts[len(answered) :]))


def where_reached(rule_list: RuleList) -> list[Rows]:
    """Return for each step the rows that no earlier step answers."""
    taken = [rule_list.where(step) for step in rule_list.steps]
    return [all_of(~rows for rows in taken[:i]) for i in range(len(taken))]


def class_probabilities(
    rule_list: RuleList, counts: LeafCounts, values: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Return the probability of each class in each row (rows, classes); the answer has the largest.

    It is (t + 1) / (n + k) for k classes, if the same step answers n training rows and t of them
    are of the class. Where no step applies and a rule is unknown, n are the rows that reach the
    first such rule. In a point table, the odds of a class come from its points.
    """
    if rule_list.unit is not None:
        return _make_likeliest(rule_list.point_odds(values), rule_list.choose(values))
    leaves = np.array([*counts.answered, *counts.reached], np.float64) + 1
    shares = leaves / leaves.sum(axis=1, keepdims=True)
    leaf = np.full(len(values), len(rule_list.steps), np.intp)
    truths = list(enumerate(rule_list.truths(values)))
    for i, truth in reversed(truths):
        leaf[truth == 0] = len(counts.answered) + i
    for i, truth in reversed(truths):
        leaf[truth == rule_list.steps[i].truth] = i
    return _make_likeliest(shares[leaf], rule_list.choose(values))


def _make_likeliest(shares: NDArray[np.float64], answers: NDArray[np.intp]) -> NDArray[np.float64]:
    """Make the answered class the most likely one, which it may not be if it has weight 2."""
    behind = np.flatnonzero(shares.argmax(axis=1) != answers)
    answered, raised = answers[behind], shares[behind]
    raised[np.arange(len(behind)), answered] = raised.max(axis=1, initial=0.0)
    raised /= raised.sum(axis=1, keepdims=True)
    raised[np.arange(len(behind)), answered] = np.nextafter(raised.max(axis=1, initial=0.0), 1.0)
    shares[behind] = raised
    return shares
