"""Accuracy on the nineteen public tables of the paper: in five folds, and from a few rows."""

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnri.estimator.cross_validation import Codes, Values
from studies.benchmarks.learners import fit_and_score, learner_named, weights_of
from studies.datasets import BENCHMARK, Encoded, encode, load
from studies.results import Row, Rows
from studies.study import Context, measure
from studies.training.streams import stable_seed

FOLDS, SEED = 5, 42  # folds, and the seed of the shuffle before the rows are dealt to them
SIZES, DRAWS = (10, 20, 50, 100, 200), 6  # few training rows, and how often they are drawn
SCORED, LEAST_SCORED = 2000, 50  # rows to score on, at most and at least
Part = tuple[Values, Codes]
Places = NDArray[np.intp]


def measure_folds(
    learners: Sequence[str],
    context: Context,
    *,
    sets: Sequence[str] = BENCHMARK,
    folds: Sequence[int] = range(FOLDS),
    name: str = "real",
) -> Rows:
    """Measure a row for each set, fold and learner, in NAME.csv."""
    return measure(name, fold_tasks(learners, sets, folds), _measure, context)


def fold_tasks(
    learners: Sequence[str], sets: Sequence[str], folds: Sequence[int] = range(FOLDS)
) -> list[Row]:
    """Return a task for each learner, set and fold."""
    every = product(learners, sets, folds)
    return [{"set": name, "fold": fold, "learner": learner} for learner, name, fold in every]


def _measure(task: Row, context: Context) -> Row:
    """Score a learner on a fold, or on the rows left by a draw of few."""
    name, learner = str(task["set"]), str(task["learner"])
    encoded, checksum = table(name, context.data_dir)
    if "fold" in task:
        parts = split(encoded.codes, int(task["fold"]))
    else:
        size = int(task["rows"])
        rng = np.random.default_rng(stable_seed("few rows", name, size, int(task["draw"])))
        parts = draw_rows(encoded.codes, size, rng=rng)
    figures = fit_and_score(learner_named(learner, encoded.schema), *parts_of(encoded, *parts))
    return figures | {"data": checksum, "weights": weights_of(learner)}


@lru_cache(maxsize=2)
def table(name: str, data_dir: Path | None) -> tuple[Encoded, str]:
    """Return the atoms of a table, and the start of its checksum."""
    found = load(name, data_dir)
    return encode(found), sha256(found.to_csv().encode()).hexdigest()[:12]


def split(codes: Codes, fold: int) -> tuple[Places, Places]:
    """Return the rows to learn from, and those to be scored on."""
    from sklearn.model_selection import StratifiedKFold

    dealt = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        # One class of nursery has two rows, too few to be in each fold.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts: list[tuple[Places, Places]] = list(dealt.split(codes, codes))
    return parts[fold]


def parts_of(encoded: Encoded, shown: Places, hidden: Places) -> tuple[Part, Part]:
    """Return values and classes of the rows to learn from, and of those to be scored on."""
    first, second = ((encoded.values[part], encoded.codes[part]) for part in (shown, hidden))
    return first, second


def measure_few_rows(
    learners: Sequence[str],
    context: Context,
    *,
    sets: Sequence[str] = BENCHMARK,
    sizes: Sequence[int] = SIZES,
    draws: int = DRAWS,
) -> Rows:
    """Measure a row for each set, number of training rows, draw and learner, in few_rows.csv."""
    rows = {name: len(table(name, context.data_dir)[0].codes) for name in sets}
    return measure("few_rows", draw_tasks(learners, rows, sizes, draws), _measure, context)


def draw_tasks(
    learners: Sequence[str],
    rows: Mapping[str, int],
    sizes: Sequence[int] = SIZES,
    draws: int = DRAWS,
) -> list[Row]:
    """Return a task for each learner, table, number of training rows that it allows, and draw."""
    return [
        {"set": name, "rows": size, "draw": draw, "learner": learner}
        for learner, name, size, draw in product(learners, rows, sizes, range(draws))
        if rows[name] >= size + LEAST_SCORED
    ]


def draw_rows(codes: Codes, size: int, *, rng: np.random.Generator) -> tuple[Places, Places]:
    """Draw the rows to learn from, of two classes or more, and up to 2,000 to be scored on."""
    while True:
        order = rng.permutation(len(codes))
        shown, hidden = order[:size], order[size : size + SCORED]
        if len(np.unique(codes[shown])) > 1:
            return shown, hidden
