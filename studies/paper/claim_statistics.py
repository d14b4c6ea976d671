"""The statistics that decide the paper's claims, from our rows.

Each is a number to compare and the figures to print, None where its rows are not all there.
"""

from itertools import pairwise
from statistics import mean

import numpy as np
from scipy import stats

from gnri.rules.dnf import SignedDNF
from studies.markdown import distinct, share_of
from studies.paper.capability import means
from studies.paper.lift import lifts_of
from studies.paper.rule_quality import group_rows, means_by_set, rules_in, targets_in
from studies.paper.significance import sign_test, wilcoxon
from studies.paper.stress import changes
from studies.results import Rows
from studies.study import Context

LEVEL = 0.05
FAILED = ("mushroom", "mutag")
STEPS = ("nri", "eqarch", "+tta", "+export", "gnri")

Statistic = tuple[float, str]


def p_value(p: float) -> str:
    """Return a p-value as it is said in a sentence."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


# RQ1: is the exported rule exactly equivariant?


def _worst(rows: Rows) -> Statistic | None:
    if not rows:
        return None
    share = min(float(row["rule_eq"]) for row in rows)
    pairs = sum(int(row["pairs"]) for row in rows)
    trained = len({row["checkpoint"] for row in rows})
    return share, f"worst rule_eq {share_of(share)}, {pairs} pairs, checkpoints: {trained}"


def _each_transform(context: Context, variant: str, *, synthetic: bool) -> Rows:
    return [
        row
        for row in context.rows("rule_eq")
        if row["variant"] == variant and row["transform"] not in ("worst", "all")
        if row["table"].startswith("synthetic") == synthetic
    ]


def worst_synthetic(context: Context, variant: str) -> Statistic | None:
    """Return the worst rule_eq of a variant on synthetic tables."""
    return _worst(_each_transform(context, variant, synthetic=True))


def worst_public(context: Context, of: str) -> Statistic | None:
    """Return the worst rule_eq of the public tables where the paper failed, or of the others."""
    rows = _each_transform(context, "gnri", synthetic=False)
    return _worst([row for row in rows if (row["table"] in FAILED) == (of == "failed")])


def worst_schema(context: Context) -> Statistic | None:
    """Return the worst rule_eq of the tables that have one-hot blocks."""
    return _worst([row for row in context.rows("schema_rule_eq") if int(row["blocks"])])


def share_within_margin(context: Context) -> Statistic | None:
    """Return the share of pairs within the margin whose rules are equivalent."""
    rows = [row for row in context.rows("drift") if row["by"] == "within margin"]
    if not rows:
        return None
    pairs, equal = (sum(int(row[column]) for row in rows) for column in ("pairs", "equal"))
    return equal / pairs, f"{equal} of {pairs} pairs"


# RQ2: does it hold far beyond the widths it was trained on?


Seeds = dict[tuple[str, str, int], float]
"""A figure by condition, seed and number of atoms."""


def _figure(context: Context, study: str, column: str) -> Seeds:
    return {
        (row["condition"], row["seed"], int(row["atoms"])): float(row[column])
        for row in context.rows(study)
        if row[column] and row["seed"] != "shipped"
    }


def _means(found: Seeds, condition: str) -> dict[int, float]:
    return {
        atoms: mean(v for (name, _, n), v in found.items() if (name, n) == (condition, atoms))
        for atoms in sorted({atoms for name, _, atoms in found if name == condition})
    }


def largest_p(context: Context, family: str) -> Statistic | None:
    """Return the largest p of the widths after Holm."""
    rows = [row for row in context.rows("headline_stats") if row["family"] == family]
    values = [float(row["holm_p"]) for row in rows if int(row["pairs"])]
    if not values:
        return None
    passed, largest = sum(p < LEVEL for p in values), max(values)
    return largest, f"{passed} of {len(values)} widths, largest {p_value(largest)}"


def gap_to_majority(context: Context) -> Statistic | None:
    """Return the baseline's support accuracy less the majority's at the largest width."""
    found = _figure(context, "scaling", "support_accuracy")
    base, anchor = _means(found, "nri"), _means(found, "majority")
    if not base or not anchor:
        return None
    widest = max(base)
    said = f"{base[widest]:.3f} at {widest} atoms, the majority class {anchor[widest]:.3f}"
    return base[widest] - anchor[widest], said


def p_of_slopes(context: Context) -> Statistic | None:
    """Return the test of the slopes of each seed's lift against the logarithm of the width."""
    found = _figure(context, "scaling", "fresh_fidelity")
    slopes = []
    for seed in sorted({seed for name, seed, _ in found if name == "nri"}):
        widths = [n for name, s, n in found if (name, s) == ("nri", seed)]
        lifts = [found.get(("gnri", seed, n), np.nan) - found["nri", seed, n] for n in widths]
        if len(widths) > 1 and not np.isnan(lifts).any():
            slopes.append(float(np.polyfit(np.log2(widths), lifts, 1)[0]))
    if not slopes:
        return None
    p = wilcoxon(slopes)
    return p, f"{mean(slopes):+.4f} for each doubling, {p_value(p)}"


def widths_below_literal(context: Context) -> Statistic | None:
    """Return at how many widths G-NRI is not above the best literal."""
    found = _figure(context, "scaling", "fresh_fidelity")
    ours, literal = _means(found, "gnri"), _means(found, "best literal")
    shared = sorted(set(ours) & set(literal))
    if not shared:
        return None
    below = [str(atoms) for atoms in shared if ours[atoms] <= literal[atoms]]
    said = f"not above it at {', '.join(below)} atoms" if below else "above it at every width"
    return len(below), said


