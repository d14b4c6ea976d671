"""Accuracy from a handful of rows: what a learner knows before it has seen a table.

The rows are drawn at random, not by class, and drawn again while all are of one class. A class
that is not among them cannot be answered. A table is left out at sizes that leave fewer than 50
of its rows to score on.
"""

from collections.abc import Sequence

import numpy as np

from studies.benchmarks.learners import weights_of
from studies.benchmarks.measuring import Place, fit_and_score, measure
from studies.benchmarks.real import Part, table
from studies.benchmarks.results import Row, provenance
from studies.datasets import BENCHMARK, Encoded
from studies.training.streams import stable_seed

SIZES = (10, 20, 50, 100, 200)
DRAWS = 6
SCORED = 2000
LEAST_SCORED = 50


def few_rows(
    learners: Sequence[str],
    place: Place,
    *,
    sets: Sequence[str] = BENCHMARK,
    sizes: Sequence[int] = SIZES,
    draws: int = DRAWS,
) -> list[dict[str, str]]:
    """A row for each set, number of training rows, draw and learner, in few_rows.csv."""
    rows = {name: len(table(name, place.data_dir)[0].codes) for name in sets}
    tasks: list[Row] = [
        {"set": name, "rows": size, "draw": draw, "learner": learner}
        for learner in learners
        for name in sets
        for size in sizes
        if rows[name] >= size + LEAST_SCORED
        for draw in range(draws)
    ]
    return measure("few_rows", tasks, _run, place)


def draw_rows(encoded: Encoded, size: int, *, rng: np.random.Generator) -> tuple[Part, Part]:
    """The rows to learn from, of two classes at least, and up to 2,000 others to be scored on."""
    while True:
        order = rng.permutation(len(encoded.codes))
        shown, hidden = order[:size], order[size : size + SCORED]
        if len(np.unique(encoded.codes[shown])) > 1:
            return shown, hidden


def _run(task: Row, place: Place) -> Row:
    name, size, draw = str(task["set"]), int(task["rows"]), int(task["draw"])
    encoded, checksum = table(name, place.data_dir)
    rng = np.random.default_rng(stable_seed("few rows", name, size, draw))
    shown, hidden = (
        (encoded.values[part], encoded.codes[part]) for part in draw_rows(encoded, size, rng=rng)
    )
    learner = str(task["learner"])
    facts: Row = {"data": checksum, "weights": weights_of(learner)}
    return fit_and_score(learner, shown, hidden) | facts | provenance("cpu")
