"""Which clause covers which row, in few enough numbers for a picture of any table.

Rows stand by class, and within a class by the clauses that cover them. Where there are more than
the picture has bars, neighbours share one, which says what part of them is covered.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cards.card import RuleCard
from gnri.render.classifier import RuleSet
from gnri.render.words import spell
from gnri.report.picture import shades
from gnri.web.work.learnt import Learnt

BARS = 400
LEVELS = 6
MOST_CLAUSES = 60
MOST_MISTAKES = 5_000

Sections = list[tuple[int, int]]


def coverage_map(
    learnt: Learnt, ruleset: RuleSet, cards: Sequence[RuleCard], answers: NDArray[np.intp]
) -> dict[str, Any]:
    """The rows in order, the stretch of each class, and a strip for each clause."""
    drawn = [
        (which, card, place, clause)
        for which, card in zip(ruleset.listed, cards, strict=True)
        for place, clause in enumerate(card.clauses)
    ][:MOST_CLAUSES]
    covered = np.zeros((len(drawn), len(learnt.codes)), np.bool_)
    for i, (*_, clause) in enumerate(drawn):
        covered[i, clause.rows] = True
    wrong = answers != learnt.codes
    order = np.lexsort((wrong, *~covered[::-1], learnt.codes))
    edges = np.searchsorted(learnt.codes[order], np.arange(len(learnt.classes) + 1)).tolist()
    sections = list(pairwise(edges))
    return {
        "order": order.tolist(),
        "sections": [
            {"label": spell(label), "start": start, "end": end}
            for label, (start, end) in zip(learnt.classes, sections, strict=True)
        ],
        "strips": [
            {
                "rule": which,
                "clause": place,
                "bars": _strip(covered[i][order], sections, _right(ruleset, card)),
            }
            for i, (which, card, place, _) in enumerate(drawn)
        ],
        "mistakes": np.flatnonzero(wrong[order])[:MOST_MISTAKES].tolist(),
        "wrong": _strip(wrong[order], sections, [False] * len(sections)),
    }


def _right(ruleset: RuleSet, card: RuleCard) -> list[bool]:
    """Of each class, whether a clause of this rule is right to cover its rows."""
    return [(label == card.label) == card.positive for label in ruleset.classes]


def _strip(
    covered: NDArray[np.bool_], sections: Sections, right: Sequence[bool]
) -> list[list[float]]:
    """Bars of [from row, to row, share, whether that is right]; blank ones are left out."""
    return [
        [start + first, start + last, level / LEVELS, int(good)]
        for (start, end), good in zip(sections, right, strict=True)
        if end > start
        for level, first, last in shades(covered[start:end], len(covered), BARS, LEVELS)
    ]
