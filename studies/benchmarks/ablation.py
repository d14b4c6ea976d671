"""What each part of guided + refine buys, on the nineteen public tables."""

from collections.abc import Sequence

from studies.benchmarks.measuring import Place
from studies.benchmarks.real import real
from studies.benchmarks.variants import VARIANTS
from studies.datasets import BENCHMARK

LEARNERS = ("guided+refine", *VARIANTS, "guided", "flat:1")


def ablation(place: Place, *, sets: Sequence[str] = BENCHMARK) -> list[dict[str, str]]:
    """A row for each set, fold and variant, in ablation.csv."""
    return real(LEARNERS, place, sets=sets, name="ablation")
