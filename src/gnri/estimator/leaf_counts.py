"""Class probabilities and importances of columns, from counts of training rows.

A probability is the share of the class among the rows that the same step answers. For a DNF of two
classes it also depends on how many clauses hold, or how few conditions fail.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import Rows, all_of, any_of, by_class
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

Counts = tuple[tuple[int, ...], ...]

LEVELS = 3
"""Levels of evidence where the DNF is true, and as many where it is false."""

PRIOR_ROWS = 40
"""The rows that the share of all levels together counts for in the share of each."""

EvidenceTest = list[Scorecard]
"""Passed where one of the scorecards is true."""


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
    taken, reached = where_taken(rule_list)
    answered = [rows & own for rows, own in zip(reached, taken, strict=True)]
    answered.append(all_of(step.rule.where(-step.truth) for step in rule_list.steps))
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


def where_taken(rule_list: RuleList) -> tuple[list[Rows], list[Rows]]:
    """Return for each step the rows on which it applies, and those that no earlier one answers."""
    taken = [rule_list.where(step) for step in rule_list.steps]
    return taken, [all_of(~rows for rows in taken[:i]) for i in range(len(taken))]


def where_right(rule_list: RuleList) -> Rows:
    """Return the rows that the rules answer right."""
    return by_class(where_answered(rule_list))


def where_answered(rule_list: RuleList) -> list[Rows]:
    """Return for each class the rows on which it is the answer."""
    rows: list[list[Rows]] = [[] for _ in rule_list.classes]
    taken, reached = where_taken(rule_list)
    for step, own, left in zip(rule_list.steps, taken, reached, strict=True):
        rows[step.answer].append(left & own)
    rows[rule_list.default].append(all_of(~own for own in taken))
    return [any_of(several) for several in rows]


def count_errors(counter: Counter, rule_list: RuleList) -> int:
    """Return the number of rows that the rules answer wrong."""
    return int(counter.rows.sum() - counter.sizes([where_right(rule_list)]).sum())


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
        _use_evidence(found, dnf, counts, values)
    return _make_likeliest(found, rule_list.choose(values))


def _use_evidence(
    shares: NDArray[np.float64], dnf: SignedDNF, counts: LeafCounts, values: NDArray[np.int8]
) -> None:
    """Set the shares of rows on which the DNF is known to those of their evidence."""
    own = int(dnf.positive)  # the class that the clauses are for
    pairs = [(pair[1 - own], pair[own]) for pair in counts.levels]
    whole = {
        side: Fraction(pairs[i][1] + 1, sum(pairs[i]) + 2) for side, i in ((1, 0), (-1, LEVELS))
    }
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


def evidence_tests(rule: SignedDNF) -> dict[int, list[EvidenceTest]]:
    """Return tests for rows where the DNF is true (1) or false (-1); each implies the one before.

    Two clauses hold, three do. Of a clause some conditions hold, and at most two fail, or one.
    """
    near: list[EvidenceTest] = [[]]
    for fail in range(1, LEVELS):
        longer = [one for one in rule.clauses if len(one) > fail]
        cards = [Scorecard([([lit], 1) for lit in one], len(one) - fail) for one in longer]
        near.append(near[-1] + cards)
    several = [[Scorecard([(one, 1) for one in rule.clauses], n)] for n in range(2, LEVELS + 1)]
    return {1: several, -1: near[:0:-1]}


def where_levels(rule: SignedDNF) -> list[Rows]:
    """Return the rows of each side of the DNF, and those of them that pass each of its tests."""
    found = []
    for side, tests in evidence_tests(rule).items():
        rows = rule.where(side if rule.positive else -side)
        found += [rows, *(rows & any_of(one.where(1) for one in test) for test in tests)]
    return found


def level_shares(
    counts: Sequence[Sequence[int]], shares: dict[int, Fraction]
) -> dict[int, list[Fraction]]:
    """Return the share of the class of the clauses at each level of each side.

    `counts` are those of `where_levels`, rows of other classes first; `shares` are of whole sides.
    More evidence never has a smaller share: neighbours that would are pooled.
    """
    found = {}
    for side, start in ((1, 0), (-1, LEVELS)):
        passed = [*counts[start : start + LEVELS], (0, 0)]
        sizes = [(one[1] - more[1], sum(one) - sum(more)) for one, more in pairwise(passed)]
        prior = PRIOR_ROWS * shares[side]
        known = [i for i, (_, rows) in enumerate(sizes) if rows]
        pooled = _pool_neighbours([(sizes[i][0] + prior, sizes[i][1] + PRIOR_ROWS) for i in known])
        # A level without rows has the share of the next one below, or else above.
        places = [max(sum(k <= i for k in known) - 1, 0) for i in range(LEVELS)]
        found[side] = [pooled[place] if pooled else shares[side] for place in places]
    return found


def _pool_neighbours(levels: list[tuple[Fraction, int]]) -> list[Fraction]:
    """Return the shares of levels, those that would fall pooled."""
    blocks: list[tuple[Fraction, int, int]] = []
    for own, rows in levels:
        block = own, rows, 1
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = last[0] + block[0], last[1] + block[1], last[2] + block[2]
        blocks.append(block)
    return [own / rows for own, rows, count in blocks for _ in range(count)]


def find_levels(rule: SignedDNF, side: int, values: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return the level of each row on a side of the DNF, from 0."""
    level = np.zeros(len(values), np.intp)
    for test in evidence_tests(rule)[side]:
        truths = [card.decide(values) for card in test]
        level += np.max(truths, axis=0, initial=-1) == 1
    return level


def measure_importances(
    rule_list: RuleList, values: NDArray[np.int8], codes: NDArray[np.intp], columns: Sequence[str]
) -> NDArray[np.float64]:
    """Return how many more training rows are wrong, as a share, if a column's cells are exchanged.

    Each row gets the cell of a training row drawn at random, independently. This is the mean over
    all draws, by whole numbers: for each state of the column, the rows in it times the rows that
    would be wrong if all were in it. A column that the rules do not read has 0.
    """
    rules = rule_list.compact()
    distinct, where = np.unique(values[:, rule_list.atoms], axis=0, return_inverse=True)
    counts = np.zeros((len(distinct), len(rule_list.classes)), np.int64)
    np.add.at(counts, (where.ravel(), codes), 1)

    def count_right(rows: NDArray[np.int8]) -> int:
        return int(counts[np.arange(len(rows)), rules.choose(rows)].sum())

    total, known = len(codes), count_right(distinct)
    found = dict.fromkeys(columns, 0.0)
    for name in rules.columns:
        mine = [i for i, atom in enumerate(rules.schema.atoms) if atom.column == name]
        states, members = np.unique(distinct[:, mine], axis=0, return_inverse=True)
        times = np.bincount(members.ravel(), counts.sum(axis=1)).astype(np.int64).tolist()
        right = 0
        for state, rows in zip(states, times, strict=True):
            changed = distinct.copy()
            changed[:, mine] = state
            right += rows * count_right(changed)
        found[name] = (known * total - right) / total**2
    return np.array(list(found.values()))
