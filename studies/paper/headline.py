"""The paper's tests on our rows: G-NRI against the baseline, by width and by public table.

Differences are always ours minus the baseline's, one for each paired seed or for each table.
"""

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from studies.markdown import markdown, spread_of
from studies.paper import LEFT_OUT, PUBLISHED
from studies.paper.capability import lifts_of, means
from studies.results import Row, Rows
from studies.study import Context, Study
from studies.training.streams import stable_seed

RESAMPLES = 10_000
LEVEL = 0.95
Numbers = Sequence[float] | NDArray[np.float64]

BASELINE, OURS = "nri", "gnri"
TABLES = "public tables"
LOWER_IS_BETTER = ("bn_max_dev", "g_max_dev")
PAPER = "{wins} of {tables}, {sign_p}, {wilcoxon_p}"
NAMES = {
    "support_accuracy": "Support accuracy",
    "fresh_fidelity": "Fresh fidelity",
    "label_jaccard": "Jaccard under label swap",
    "bn_max_dev": "Largest drift under B_N",
    "g_max_dev": "Largest drift under all symmetries at once",
}


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


def of_widths(rows: Rows, metric: str) -> list[Row]:
    """Test pairs of seeds at each number of atoms, corrected by Holm over all of them."""
    known = {(row["condition"], row["seed"], int(row["atoms"])): row for row in rows}
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for condition, seed, atoms in sorted(known, key=lambda key: (key[2], key[1])):
        other = known.get((OURS, seed, atoms))
        if condition == BASELINE and other:
            both = known[condition, seed, atoms], other
            found[atoms].append((float(both[0][metric]), float(both[1][metric])))
    tests = [compare(str(atoms), pairs, metric) for atoms, pairs in found.items()]
    corrected = holm([float(test["wilcoxon_p"]) for test in tests])
    return [test | {"holm_p": p} for test, p in zip(tests, corrected, strict=True)]


def of_tables(rows: Rows, not_uci: Sequence[str]) -> list[Row]:
    """Test over tables, the unit: seeds share folds and rows, and are not independent."""
    accuracy, names = means(rows), list(lifts_of(rows))
    groups = {
        "all": names,
        f"without {LEFT_OUT}": [name for name in names if name != LEFT_OUT],
        "UCI": [name for name in names if name not in not_uci],
        "others": [name for name in names if name in not_uci],
    }
    return [
        compare(group, [(accuracy[name, BASELINE], accuracy[name, OURS]) for name in some], TABLES)
        for group, some in groups.items()
        if some
    ]


def compare(group: str, pairs: Sequence[tuple[float, float]], family: str) -> Row:
    """Return every figure of pairs (baseline, ours); `difference` is ours less the baseline's."""
    baseline, ours = zip(*pairs, strict=True)
    differences = np.subtract(ours, baseline)
    better = -differences if family in LOWER_IS_BETTER else differences
    rng = np.random.default_rng(stable_seed("bootstrap", family, group))
    low, high = bootstrap(differences, rng=rng)
    effect = effect_size(differences)
    return {
        **{"group": group, "pairs": len(ours), "wins": int((better > 0).sum())},
        **{"baseline": spread_of(baseline), "gnri": spread_of(ours)},
        **{"difference": mean(differences.tolist()), "low": low, "high": high},
        "effect": "-" if effect is None else f"{effect:.2f}",
        "wilcoxon_p": wilcoxon(better),
        "sign_p": sign_test(better),
        "spread_p": brown_forsythe(baseline, ours) if len(ours) > 1 else 1.0,
    }


def page(_: Rows, context: Context) -> list[str]:
    """Return the statistics of each family."""
    settings = context.protocol.section("headline_stats")
    rows = context.rows("scaling")
    parts = [_widths(metric, of_widths(rows, metric)) for metric in settings.metrics if rows]
    tables = of_tables(context.rows("capability"), settings.not_uci)
    return [*filter(None, parts), *([_tables(tables)] if tables else [])]


def _widths(family: str, tests: Sequence[Row]) -> str:
    """Return a line for each number of atoms; the paper's figures where it has them."""
    if not tests:
        return ""
    body = []
    for row in tests:
        cells = [row["group"], row["baseline"], row["gnri"], _interval(row, 3), row["effect"]]
        cells += [_p(row["holm_p"]), _p(row["spread_p"]), "-", "-"]
        paper = PUBLISHED["headline"].get(family, {}).get(row["group"])
        if paper is not None:
            base, ours, difference = (paper[name][0] for name in ("baseline", "gnri", "difference"))
            cells[-2:] = [f"{base:.3f}, {ours:.3f}", f"{difference:+.3f}"]
        body.append([str(cell) for cell in cells])
    head = ["atoms", "baseline", "G-NRI", "difference [95 %]", "d", "Holm p", "equal spread p"]
    return (
        f"## {NAMES.get(family, family)}\n\n{tests[0]['pairs']} paired seeds, one-sided Wilcoxon, "
        "Holm over the widths; bootstrap of 10,000 resamples; Brown-Forsythe for the spread.\n\n"
        + markdown([*head, "paper: means", "paper: difference"], body)
    )


def _tables(tests: Sequence[Row]) -> str:
    body, known = [], PUBLISHED["signs"]
    for row in tests:
        group = str(row["group"])
        cells = [group, f"{row['wins']} of {row['pairs']}", _interval(row, 2)]
        paper = PAPER.format(**known[group]) if group in known else "-"
        body.append([*cells, _p(row["sign_p"]), _p(row["wilcoxon_p"]), paper])
    head = ["tables", "G-NRI above", "points [95 %]", "sign test p", "Wilcoxon p"]
    return "## Public tables\n\nThe table is the unit; one-sided tests.\n\n" + markdown(
        [*head, "paper: above, sign p, Wilcoxon p"], body
    )


def _interval(row: Row, places: int) -> str:
    middle, low, high = (f"{float(row[c]):+.{places}f}" for c in ("difference", "low", "high"))
    return f"{middle} [{low}, {high}]"


def _p(p: float | str) -> str:
    return "< 0.0001" if float(p) < 1e-4 else f"{float(p):.4f}"


def _claims(context: Context) -> dict[str, str]:
    from studies.paper.claims import claims_page  # it reads the tests above

    return {"claims": claims_page(context)}


STUDY = Study("headline_stats", page, other_pages=_claims, derived=True)
