"""Which clause covers which rows, drawn: a strip for each clause, the rows from left to right.

Rows stand together by class, and within a class by the clauses that cover them. Where they are
more than the picture has room for, neighbours share a bar, the darker the more of them are
covered.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from gnri.estimator.statistics import ClauseCard, RuleCard
from gnri.formats.conditions import spell
from gnri.report.facts import Facts
from gnri.report.html import Markup, clipped, element

WIDTH, GUTTER, STRIP, GAP, HEAD = 960, 240, 16, 5, 26
BARS = 360
LEVELS = 8
MOST_CLAUSES = 60
LONGEST = 34


def coverage_picture(facts: Facts) -> Markup:
    """The picture as an SVG element."""
    clauses = drawn_clauses(facts.cards)
    covered = _covered([clause for _, _, clause in clauses], len(facts.codes))
    order = np.lexsort((*~covered[::-1], facts.codes))
    sections = _sections(facts.codes[order], len(facts.ruleset.classes))
    parts = [*_class_names(facts, sections)]
    for i, (number, card, clause) in enumerate(clauses):
        top = HEAD + i * (STRIP + GAP)
        parts.append(_label(top, f"{number}  {clause.text}"))
        parts += _strip(covered[i][order], sections, top, _right(facts, card))
    top = HEAD + len(clauses) * (STRIP + GAP) + GAP
    parts.append(_label(top, "answered wrong"))
    wrong = (facts.codes != facts.answers)[order]
    parts += _strip(wrong, sections, top, [False] * len(sections))
    height = top + STRIP + GAP
    parts += _borders(sections, height)
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_label="Which clause covers which training rows",
    )


def numbered_clauses(cards: Sequence[RuleCard]) -> list[tuple[int, RuleCard, ClauseCard]]:
    """The clauses of all rules, counted through from 1, each with the card it is from."""
    pairs = ((card, clause) for card in cards for clause in card.clauses)
    return [(i, card, clause) for i, (card, clause) in enumerate(pairs, start=1)]


def drawn_clauses(cards: Sequence[RuleCard]) -> list[tuple[int, RuleCard, ClauseCard]]:
    """All clauses or, if they are too many, those that cover the most rows."""
    found = numbered_clauses(cards)
    largest = sorted(found, key=lambda one: -one[2].figures.covered)[:MOST_CLAUSES]
    return sorted(largest, key=lambda one: one[0])


def _covered(clauses: Sequence[ClauseCard], rows: int) -> NDArray[np.bool_]:
    covered = np.zeros((len(clauses), rows), np.bool_)
    for i, clause in enumerate(clauses):
        covered[i, clause.rows] = True
    return covered


def _sections(codes: NDArray[np.int32], classes: int) -> list[tuple[int, int]]:
    """From where to where the rows of each class are, when they are in order."""
    edges = np.searchsorted(codes, np.arange(classes + 1)).tolist()
    return list(pairwise(edges))


def _right(facts: Facts, card: RuleCard) -> list[bool]:
    """Of each class, whether a clause of this rule is right to cover its rows."""
    return [(label == card.label) == card.positive for label in facts.ruleset.classes]


def _strip(
    covered: NDArray[np.bool_], sections: list[tuple[int, int]], top: int, right: Sequence[bool]
) -> Iterator[Markup]:
    scale = (WIDTH - GUTTER) / len(covered)
    for (start, end), good in zip(sections, right, strict=True):
        if start == end:
            continue
        for level, first, last in shades(covered[start:end], len(covered), BARS, LEVELS):
            yield element(
                "rect",
                x=f"{GUTTER + (start + first) * scale:.2f}",
                y=top,
                width=f"{(last - first) * scale:.2f}",
                height=STRIP,
                class_="hit" if good else "miss",
                fill_opacity=f"{level / LEVELS:g}",
            )


def shades(
    covered: NDArray[np.bool_], rows: int, most: int, darkest: int
) -> Iterator[tuple[int, int, int]]:
    """How dark, from where and to where; neighbours of one shade are one bar, blanks are none.

    At most about `most` bars for all `rows` of a picture, in shades up to `darkest`.
    """
    bars = len(covered) if rows <= most else max(1, round(most * len(covered) / rows))
    edges = np.linspace(0, len(covered), bars + 1).astype(np.intp)
    sums = np.concatenate([[0], np.cumsum(covered)])[edges]
    levels = np.ceil(np.diff(sums) / np.diff(edges) * darkest).astype(int).tolist()
    for level, group in groupby(range(bars), key=lambda bar: levels[bar]):
        members = list(group)
        if level:
            yield level, int(edges[members[0]]), int(edges[members[-1] + 1])


def _class_names(facts: Facts, sections: list[tuple[int, int]]) -> Iterator[Markup]:
    """The name of each class above its rows, where there is room for it."""
    scale = (WIDTH - GUTTER) / len(facts.codes)
    for label, (start, end) in zip(facts.ruleset.classes, sections, strict=True):
        name = clipped(spell(label), int((end - start) * scale / 8))
        if name:
            x = f"{GUTTER + (start + end) / 2 * scale:.1f}"
            yield element("text", name, x=x, y=HEAD - 10, class_="name", text_anchor="middle")


def _borders(sections: list[tuple[int, int]], height: int) -> Iterator[Markup]:
    scale = (WIDTH - GUTTER) / sections[-1][1]
    for x in sorted({edge for section in sections for edge in section}):
        at = f"{GUTTER + x * scale:.2f}"
        yield element("line", x1=at, x2=at, y1=HEAD - 4, y2=height, class_="border")


def _label(top: int, text: str) -> Markup:
    # A drawing of its own, since that cuts off what is wider than it.
    return element(
        "svg",
        element("text", clipped(text, LONGEST), x=0, y=STRIP - 4),
        y=top,
        width=GUTTER - 10,
        height=STRIP,
    )
