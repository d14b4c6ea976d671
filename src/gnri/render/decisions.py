"""How the truth of several rules becomes one answer: a decision list, the same in every export.

A class scores the smoothed precision (t + 1) / (n + 2) of what its rule says: of the n training
rows on which the rule is true (or false), t are of the class. Where the rule is unknown or absent,
its share of all rows stands in. The highest score wins; of equal ones the larger class, and of
equally large ones the earlier. That order is fixed once, as whole numbers. The classes in order of
rank then read as a list: the first entry that applies is the highest.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from gnri.errors import RuleError

TRUTHS = (1, -1, 0)
"""The order of the three ranks of a class: its rule is true, is false, is unknown."""


class Step(NamedTuple):
    """If the rule of this index has this truth (+1, -1, or 0 for unknown), answer this class."""

    rule: int
    truth: int
    answer: int


def ranks_from_counts(
    hits: Sequence[tuple[int, int]], misses: Sequence[tuple[int, int]], sizes: Sequence[int]
) -> tuple[tuple[int, int, int], ...]:
    """The ranks of each class where its rule is true, is false and is unknown.

    `hits[k]` is (t, n): t rows of class k among the n training rows where its rule is true;
    `misses[k]` the same where it is false; `sizes[k]` the number of rows of class k.

    >>> ranks_from_counts([(8, 8), (5, 5), (3, 9)], [(0, 9), (1, 12), (0, 8)], [8, 6, 3])
    ((8, 0, 6), (7, 2, 5), (4, 1, 3))
    """
    if not len(hits) == len(misses) == len(sizes):
        raise RuleError(
            "hits, misses and sizes must have one entry for each class, "
            f"got {len(hits)}, {len(misses)} and {len(sizes)}"
        )
    rows = sum(sizes)
    scores = [
        [(Fraction(t + 1, n + 2), size, -k) for t, n in (hit, miss, (size, rows))]
        for k, (hit, miss, size) in enumerate(zip(hits, misses, sizes, strict=True))
    ]
    rank = {score: i for i, score in enumerate(sorted({s for triple in scores for s in triple}))}
    return tuple((rank[hit], rank[miss], rank[unknown]) for hit, miss, unknown in scores)


def binary_steps(present: bool, majority: int) -> list[Step]:
    """The list of a single rule, under class 1: only the other class needs the rule."""
    other = 1 - majority
    return [Step(0, 1 if other == 1 else -1, other)] if present else []


def ranked_steps(present: Sequence[bool], ranks: Sequence[Sequence[int]]) -> tuple[list[Step], int]:
    """The list of one rule for each class, from the highest rank down, and its default."""
    entries = [
        (ranks[k][i], Step(k, truth, k))
        for k, known in enumerate(present)
        for i, truth in enumerate(TRUTHS)
        if known or truth == 0
    ]
    left = [3 if known else 1 for known in present]
    steps: list[Step] = []
    for _, step in sorted(entries, reverse=True):
        left[step.rule] -= 1
        if left[step.rule] == 0:
            break
        steps.append(step)
    # All that its rule can say is listed now, so this class answers whatever is left.
    while steps and steps[-1].answer == step.answer:
        steps.pop()
    return steps, step.answer
