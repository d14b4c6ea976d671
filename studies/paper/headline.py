"""The paper's tests on our rows: G-NRI against the baseline, by width and by public table."""

from collections.abc import Sequence
from statistics import mean, stdev

import numpy as np

from studies.markdown import distinct, markdown
from studies.paper import significance
from studies.paper.capability import means
from studies.paper.claims import claims_table
from studies.paper.lift import lifts_of
from studies.paper.published import HEADLINE, LEFT_OUT, SIGNS
from studies.results import Row, Rows
from studies.study import Context, Piece, Protocol, Study, pieces_of
from studies.training.streams import stable_seed

BASELINE, OURS = "nri", "gnri"
COLUMNS = (
    *("baseline", "baseline_sd", "gnri", "gnri_sd", "difference", "low", "high", "effect"),
    *("bootstrap_p", "wilcoxon_p", "holm_p", "wins", "sign_p", "spread_p"),
)


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """Return a family of tests for each metric by width, and one for the public tables."""
    return pieces_of(family=(*protocol.section("headline_stats").metrics, TABLES))


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
    interval, effect = (
        significance.bootstrap(differences, rng=rng),
        significance.effect_size(differences),
    )
    above = interval.p if family not in LOWER_IS_BETTER else 1 - interval.p
    return row | {
        "baseline": mean(baseline),
        "baseline_sd": stdev(baseline) if len(ours) > 1 else "",
        "gnri": mean(ours),
        "gnri_sd": stdev(ours) if len(ours) > 1 else "",
        "difference": float(differences.mean()),
        "low": interval.low,
        "high": interval.high,
        "effect": "" if effect is None else effect,
        "bootstrap_p": above,
        "wilcoxon_p": significance.wilcoxon(better),
        "wins": int((better > 0).sum()),
        "sign_p": significance.sign_test(better),
        "spread_p": significance.brown_forsythe(baseline, ours) if len(ours) > 1 else "",
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


def tables(context: Context) -> dict[str, str]:
    """Return the statistics, and the claims; of the claims also those that other studies decide."""
    rows = [row for row in context.rows("headline_stats") if int(row["pairs"])]
    found = {"claims": claims_table(context)}
    if not rows:
        return found
    parts = ["# Tests\n"]
    for family in distinct(rows, "family"):
        here = [row for row in rows if row["family"] == family]
        parts.append(_tables(here) if family == TABLES else _widths(family, here))
    return {"headline_stats": "\n".join(parts)} | found


def _widths(family: str, rows: Rows) -> str:
    """Return a line for each number of atoms; the paper's figures where it has them."""
    known = HEADLINE.get(family, {})
    body = []
    for row in rows:
        paper = known.get(row["group"])
        body.append(
            [
                row["group"],
                _spread(row, "baseline"),
                _spread(row, "gnri"),
                _interval(row, 3),
                f"{float(row['effect']):.2f}" if row["effect"] else "-",
                _p(row["holm_p"]),
                _p(row["spread_p"]),
                "-" if paper is None else f"{paper['baseline'][0]:.3f}, {paper['gnri'][0]:.3f}",
                "-" if paper is None else f"{paper['difference'][0]:+.3f}",
            ]
        )
    head = ["atoms", "baseline", "G-NRI", "difference [95 %]", "d", "Holm p", "equal spread p"]
    return (
        f"## {NAMES.get(family, family)}\n\n{rows[0]['pairs']} paired seeds, one-sided Wilcoxon, "
        "Holm over the widths; bootstrap of 10,000 resamples; Brown-Forsythe for the spread.\n\n"
        + markdown([*head, "paper: means", "paper: difference"], body)
    )


def _tables(rows: Rows) -> str:
    body = [
        [
            row["group"],
            f"{row['wins']} of {row['pairs']}",
            _interval(row, 2),
            _p(row["sign_p"]),
            _p(row["wilcoxon_p"]),
            PAPER.format(**SIGNS[row["group"]]) if row["group"] in SIGNS else "-",
        ]
        for row in rows
    ]
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


STUDY = Study("headline_stats", pieces, measure, tables, on_cpu=True, derived=True)
