"""The tests of `headline_stats` as tables, and the claims that they decide."""

from studies.benchmarks.tables import Rows, in_order, markdown
from studies.paper.claims import claims_table
from studies.paper.published.rq2 import HEADLINE
from studies.paper.published.rq3 import SIGNS
from studies.paper.study import Results

TABLES = "public tables"
LOWER_IS_BETTER = ("bn_max_dev", "g_max_dev")
NAMES = {
    "support_accuracy": "Support accuracy",
    "fresh_fidelity": "Fresh fidelity",
    "label_jaccard": "Jaccard under label swap",
    "bn_max_dev": "Largest drift under B_N",
    "g_max_dev": "Largest drift under all symmetries at once",
}


def tables(results: Results) -> dict[str, str]:
    """The statistics, and the claims; of the claims also those that other studies decide."""
    rows = [row for row in results.rows("headline_stats") if int(row["pairs"])]
    found = {"claims": claims_table(results)}
    if not rows:
        return found
    parts = ["# Tests\n"]
    for family in in_order(rows, "family"):
        here = [row for row in rows if row["family"] == family]
        parts.append(_tables(here) if family == TABLES else _widths(family, here))
    return {"headline_stats": "\n".join(parts)} | found


def _widths(family: str, rows: Rows) -> str:
    """A line for each number of atoms; the paper's figures where it has them."""
    known = HEADLINE.get(family, {})
    body = []
    for row in rows:
        paper = known.get(int(row["group"]))
        body.append(
            [
                row["group"],
                _spread(row, "baseline"),
                _spread(row, "gnri"),
                f"{float(row['difference']):+.3f} [{float(row['low']):+.3f}, "
                f"{float(row['high']):+.3f}]",
                f"{float(row['effect']):.2f}" if row["effect"] else "-",
                _p(row["holm_p"]),
                _p(row["spread_p"]),
                "-" if paper is None else f"{paper.baseline[0]:.3f}, {paper.gnri[0]:.3f}",
                "-" if paper is None else f"{paper.difference[0]:+.3f}",
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
            f"{float(row['difference']):+.2f} [{float(row['low']):+.2f}, "
            f"{float(row['high']):+.2f}]",
            _p(row["sign_p"]),
            _p(row["wilcoxon_p"]),
            _known(row["group"]),
        ]
        for row in rows
    ]
    head = ["tables", "G-NRI above", "points [95 %]", "sign test p", "Wilcoxon p"]
    return "## Public tables\n\nThe table is the unit; one-sided tests.\n\n" + markdown(
        [*head, "paper: above, sign p, Wilcoxon p"], body
    )


def _known(group: str) -> str:
    paper = SIGNS.get(group)
    if paper is None:
        return "-"
    return f"{paper.wins} of {paper.tables}, {paper.sign_p}, {paper.wilcoxon_p}"


def _spread(row: dict[str, str], name: str) -> str:
    deviation = row[f"{name}_sd"]
    middle = f"{float(row[name]):.3f}"
    return f"{middle} ± {float(deviation):.3f}" if deviation else middle


def _p(cell: str) -> str:
    if not cell:
        return "-"
    return "< 0.0001" if float(cell) < 1e-4 else f"{float(cell):.4f}"
