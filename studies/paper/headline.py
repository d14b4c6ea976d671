"""The paper's tests on our rows: G-NRI against the baseline, by width and by public table."""

from collections.abc import Sequence
from statistics import mean, stdev

import numpy as np

from studies.markdown import distinct, markdown
from studies.paper import LEFT_OUT, PUBLISHED, significance
from studies.paper.capability import means
from studies.paper.claims import claims_page
from studies.paper.lift import lifts_of
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of
from studies.training.streams import stable_seed

BASELINE, OURS = "nri", "gnri"
COLUMNS = (
    *("baseline", "baseline_sd", "gnri", "gnri_sd", "difference", "low", "high", "effect"),
    *("bootstrap_p", "wilcoxon_p", "holm_p", "wins", "sign_p", "spread_p"),
)


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each test of a family; one of no pairs where nothing is measured yet."""
    family = str(piece["family"])
    if family == TABLES:
        not_uci = context.protocol.section("headline_stats").not_uci
        rows = of_tables(context.rows("capability"), not_uci)
    else:
        rows = of_widths(context.rows("scaling"), family)
    return rows or [_row("", [], [], family)]


def of_widths(rows: Rows, metric: str) -> list[Row]:
    """Test pairs of seeds at each number of atoms, corrected by Holm over all of them."""
    found = paired(rows, metric)
    if not found:
        return []
    tests = [_row(str(atoms), *both, metric) for atoms, both in found.items()]
    corrected = significance.holm([float(test["wilcoxon_p"]) for test in tests])
    return [test | {"holm_p": p} for test, p in zip(tests, corrected, strict=True)]


def paired(rows: Rows, metric: str) -> dict[int, tuple[list[float], list[float]]]:
    """Return the baseline's and our figures of the seeds that both have, by number of atoms."""
    known = {(row["condition"], row["seed"], int(row["atoms"])): row for row in rows}
    found: dict[int, tuple[list[float], list[float]]] = {}
    for condition, seed, atoms in sorted(known, key=lambda key: (key[2], key[1])):
        if condition == BASELINE and (OURS, seed, atoms) in known:
            both = found.setdefault(atoms, ([], []))
            both[0].append(float(known[BASELINE, seed, atoms][metric]))
            both[1].append(float(known[OURS, seed, atoms][metric]))
    return found


def of_tables(rows: Rows, not_uci: Sequence[str]) -> list[Row]:
    """Test over tables, the unit: seeds share folds and rows, and are not independent."""
    accuracy, names = means(rows), list(lifts_of(rows))
    groups = {
        "all": names,
        f"without {LEFT_OUT}": [name for name in names if name != LEFT_OUT],
        "UCI": [name for name in names if name not in not_uci],
        "others": [name for name in names if name in not_uci],
    }
    found = []
    for group, chosen in groups.items():
        base, ours = ([accuracy[name, side] for name in chosen] for side in (BASELINE, OURS))
        found += [_row(group, base, ours, TABLES)] if chosen else []
    return found


def _row(group: str, baseline: list[float], ours: list[float], family: str) -> Row:
    """Return every figure of one paired comparison; `difference` is ours less the baseline's."""
    row: Row = {"group": group, "pairs": len(ours), **dict.fromkeys(COLUMNS, "")}
    if not ours:
        return row
    differences = np.subtract(ours, baseline)
    better = -differences if family in LOWER_IS_BETTER else differences
    rng = np.random.default_rng(stable_seed("bootstrap", family, group))
    interval = significance.bootstrap(differences, rng=rng)
    effect = significance.effect_size(differences)
    if len(ours) > 1:
        row |= {"baseline_sd": stdev(baseline), "gnri_sd": stdev(ours)}
        row["spread_p"] = significance.brown_forsythe(baseline, ours)
    return row | {
        "baseline": mean(baseline),
        "gnri": mean(ours),
        "difference": float(differences.mean()),
        "low": interval.low,
        "high": interval.high,
        "effect": "" if effect is None else effect,
        "bootstrap_p": interval.p if family not in LOWER_IS_BETTER else 1 - interval.p,
        "wilcoxon_p": significance.wilcoxon(better),
        "wins": int((better > 0).sum()),
        "sign_p": significance.sign_test(better),
    }


