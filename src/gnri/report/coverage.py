"""Which rows a clause covers, as bars of a picture, and how many are in each cell of a scorecard.

Rows are sorted by class, then by the clauses that cover them. In large tables neighbours share a
bar, the darker the more of them are covered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.estimator.fitting import Fitted
from gnri.estimator.statistics import RuleStatistics
from gnri.formats.conditions import PointScale
from gnri.formats.expression import Case
from gnri.formats.point_lines import describe_case, find_cells, scale_points
from gnri.rules.dnf import Clause
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

BARS = 360
LEVELS = 8
MOST_CLAUSES = 60

Sections = tuple[tuple[int, int], ...]


class Bar(NamedTuple):
    """Rows from `start` to `end`, the share of them covered, and whether that is right."""

    start: int
    end: int
    share: float
    right: bool


class Strip(NamedTuple):
    """The bars of a clause: its number from 1, its rule, its literals, and its text."""

    number: int
    rule: int
    clause: Clause
    text: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, eq=False)
class Coverage:
    """The order of the rows, the range of each class, and a strip for each clause drawn."""

    order: NDArray[np.intp]
    sections: Sections
    strips: tuple[Strip, ...]
    clauses: int  # the number of all clauses of DNFs, drawn or not
    wrong: tuple[Bar, ...]
    mistakes: NDArray[np.intp]  # places in the order


def find_coverage(
    rule_list: RuleList,
    statistics: Sequence[RuleStatistics],
    codes: NDArray[np.integer],  # the class of each row
    answers: NDArray[np.integer],  # the class predicted
) -> Coverage:
    """Return which clauses cover which rows; of too many clauses, those that cover most."""
    clauses = [
        (rule, card, clause)
        for rule, card in enumerate(statistics)
        for clause in card.clauses
        if card.form == "dnf"  # the lines of a scorecard count together
    ]
    sizes = [clause.figures.covered for *_, clause in clauses]
    drawn = sorted(sorted(range(len(clauses)), key=lambda i: -sizes[i])[:MOST_CLAUSES])
    covered = np.zeros((len(drawn), len(codes)), np.bool_)
    for row, i in zip(covered, drawn, strict=True):
        row[clauses[i][-1].rows] = True
    wrong = answers != codes
    order = np.lexsort((wrong, *~covered[::-1], codes))
    edges = np.searchsorted(codes[order], np.arange(len(rule_list.classes) + 1)).tolist()
    sections = tuple(pairwise(edges))
    strips = []
    for row, i in zip(covered, drawn, strict=True):
        rule, card, clause = clauses[i]
        right = [(label == card.label) == card.positive for label in rule_list.classes]
        bars = _bars(row[order], sections, right)
        strips.append(Strip(i + 1, rule, clause.clause, clause.text, bars))
    wrong = wrong[order]
    bars = _bars(wrong, sections, [False] * len(sections))
    return Coverage(order, sections, tuple(strips), len(clauses), bars, np.flatnonzero(wrong))


def _bars(covered: NDArray[np.bool_], sections: Sections, right: Sequence[bool]) -> tuple[Bar, ...]:
    return tuple(
        Bar(start + first, start + last, level / LEVELS, good)
        for (start, end), good in zip(sections, right, strict=True)
        if end > start
        for level, first, last in _shades(covered[start:end], len(covered))
    )


def _shades(covered: NDArray[np.bool_], rows: int) -> Iterator[tuple[int, int, int]]:
    """Yield the level, start and end of each bar; neighbours of one level are one bar."""
    bars = len(covered) if rows <= BARS else max(1, round(BARS * len(covered) / rows))
    edges = np.linspace(0, len(covered), bars + 1).astype(np.intp)
    sums = np.concatenate([[0], np.cumsum(covered)])[edges]
    levels = np.ceil(np.diff(sums) / np.diff(edges) * LEVELS).astype(int).tolist()
    for level, group in groupby(range(bars), key=lambda bar: levels[bar]):
        members = list(group)
        if level:
            yield level, int(edges[members[0]]), int(edges[members[-1] + 1])


class Cell(NamedTuple):
    """A range or value of a line, its points, its rows, and those of the class of the scorecard.

    Without the training table the two counts are None.
    """

    words: str
    points: float
    rows: int | None
    hits: int | None

    @property
    def share(self) -> float | None:
        """The share of the class among its rows; None without rows."""
        return self.hits / self.rows if self.rows and self.hits is not None else None


Line = tuple[str, list[Cell]]
"""The name and the cells of a line; the one for an empty cell is left out if no row has it."""


def measure_lines(fitted: Fitted, scale: PointScale | None = None) -> list[list[Line]]:
    """Return the lines of each rule that is a scorecard; any other rule has none."""
    rules = fitted.minimized
    cards = [(rules.subject(step), step.rule) for step in rules.steps]
    return [
        [_measure(fitted, case, kind) for case in scale_points(rule, rules, scale).cases]
        if isinstance(rule, Scorecard)
        else []
        for kind, rule in cards
    ]


def _measure(fitted: Fitted, case: Case, kind: int) -> Line:
    name, cells = describe_case(case)
    rows = hits = [None] * len(cells)
    if fitted.values is not None:
        places, size = find_cells(case, fitted.schema, fitted.values), len(cells)
        rows = np.bincount(places, minlength=size).tolist()
        hits = np.bincount(places[fitted.codes == kind], minlength=size).tolist()
    found = [Cell(*cell, *counts) for cell, *counts in zip(cells, rows, hits, strict=True)]
    return name, found[:-1] if found[-1].rows == 0 else found
