"""The paper's tests (its Appendix C), in the words of scipy.

Differences are always ours minus the baseline's, one for each paired seed or for each table.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

RESAMPLES = 10_000
LEVEL = 0.95

Numbers = Sequence[float] | NDArray[np.float64]


def wilcoxon(differences: Numbers) -> float:
    """Return the p of the one-sided signed-rank test that the differences lie above zero.

    Exact up to 13 pairs, ties included, and beyond if there are none; zeros are left out.
    """
    found = np.asarray(differences, float)
    if not found.any():
        return 1.0
    return float(stats.wilcoxon(found, alternative="greater", zero_method="wilcox").pvalue)


def holm(values: Sequence[float]) -> list[float]:
    """Return Holm-Bonferroni: the i-th smallest of n times n - i + 1, kept in order, at most 1."""
    order = np.argsort(values, kind="stable")
    steps = np.asarray(values, float)[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


def bootstrap(differences: Numbers, *, rng: np.random.Generator) -> tuple[float, float]:
    """Resample the mean difference, and return its middle 95 %."""
    found = np.asarray(differences, float)
    drawn = rng.integers(len(found), size=(RESAMPLES, len(found)))
    means = found[drawn].mean(1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def effect_size(differences: Numbers) -> float | None:
    """Return Cohen's d of paired differences, mean over deviation; None where they do not vary."""
    found = np.asarray(differences, float)
    spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
    return float(found.mean()) / spread if spread > 0 else None


def sign_test(differences: Numbers) -> float:
    """Return the p of the one-sided exact test that more differences are above zero than below.

    A table on which both do the same says nothing, and is left out.
    """
    found = np.asarray(differences, float)
    above, below = int((found > 0).sum()), int((found < 0).sum())
    if above + below == 0:
        return 1.0
    return float(stats.binomtest(above, above + below, alternative="greater").pvalue)


def brown_forsythe(first: Numbers, second: Numbers) -> float:
    """Return the p of the test that two groups spread alike; 1 where neither varies at all."""
    distances = [np.abs(np.asarray(each, float) - np.median(each)) for each in (first, second)]
    if all(np.ptp(each) == 0 for each in distances):
        return float(distances[0][0] == distances[1][0])
    return float(stats.levene(first, second, center="median").pvalue)
