"""What each part of guided + refine buys, on the nineteen public tables."""

from collections.abc import Sequence

from gnri.bench.measuring import Place, measure
from gnri.bench.real import FOLDS, run
from gnri.bench.results import Row
from gnri.bench.variants import VARIANTS
from gnri.datasets import BENCHMARK

LEARNERS = ("guided+refine", *VARIANTS, "guided", "flat:1")


def ablation(
    place: Place, *, sets: Sequence[str] = BENCHMARK, folds: Sequence[int] = range(FOLDS)
) -> list[dict[str, str]]:
    """A row for each set, fold and variant, in ablation.csv."""
    tasks: list[Row] = [
        {"set": name, "fold": fold, "learner": learner}
        for learner in LEARNERS
        for name in sets
        for fold in folds
    ]
    return measure("ablation", tasks, run, place)
