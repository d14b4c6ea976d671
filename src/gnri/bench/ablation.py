"""What each part of guided + refine buys, on the nineteen public tables."""

from collections.abc import Sequence

from gnri.bench.measuring import Place
from gnri.bench.real import real
from gnri.bench.variants import VARIANTS
from gnri.datasets import BENCHMARK

LEARNERS = ("guided+refine", *VARIANTS, "guided", "flat:1")


def ablation(place: Place, *, sets: Sequence[str] = BENCHMARK) -> list[dict[str, str]]:
    """A row for each set, fold and variant, in ablation.csv."""
    return real(LEARNERS, place, sets=sets, name="ablation")
