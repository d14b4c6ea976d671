"""The lines of scorecards, with the training rows in each of their cells."""

from typing import NamedTuple

import numpy as np

from gnri.estimator.fitting import Fitted
from gnri.formats.conditions import PointScale
from gnri.formats.points import describe_case, find_cells, scale_points
from gnri.rules.scorecard import Scorecard


class Cell(NamedTuple):
    """A range or value of a line, its points, its rows, and those of the class of the scorecard.

    Without the training table the two counts are None.
    """

    words: str
    points: float
    rows: int | None
    hits: int | None


Lines = list[tuple[str, list[Cell]]]
"""The name and the cells of each line."""


def measure_lines(fitted: Fitted, scale: PointScale | None = None) -> list[Lines | None]:
    """Return the lines of each rule that is a scorecard; None for any other rule."""
    rules = fitted.minimized
    return [
        _measure(fitted, step.rule, rules.subject(step), scale)
        if isinstance(step.rule, Scorecard)
        else None
        for step in rules.steps
    ]


def _measure(fitted: Fitted, card: Scorecard, kind: int, scale: PointScale | None) -> Lines:
    found = []
    for case in scale_points(card, fitted.minimized, scale).cases:
        name, cells = describe_case(case)
        rows = hits = [None] * len(cells)
        if fitted.values is not None:
            places, size = find_cells(case, fitted.schema, fitted.values), len(cells)
            rows = np.bincount(places, minlength=size).tolist()
            hits = np.bincount(places[fitted.codes == kind], minlength=size).tolist()
        counts = zip(cells, rows, hits, strict=True)
        found.append(
            (name, [Cell(words, p, all_rows, own) for (words, p), all_rows, own in counts])
        )
    return found
