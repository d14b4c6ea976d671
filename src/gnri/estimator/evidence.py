"""How much speaks for a DNF on a row: how many clauses hold, or how few conditions fail."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnri.rules.dnf import SignedDNF
from gnri.rules.row_expression import Rows, any_of
from gnri.rules.scorecard import Scorecard

MOST = 3
"""Levels of evidence where the DNF is true, and as many where it is false."""

SMOOTHING = 40
"""The rows that the share of all levels together counts for in the share of each."""

Test = list[Scorecard]
"""Passed where one of the scorecards is true."""


def evidence_tests(rule: SignedDNF) -> dict[int, list[Test]]:
    """Return tests for rows where the DNF is true (1) or false (-1); each implies the one before.

    Two clauses hold, three do. Of a clause some conditions hold, and at most two fail, or one.
    """
    near: list[Test] = [[]]
    for fail in range(1, MOST):
        longer = [one for one in rule.clauses if len(one) > fail]
        cards = [Scorecard([([lit], 1) for lit in one], len(one) - fail) for one in longer]
        near.append(near[-1] + cards)
    several = [[Scorecard([(one, 1) for one in rule.clauses], n)] for n in range(2, MOST + 1)]
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
    for side, start in ((1, 0), (-1, MOST)):
        passed = [*counts[start : start + MOST], (0, 0)]
        sizes = [(one[1] - more[1], sum(one) - sum(more)) for one, more in pairwise(passed)]
        prior = SMOOTHING * shares[side]
        known = [i for i, (_, rows) in enumerate(sizes) if rows]
        pooled = _pool([(sizes[i][0] + prior, sizes[i][1] + SMOOTHING) for i in known])
        # A level without rows has the share of the next one below, or else above.
        places = [max(sum(k <= i for k in known) - 1, 0) for i in range(MOST)]
        found[side] = [pooled[place] if pooled else shares[side] for place in places]
    return found


def _pool(levels: list[tuple[Fraction, int]]) -> list[Fraction]:
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
