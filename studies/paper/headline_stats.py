"""The paper's tests on our rows: G-NRI against the baseline, by width and by public table."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

import numpy as np

from studies.benchmarks.results import Row
from studies.benchmarks.tables import Rows
from studies.paper.capability_report import means
from studies.paper.headline_report import LOWER_IS_BETTER, TABLES, tables
from studies.paper.lift import lifts_of
from studies.paper.protocol import Protocol
from studies.paper.published.rq3 import LEFT_OUT
from studies.paper.statistics import (
    bootstrap,
    brown_forsythe,
    effect_size,
    holm,
    sign_test,
    wilcoxon,
)
from studies.paper.study import Piece, Place, Study
from studies.training.streams import stable_seed

BASELINE, OURS = "nri", "gnri"
COLUMNS = (
    *("baseline", "baseline_sd", "gnri", "gnri_sd", "difference", "low", "high", "effect"),
    *("bootstrap_p", "wilcoxon_p", "holm_p", "wins", "sign_p", "spread_p"),
)


@dataclass(frozen=True)
class Settings:
    """[headline_stats] of the protocol: columns of `scaling`, and tables that are not of UCI."""

    metrics: tuple[str, ...]
    not_uci: tuple[str, ...]


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A family of tests for each metric by width, and one for the public tables."""
    metrics = protocol.read("headline_stats", Settings).metrics
    return [{"family": name} for name in (*metrics, TABLES)]


def measure(piece: Piece, place: Place) -> list[Row]:
    """A row for each test of a family; one of no pairs where nothing is measured yet."""
    family = str(piece["family"])
    if family == TABLES:
        not_uci = place.protocol.read("headline_stats", Settings).not_uci
        rows = of_tables(place.found.rows("capability"), not_uci)
    else:
        rows = of_widths(place.found.rows("scaling"), family)
    return rows or [_row("", [], [], family)]


def of_widths(rows: Rows, metric: str) -> list[Row]:
    """Paired by seed at each number of atoms, corrected by Holm over all of them."""
    found = paired(rows, metric)
    if not found:
        return []
    tests = [_row(str(atoms), *both, metric) for atoms, both in found.items()]
    corrected = holm([float(test["wilcoxon_p"]) for test in tests])
    return [test | {"holm_p": p} for test, p in zip(tests, corrected, strict=True)]


def paired(rows: Rows, metric: str) -> dict[int, tuple[list[float], list[float]]]:
    """The baseline's and our figures of the seeds that both have, by number of atoms."""
    known = {(row["condition"], row["seed"], int(row["atoms"])): row for row in rows}
    found: dict[int, tuple[list[float], list[float]]] = {}
    for condition, seed, atoms in sorted(known, key=lambda key: (key[2], key[1])):
        if condition == BASELINE and (OURS, seed, atoms) in known:
            both = found.setdefault(atoms, ([], []))
            both[0].append(float(known[BASELINE, seed, atoms][metric]))
            both[1].append(float(known[OURS, seed, atoms][metric]))
    return found


def of_tables(rows: Rows, not_uci: Sequence[str]) -> list[Row]:
    """The table is the unit: its seeds share folds and rows, and are not independent."""
    accuracy, names = means(rows), list(lifts_of(rows))
    groups = {
        "all": names,
        f"without {LEFT_OUT}": [name for name in names if name != LEFT_OUT],
        "UCI": [name for name in names if name not in not_uci],
        "others": [name for name in names if name in not_uci],
    }
    return [
        _row(
            group,
            [accuracy[name, BASELINE] for name in chosen],
            [accuracy[name, OURS] for name in chosen],
            TABLES,
        )
        for group, chosen in groups.items()
        if chosen
    ]


def _row(group: str, baseline: list[float], ours: list[float], family: str) -> Row:
    """Every figure of one paired comparison; `difference` is ours less the baseline's."""
    row: Row = {"group": group, "pairs": len(ours), **dict.fromkeys(COLUMNS, "")}
    if not ours:
        return row
    differences = np.subtract(ours, baseline)
    better = -differences if family in LOWER_IS_BETTER else differences
    rng = np.random.default_rng(stable_seed("bootstrap", family, group))
    interval, effect = bootstrap(differences, rng=rng), effect_size(differences)
    above = interval.p if family not in LOWER_IS_BETTER else 1 - interval.p
    return row | {
        "baseline": mean(baseline),
        "baseline_sd": _deviation(baseline),
        "gnri": mean(ours),
        "gnri_sd": _deviation(ours),
        "difference": float(differences.mean()),
        "low": interval.low,
        "high": interval.high,
        "effect": "" if effect is None else effect,
        "bootstrap_p": above,
        "wilcoxon_p": wilcoxon(better),
        "wins": int((better > 0).sum()),
        "sign_p": sign_test(better),
        "spread_p": brown_forsythe(baseline, ours) if len(ours) > 1 else "",
    }


def _deviation(found: list[float]) -> float | str:
    return stdev(found) if len(found) > 1 else ""


STUDY = Study(
    name="headline_stats",
    says="the paper's tests, and what of its claims they confirm (tab:full_headline)",
    pieces=pieces,
    measure=measure,
    tables=tables,
    on_cpu=True,
    derived=True,
)