def other_largest_steps(context: Context) -> Statistic | None:
    """Return at how many widths the largest step is not the architecture's."""
    found = _figure(context, "decomposition", "support_accuracy")
    by = {condition: _means(found, condition) for condition in STEPS}
    if not all(by.values()):
        return None
    others, said = 0, []
    for atoms in by["nri"]:
        steps = {b: by[b][atoms] - by[a][atoms] for a, b in pairwise(STEPS)}
        best = max(steps, key=lambda name: steps[name])
        others += best != "eqarch"
        said.append(f"{best} {steps[best]:+.3f} at {atoms}")
    return others, ", ".join(said)


def p_of_training(context: Context) -> Statistic | None:
    """Return the largest p of symmetrised training over the widths."""
    found = _figure(context, "decomposition", "support_accuracy")
    pairs = [
        (found["gnri", seed, atoms] - value, atoms)
        for (name, seed, atoms), value in found.items()
        if name == "+export" and ("gnri", seed, atoms) in found
    ]
    if not pairs:
        return None
    tested = {n: wilcoxon([d for d, atoms in pairs if atoms == n]) for _, n in pairs}
    return max(tested.values()), ", ".join(f"{p_value(p)} at {n}" for n, p in tested.items())


def largest_cost_ratio(context: Context) -> Statistic | None:
    """Return the largest ratio of G-NRI's time to the baseline's."""
    rows = {(r["device"], r["atoms"], r["condition"]): r for r in context.rows("cost")}
    ratios = [
        float(rows[device, atoms, "gnri"]["milliseconds"]) / float(row["milliseconds"])
        for (device, atoms, condition), row in rows.items()
        if condition == "nri" and (device, atoms, "gnri") in rows
    ]
    if not ratios:
        return None
    return max(ratios), f"{min(ratios):.2f} to {max(ratios):.2f} times"


# RQ3: is it better on real tables, and are its rules small?


def p_of_wins(context: Context) -> Statistic | None:
    """Return the sign test of the lifts over tables."""
    lifts = list(lifts_of(context.rows("capability")).values())
    if not lifts:
        return None
    p, wins = sign_test(lifts), sum(lift > 0 for lift in lifts)
    return p, f"above on {wins} of {len(lifts)}, {p_value(p)}"


def p_of_lift(context: Context) -> Statistic | None:
    """Return the signed-rank test of the lifts over tables."""
    lifts = list(lifts_of(context.rows("capability")).values())
    if not lifts:
        return None
    p = wilcoxon(lifts)
    return p, f"{mean(lifts):+.2f} points, {p_value(p)}"


def lift_of_eqarch(context: Context) -> Statistic | None:
    """Return EqArch's mean accuracy less the baseline's, in points."""
    found = means(context.rows("capability"))
    names = [name for name, c in found if c == "eqarch" and (name, "nri") in found]
    if not names:
        return None
    lift = mean(found[name, "eqarch"] - found[name, "nri"] for name in names)
    return lift, f"{lift:+.2f} points"


def falls_of_lift(context: Context, without: str = "") -> Statistic | None:
    """Return how often a wider class gains less; the rank correlation says how sure that is."""
    rows = context.rows("capability")
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    classes = [r for r in context.rows("lift") if r["without"] == without and r["ours"]]
    if len(classes) < 2:
        return None
    ours = [float(row["ours"]) for row in classes]
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    widths = [atoms[name] for name in lifts]
    ranks = stats.spearmanr(widths, list(lifts.values()), alternative="greater")
    said = ", ".join(f"{lift:+.2f}" for lift in ours)
    falls = sum(later < earlier for earlier, later in pairwise(ours))
    return falls, f"{said}; Spearman {p_value(float(ranks.pvalue))}"


def p_of_sizes(context: Context) -> Statistic | None:
    """Return the largest p that others' rules have more literals."""
    groups = {name: means_by_set(rows, "literals") for name, rows in group_rows(context).items()}
    ours = groups.get("gnri", {})
    others = {name: groups[name] for name in ("cart", "cart-16", "ripper") if name in groups}
    if not ours or not others:
        return None
    tested = {
        name: wilcoxon([sizes[table] - ours[table] for table in sizes if table in ours])
        for name, sizes in others.items()
    }
    said = f"{mean(ours.values()):.1f} literals; " + ", ".join(
        f"{name} {mean(others[name].values()):.1f} ({p_value(p)})" for name, p in tested.items()
    )
    return max(tested.values()), said


def wrong_monks_rules(context: Context) -> Statistic | None:
    """Return how many rules lack a clause of the true one, or differ from the others."""
    rules: list[SignedDNF | None] = [
        rules_in(row["rules"])[0]
        for row in context.rows("capability")
        if (row["set"], row["condition"], row["fold"]) == ("monks-3", "gnri", "0")
        and row["seed"] != "shipped"
    ]
    if not rules:
        return None
    right = sum(targets_in("monks-3", rule) > 0 for rule in rules)
    said = f"{right} of {len(rules)} seeds have it, {len(set(rules))} different rules"
    return len(rules) - right + len(set(rules)) - 1, said


def p_of_changes(context: Context, transform: str) -> Statistic | None:
    """Return the test that a transform changes G-NRI less than the baseline."""
    rows = context.rows("stress")
    if not rows:
        return None

    def gain(here: Rows) -> list[float]:
        return [mean(changes(here, transform, name) or [0.0]) for name in ("nri", "gnri")]

    tables = [gain([r for r in rows if r["set"] == name]) for name in distinct(rows, "set")]
    p = wilcoxon([base - ours for base, ours in tables])
    base, ours = gain(rows)
    return p, f"{base:.2f} against {ours:.2f} points, {p_value(p)} over tables"
