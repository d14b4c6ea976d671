"""Class probabilities: the training rows of each class that the same step answers."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.estimator.evidence import MOST, find_levels, level_shares, where_levels
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import Rows, all_of
from gnri.rules.rule_list import RuleList

Counts = tuple[tuple[int, ...], ...]


class LeafCounts(NamedTuple):
    """Training rows of each class.

    `answered` counts for each step the rows that it answers, and last the rows where every rule is
    known and no step applies. `reached` counts for each step the rows that no earlier step answers.
    `levels` counts the rows of `where_levels`, for the DNF of two classes.
    """

    answered: Counts
    reached: Counts
    levels: Counts = ()


def count_leaves(counter: Counter, rule_list: RuleList) -> LeafCounts:
    """Return the leaf counts of a rule list on its training rows."""
    reached, steps = where_reached(rule_list), rule_list.steps
    answered = [rows & rule_list.where(step) for rows, step in zip(reached, steps, strict=True)]
    answered.append(all_of(step.rule.where(-step.truth) for step in steps))
    dnf = _single_dnf(rule_list)
    levels = [] if dnf is None else where_levels(dnf)
    sizes = counter.sizes([*answered, *reached, *levels]).tolist()
    counts, start = [tuple(size) for size in sizes], len(answered)
    end = start + len(reached)
    return LeafCounts(tuple(counts[:start]), tuple(counts[start:end]), tuple(counts[end:]))


def _single_dnf(rule_list: RuleList) -> SignedDNF | None:
    """Return the rule of two classes, if it is a DNF."""
    rules = rule_list.rules if len(rule_list.classes) == 2 else ()
    return rules[0] if len(rules) == 1 and isinstance(rules[0], SignedDNF) else None


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
    first such rule. Of a DNF of two classes, the more clauses hold, or the fewer conditions fail,
    the more likely its class is. In a point table, the odds of a class come from its points.
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
    found = shares[leaf]
    dnf = _single_dnf(rule_list)
    if dnf is not None and counts.levels:
        _refine(found, dnf, counts, values)
    return _make_likeliest(found, rule_list.choose(values))


def _refine(
    shares: NDArray[np.float64], dnf: SignedDNF, counts: LeafCounts, values: NDArray[np.int8]
) -> None:
    """Set the shares of rows on which the DNF is known to those of their evidence."""
    own = int(dnf.positive)  # the class that the clauses are for
    pairs = [(pair[1 - own], pair[own]) for pair in counts.levels]
    whole = {side: Fraction(pairs[i][1] + 1, sum(pairs[i]) + 2) for side, i in ((1, 0), (-1, MOST))}
    truth = dnf.decide(values) * (1 if dnf.positive else -1)
    for side, found in level_shares(pairs, whole).items():
        rows = np.flatnonzero(truth == side)
        level = find_levels(dnf, side, values[rows])
        shares[rows, own] = np.array([float(share) for share in found])[level]
        shares[rows, 1 - own] = np.array([float(1 - share) for share in found])[level]


def _make_likeliest(shares: NDArray[np.float64], answers: NDArray[np.intp]) -> NDArray[np.float64]:
    """Make the answered class the most likely one, which it may not be if it has weight 2."""
    behind = np.flatnonzero(shares.argmax(axis=1) != answers)
    answered, raised = answers[behind], shares[behind]
    raised[np.arange(len(behind)), answered] = raised.max(axis=1, initial=0.0)
    raised /= raised.sum(axis=1, keepdims=True)
    raised[np.arange(len(behind)), answered] = np.nextafter(raised.max(axis=1, initial=0.0), 1.0)
    shares[behind] = raised
    return shares
