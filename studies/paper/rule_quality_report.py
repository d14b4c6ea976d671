"""The table of `rule_quality`: accuracy, size, steadiness over seeds, clauses of the MONK's."""

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from statistics import mean

from gnri.rules.dnf import SignedDNF
from gnri.rules.syntax import parse
from gnri.symmetry.audit_report import jaccard
from studies.benchmarks.tables import Rows, in_order, markdown
from studies.paper.monks_targets import MONKS, clause_f1
from studies.paper.published.rq3 import QUALITY
from studies.paper.study import Results

NETWORKS = ("nri", "gnri", "guided+refine")
CONVERGED = 1.05
"""Chains whose Gelman-Rubin figure is below this are taken to have met."""

LINES = {
    "accuracy, %": "accuracy",
    "clauses": "clauses",
    "literals": "literals",
    "Jaccard between seeds": "seed_jaccard",
    "clause F1, MONK's": "clause_f1",
}


def tables(results: Results) -> dict[str, str]:
    """A column for each learner, the paper's figure behind ours."""
    groups = grouped(results)
    if not groups:
        return {}
    found = {name: quality(rows) for name, rows in groups.items()}
    body = [[line, *(_cell(found, name, key) for name in found)] for line, key in LINES.items()]
    body.append(["tables", *(str(len({row["set"] for row in groups[name]})) for name in found)])
    body.append(["fits", *(str(len(groups[name])) for name in found)])
    text = (
        "# Rules beside rules\n\n"
        "Means over tables, folds and seeds; of more than two classes the mean over their rules. "
        "Behind the stroke the paper's (tab:real-summary b). The paper does not say how its trees "
        "were bounded; `cart-16` has sixteen leaves. Between seeds a network is another training, "
        "a tree or RIPPER another order of the same table. Every learner answers by its rules "
        "alone.\n\n"
    )
    lists = _rule_lists([row for row in results.rows("rule_quality") if row["rhat"]])
    return {"rule_quality": text + markdown(["", *found], body) + lists}


def grouped(results: Results) -> dict[str, Rows]:
    """The rows of each network and learner, one shape for both studies."""
    networks = [
        row
        | {"learner": row["condition"], "accuracy": row["voted"]}
        | {"reads": row["rules"], "clause_f1": _clause_f1(row)}
        for row in results.rows("capability")
        if row["condition"] in NETWORKS and row["seed"] != "shipped"
    ]
    rows = networks + [row for row in results.rows("rule_quality") if not row["rhat"]]
    return {
        name: [row for row in rows if row["learner"] == name] for name in in_order(rows, "learner")
    }


def quality(rows: Rows) -> dict[str, float | None]:
    """The figures of one learner, the mean over tables of the mean of each."""
    return {
        "accuracy": _by_table(rows, "accuracy", 100.0),
        "clauses": _by_table(rows, "clauses"),
        "literals": _by_table(rows, "literals"),
        "seed_jaccard": seed_jaccard(rows),
        "clause_f1": _by_table(rows, "clause_f1"),
    }


def seed_jaccard(rows: Rows) -> float | None:
    """Shared literals of the rules of two seeds for the same fold and class, over all pairs."""
    fits: dict[tuple[str, str], list[list[SignedDNF | None]]] = defaultdict(list)
    for row in rows:
        fits[row["set"], row["fold"]].append(rules_in(row["reads"]))
    by_set: dict[str, list[float]] = defaultdict(list)
    for (name, _), found in fits.items():
        for one, other in combinations(found, 2):
            by_set[name].append(mean(jaccard(*pair) for pair in zip(one, other, strict=True)))
    return mean(map(mean, by_set.values())) if by_set else None


def rules_in(cell: str) -> list[SignedDNF | None]:
    """The rules that a cell holds, None where a class has none."""
    return [None if text is None else parse(text) for text in json.loads(cell)]


def _clause_f1(row: dict[str, str]) -> str:
    if row["set"] not in MONKS:
        return ""
    return str(clause_f1(row["set"], rules_in(row["rules"])[0]))


def _by_table(rows: Rows, column: str, scale: float = 1.0) -> float | None:
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row[column]:
            found[row["set"]].append(scale * float(row[column]))
    return mean(map(mean, found.values())) if found else None


def _cell(found: dict[str, dict[str, float | None]], name: str, key: str) -> str:
    ours = found[name][key]
    digits = {"accuracy": 1, "clauses": 2, "literals": 2}.get(key, 3)
    said = "-" if ours is None else f"{ours:.{digits}f}"
    if name not in QUALITY:
        return said
    return f"{said} / {getattr(QUALITY[name], key):.{digits}f}"


def _rule_lists(rows: Rows) -> str:
    """What became of Bayesian rule lists, which the paper could not make converge."""
    if not rows:
        return ""
    met = [row for row in rows if float(row["rhat"]) < CONVERGED]
    body = [[row["set"], *_rule_list(row), f"{float(row['seconds']):.0f}"] for row in rows]
    return (
        "\nBayesian rule lists, which the paper reports as not converging on any fold: one fold "
        f"of {len(rows)} tables with the settings of the package imodels; the chains met "
        f"(Gelman-Rubin below {CONVERGED}) on {len(met)} of {len(rows)}; where there "
        "are dashes it found no condition to begin a list with, and failed.\n\n"
        + markdown(["table", "accuracy, %", "rules", "Gelman-Rubin", "seconds"], body)
    )


def _rule_list(row: Mapping[str, str]) -> list[str]:
    """Accuracy, length and convergence; dashes where the package found no list."""
    if not row["accuracy"]:
        return ["-"] * 3
    accuracy, length = 100 * float(row["accuracy"]), float(row["clauses"])
    return [f"{accuracy:.1f}", f"{length:.0f}", f"{float(row['rhat']):.3f}"]
