"""RQ2: does it hold far beyond the widths it was trained on?"""

from collections.abc import Callable
from itertools import pairwise
from statistics import mean

import numpy as np

from studies.paper.claims import LEVEL, Claim, Found, p_value
from studies.paper.statistics import wilcoxon
from studies.paper.study import Results

Seeds = dict[tuple[str, str, int], float]
"""A figure by condition, seed and number of atoms."""


def _figure(results: Results, study: str, column: str) -> Seeds:
    return {
        (row["condition"], row["seed"], int(row["atoms"])): float(row[column])
        for row in results.rows(study)
        if row[column] and row["seed"] != "shipped"
    }


def _means(found: Seeds, condition: str) -> dict[int, float]:
    widths = sorted({atoms for name, _, atoms in found if name == condition})
    return {
        atoms: mean(v for (name, _, n), v in found.items() if (name, n) == (condition, atoms))
        for atoms in widths
    }


def _tested(family: str) -> Callable[[Results], Found | None]:
    """Whether each width is significant after Holm."""

    def decide(results: Results) -> Found | None:
        rows = [r for r in results.rows("headline_stats") if r["family"] == family]
        rows = [row for row in rows if int(row["pairs"])]
        if not rows:
            return None
        passed = [row for row in rows if float(row["holm_p"]) < LEVEL]
        largest = max(float(row["holm_p"]) for row in rows)
        said = f"{len(passed)} of {len(rows)} widths, largest {p_value(largest)}"
        return Found(len(passed) == len(rows), said)

    return decide


def _degrades(results: Results) -> Found | None:
    found = _figure(results, "scaling", "support_accuracy")
    base, anchor = _means(found, "nri"), _means(found, "majority")
    if not base or not anchor:
        return None
    widest = max(base)
    said = f"{base[widest]:.3f} at {widest} atoms, the majority class {anchor[widest]:.3f}"
    return Found(base[widest] < anchor[widest], said)


def _widens(results: Results) -> Found | None:
    """Slopes of the lift of each seed against the logarithm of the width."""
    found = _figure(results, "scaling", "fresh_fidelity")
    seeds = {seed for name, seed, _ in found if name == "nri"}
    slopes = []
    for seed in sorted(seeds):
        widths = [n for name, s, n in found if (name, s) == ("nri", seed)]
        lifts = [found.get(("gnri", seed, n), np.nan) - found["nri", seed, n] for n in widths]
        if len(widths) > 1 and not np.isnan(lifts).any():
            slopes.append(float(np.polyfit(np.log2(widths), lifts, 1)[0]))
    if not slopes:
        return None
    p = wilcoxon(slopes)
    return Found(p < LEVEL, f"{mean(slopes):+.4f} for each doubling, {p_value(p)}")


def _above_literal(results: Results) -> Found | None:
    found = _figure(results, "scaling", "fresh_fidelity")
    ours, literal = _means(found, "gnri"), _means(found, "best literal")
    shared = sorted(set(ours) & set(literal))
    if not shared:
        return None
    below = [str(atoms) for atoms in shared if ours[atoms] <= literal[atoms]]
    said = f"not above it at {', '.join(below)} atoms" if below else "above it at every width"
    return Found(not below, said)


def _largest_step(results: Results) -> Found | None:
    found = _figure(results, "decomposition", "support_accuracy")
    order = ("nri", "eqarch", "+tta", "+export", "gnri")
    by = {condition: _means(found, condition) for condition in order}
    if not all(by.values()):
        return None
    first, said = [], []
    for atoms in by["nri"]:
        steps = {b: by[b][atoms] - by[a][atoms] for a, b in pairwise(order)}
        best = max(steps, key=lambda name: steps[name])
        first.append(best == "eqarch")
        said.append(f"{best} {steps[best]:+.3f} at {atoms}")
    return Found(all(first), ", ".join(said))


def _training(results: Results) -> Found | None:
    found = _figure(results, "decomposition", "support_accuracy")
    pairs = [
        (found["gnri", seed, atoms] - value, atoms)
        for (name, seed, atoms), value in found.items()
        if name == "+export" and ("gnri", seed, atoms) in found
    ]
    if not pairs:
        return None
    tested = {n: wilcoxon([d for d, atoms in pairs if atoms == n]) for _, n in pairs}
    said = ", ".join(f"{p_value(p)} at {atoms}" for atoms, p in tested.items())
    return Found(all(p < LEVEL for p in tested.values()), said)


def _cost(results: Results) -> Found | None:
    rows = {(r["device"], r["atoms"], r["condition"]): r for r in results.rows("cost")}
    ratios = [
        float(rows[device, atoms, "gnri"]["milliseconds"]) / float(row["milliseconds"])
        for (device, atoms, condition), row in rows.items()
        if condition == "nri" and (device, atoms, "gnri") in rows
    ]
    if not ratios:
        return None
    return Found(max(ratios) <= 1.85, f"{min(ratios):.2f} to {max(ratios):.2f} times")


RQ2 = (
    Claim(
        "Support accuracy is above the baseline's at every width",
        "paired Wilcoxon, Holm over the widths",
        _tested("support_accuracy"),
    ),
    Claim(
        "The rule follows a label swap better at every width",
        "the same, Jaccard",
        _tested("label_jaccard"),
    ),
    Claim("Predictions drift less under B_N", "the same, largest drift", _tested("bn_max_dev")),
    Claim(
        "Predictions drift less under all symmetries at once",
        "the same, largest drift",
        _tested("g_max_dev"),
    ),
    Claim(
        "The baseline falls to chance at the largest width",
        "support accuracy below the majority class",
        _degrades,
    ),
    Claim(
        "Fidelity to the hidden rule is above the baseline's at every width",
        "paired Wilcoxon, Holm over the widths",
        _tested("fresh_fidelity"),
    ),
    Claim("That lift widens with the width", "Wilcoxon over the slopes of the seeds", _widens),
    Claim(
        "Not claimed, but what it is worth: rules better than the best literal",
        "mean fidelity at every width",
        _above_literal,
    ),
    Claim("The architecture brings the largest step", "means by component", _largest_step),
    Claim(
        "Symmetrised training adds a little, consistently",
        "paired Wilcoxon at both widths",
        _training,
    ),
    Claim("An answer costs at most 1.8 times the baseline's", "median times", _cost),
)
