"""The paper's tests on our rows: G-NRI against the baseline, by width and by public table."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

import numpy as np

from studies.markdown import markdown, spread_of
from studies.paper import LEFT_OUT, PUBLISHED, significance
from studies.paper.capability import lifts_of, means
from studies.paper.claims import claims_page
from studies.results import Row, Rows
from studies.study import Context, Study
from studies.training.streams import stable_seed

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
    corrected = significance.holm([float(test["wilcoxon_p"]) for test in tests])
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
    low, high = significance.bootstrap(differences, rng=rng)
    effect = significance.effect_size(differences)
    return {
        **{"group": group, "pairs": len(ours), "wins": int((better > 0).sum())},
        **{"baseline": spread_of(baseline), "gnri": spread_of(ours)},
        **{"difference": mean(differences.tolist()), "low": low, "high": high},
        "effect": "-" if effect is None else f"{effect:.2f}",
        "wilcoxon_p": significance.wilcoxon(better),
        "sign_p": significance.sign_test(better),
        "spread_p": significance.brown_forsythe(baseline, ours) if len(ours) > 1 else 1.0,
    }


def page(_: Rows, context: Context) -> list[str]:
    """Return the statistics of each family."""
    settings = context.protocol.section("headline_stats")
    families = {metric: of_widths(context.rows("scaling"), metric) for metric in settings.metrics}
    tables = of_tables(context.rows("capability"), settings.not_uci)
    parts = [_widths(family, tests) for family, tests in families.items() if tests]
    return [*parts, _tables(tables)] if tables else parts


def _widths(family: str, tests: Sequence[Row]) -> str:
    """Return a line for each number of atoms; the paper's figures where it has them."""
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


STUDY = Study.drawn(
    "headline_stats", page, other_pages=lambda context: {"claims": claims_page(context)}
)