TABLES = "public tables"
PAPER = "{wins} of {tables}, {sign_p}, {wilcoxon_p}"
LOWER_IS_BETTER = ("bn_max_dev", "g_max_dev")
NAMES = {
    "support_accuracy": "Support accuracy",
    "fresh_fidelity": "Fresh fidelity",
    "label_jaccard": "Jaccard under label swap",
    "bn_max_dev": "Largest drift under B_N",
    "g_max_dev": "Largest drift under all symmetries at once",
}


def page(rows: Rows, _: Context) -> list[str]:
    """Return the statistics of each family."""
    rows = [row for row in rows if int(row["pairs"])]
    parts = []
    for family in distinct(rows, "family"):
        here = [row for row in rows if row["family"] == family]
        parts.append(_tables(here) if family == TABLES else _widths(family, here))
    return parts


def _widths(family: str, rows: Rows) -> str:
    """Return a line for each number of atoms; the paper's figures where it has them."""
    body = []
    for row in rows:
        cells = [row["group"], _spread(row, "baseline"), _spread(row, "gnri"), _interval(row, 3)]
        cells += [f"{float(row['effect']):.2f}" if row["effect"] else "-"]
        cells += [_p(row["holm_p"]), _p(row["spread_p"]), "-", "-"]
        paper = PUBLISHED["headline"].get(family, {}).get(row["group"])
        if paper is not None:
            base, ours, difference = (paper[name][0] for name in ("baseline", "gnri", "difference"))
            cells[-2:] = [f"{base:.3f}, {ours:.3f}", f"{difference:+.3f}"]
        body.append(cells)
    head = ["atoms", "baseline", "G-NRI", "difference [95 %]", "d", "Holm p", "equal spread p"]
    return (
        f"## {NAMES.get(family, family)}\n\n{rows[0]['pairs']} paired seeds, one-sided Wilcoxon, "
        "Holm over the widths; bootstrap of 10,000 resamples; Brown-Forsythe for the spread.\n\n"
        + markdown([*head, "paper: means", "paper: difference"], body)
    )


def _tables(rows: Rows) -> str:
    body, known = [], PUBLISHED["signs"]
    for row in rows:
        cells = [row["group"], f"{row['wins']} of {row['pairs']}", _interval(row, 2)]
        paper = PAPER.format(**known[row["group"]]) if row["group"] in known else "-"
        body.append([*cells, _p(row["sign_p"]), _p(row["wilcoxon_p"]), paper])
    head = ["tables", "G-NRI above", "points [95 %]", "sign test p", "Wilcoxon p"]
    return "## Public tables\n\nThe table is the unit; one-sided tests.\n\n" + markdown(
        [*head, "paper: above, sign p, Wilcoxon p"], body
    )


def _interval(row: dict[str, str], places: int) -> str:
    middle, low, high = (f"{float(row[c]):+.{places}f}" for c in ("difference", "low", "high"))
    return f"{middle} [{low}, {high}]"


def _spread(row: dict[str, str], name: str) -> str:
    deviation = row[f"{name}_sd"]
    middle = f"{float(row[name]):.3f}"
    return f"{middle} ± {float(deviation):.3f}" if deviation else middle


def _p(cell: str) -> str:
    if not cell:
        return "-"
    return "< 0.0001" if float(cell) < 1e-4 else f"{float(cell):.4f}"


STUDY = Study(
    "headline_stats",
    lambda s: pieces_of(family=(*s.metrics, TABLES)),
    measure,
    page,
    other_pages=lambda context: {"claims": claims_page(context)},
    on_cpu=True,
    derived=True,
)
