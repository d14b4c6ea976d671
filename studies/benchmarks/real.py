"""Accuracy on the nineteen public tables: five stratified folds of the paper's encoding."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnri.estimator.baselines import Codes
from studies.benchmarks.learners import weights_of
from studies.benchmarks.measuring import Place, fit_and_score, measure
from studies.benchmarks.results import Row, provenance
from studies.datasets import BENCHMARK, Encoded, encode, load

FOLDS = 5
SEED = 42  # of the shuffle before the rows are dealt to the folds

Part = NDArray[np.intp]


def real(
    learners: Sequence[str],
    place: Place,
    *,
    sets: Sequence[str] = BENCHMARK,
    folds: Sequence[int] = range(FOLDS),
    name: str = "real",
) -> list[dict[str, str]]:
    """A row for each set, fold and learner, in NAME.csv."""
    tasks: list[Row] = [
        {"set": one, "fold": fold, "learner": learner}
        for learner in learners
        for one in sets
        for fold in folds
    ]
    return measure(name, tasks, _run, place)


@lru_cache(maxsize=2)
def table(name: str, data_dir: Path | None) -> tuple[Encoded, str]:
    """The atoms of a table, and the start of its checksum."""
    found = load(name, data_dir)
    return encode(found), found.checksum[:12]


def split(codes: Codes, fold: int) -> tuple[Part, Part]:
    """The rows to learn from, and those to be scored on."""
    from sklearn.model_selection import StratifiedKFold

    dealt = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        # One class of nursery has two rows, too few to be in each fold.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        parts: list[tuple[Part, Part]] = list(dealt.split(codes, codes))
    return parts[fold]


def _run(task: Row, place: Place) -> Row:
    encoded, checksum = table(str(task["set"]), place.data_dir)
    shown, hidden = (
        (encoded.values[part], encoded.codes[part])
        for part in split(encoded.codes, int(task["fold"]))
    )
    learner = str(task["learner"])
    facts: Row = {"data": checksum, "weights": weights_of(learner)}
    return fit_and_score(learner, shown, hidden) | facts | provenance("cpu")
