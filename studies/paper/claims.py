"""What the paper claims (claims.toml), each with the statistic of our rows that decides it."""

from collections import defaultdict
from itertools import pairwise
from operator import eq, le, lt
from statistics import mean
from typing import Any, TypeVar

import numpy as np
from scipy import stats

from studies import read_data
from studies.markdown import distinct, share_of
from studies.paper.capability import means
from studies.paper.lift import lifts_of
from studies.paper.networks import SHIPPED
from studies.paper.rule_equality import FAILED, SYNTHETIC
from studies.paper.rule_quality import group_rows, means_by_set, rules_in, targets_in
from studies.paper.significance import sign_test, wilcoxon
from studies.paper.stress import changes
from studies.results import Rows
from studies.study import Context

LEVEL = 0.05
COMPARISONS = {"=": eq, "<": lt, "<=": le}
HEAD = ("claim", "decided by", "found", "verdict")
STEPS = ("nri", "eqarch", "+tta", "+export", "gnri")

Statistic = tuple[float, str]
Found = TypeVar("Found")


class NotMeasuredError(Exception):
    """The rows that decide a claim are not all there."""


def claims_page(context: Context) -> str:
    """Return every claim with its verdict, by research question."""
    parts = ["# Claims\n"]
    for question, claims in read_data("studies.paper", "claims.toml").items():
        lines = [HEAD, ["---"] * 4]
        lines += [[claim["claim"], claim["test"], *_verdict(claim, context)] for claim in claims]
        parts += [f"## {question}\n", *(f"| {' | '.join(line)} |" for line in lines), ""]
    return "\n".join(parts)


def _verdict(claim: dict[str, Any], context: Context) -> tuple[str, str]:
    """Return what was found, and whether it is what the claim asks for."""
    try:
        number, text = globals()[claim["statistic"]](context, **claim.get("of", {}))
    except NotMeasuredError:
        return "-", "not measured yet"
    comparison, bound = claim["must_be"].split()
    holds = COMPARISONS[comparison](number, float(bound))
    return text, "confirmed" if holds else "**not confirmed**"


def _required(found: Found) -> Found:
    if not found:
        raise NotMeasuredError
    return found


def _p(p: float) -> str:
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"


# RQ1: is the exported rule exactly equivariant?


def worst_share(context: Context, tables: str, variant: str = "gnri") -> Statistic:
    """Return the worst rule_eq of a variant on a group of tables."""
    if tables == "with blocks":
        rows = [row for row in context.rows("schema_rule_eq") if int(row["blocks"])]
    else:
        rows = [row for row in context.rows("rule_eq") if row["variant"] == variant]
        rows = [row for row in rows if row["transform"] not in ("worst", "all")]
        rows = [row for row in rows if _group(row["table"]) == tables]
    share = min(float(row["rule_eq"]) for row in _required(rows))
    pairs = sum(int(row["pairs"]) for row in rows)
    trained = len({row["checkpoint"] for row in rows})
    return share, f"worst rule_eq {share_of(share)}, {pairs} pairs, checkpoints: {trained}"


def _group(table: str) -> str:
    if table.startswith(SYNTHETIC):
        return "synthetic"
    return "failed" if table in FAILED else "others"


def share_within_margin(context: Context) -> Statistic:
    """Return the share of pairs within the margin whose rules are equivalent."""
    rows = _required([row for row in context.rows("drift") if row["by"] == "within margin"])
    pairs, equal = (sum(int(row[column]) for row in rows) for column in ("pairs", "equal"))
    return equal / pairs, f"{equal} of {pairs} pairs"


# RQ2: does it hold far beyond the widths it was trained on?


Figures = dict[int, dict[str, float]]  # a figure by number of atoms and seed


def _figures(context: Context, study: str, column: str, *conditions: str) -> list[Figures]:
    """Return a column of the rows of each condition, all of which must be there."""
    found: dict[str, Figures] = {name: defaultdict(dict) for name in conditions}
    for row in context.rows(study):
        if row["condition"] in found and row[column] and row["seed"] != SHIPPED:
            found[row["condition"]][int(row["atoms"])][row["seed"]] = float(row[column])
    return [_required(found[name]) for name in conditions]


def _means(found: Figures) -> dict[int, float]:
    return {atoms: mean(found[atoms].values()) for atoms in sorted(found)}


def largest_p(context: Context, family: str) -> Statistic:
    """Return the largest p of the widths after Holm."""
    rows = [row for row in context.rows("headline_stats") if row["family"] == family]
    values = _required([float(row["holm_p"]) for row in rows if int(row["pairs"])])
    passed, largest = sum(p < LEVEL for p in values), max(values)
    return largest, f"{passed} of {len(values)} widths, largest {_p(largest)}"


def gap_to_majority(context: Context) -> Statistic:
    """Return the baseline's support accuracy less the majority's at the largest width."""
    found = _figures(context, "scaling", "support_accuracy", "nri", "majority")
    base, anchor = map(_means, found)
    widest = max(base)
    said = f"{base[widest]:.3f} at {widest} atoms, the majority class {anchor[widest]:.3f}"
    return base[widest] - anchor[widest], said


def p_of_slopes(context: Context) -> Statistic:
    """Return the test of the slopes of each seed's lift against the logarithm of the width."""
    base, ours = _figures(context, "scaling", "fresh_fidelity", "nri", "gnri")
    slopes = []
    for seed in sorted({seed for seeds in base.values() for seed in seeds}):
        widths = [atoms for atoms in base if seed in base[atoms]]
        if len(widths) > 1 and all(seed in ours[atoms] for atoms in widths):
            lifts = [ours[atoms][seed] - base[atoms][seed] for atoms in widths]
            slopes.append(float(np.polyfit(np.log2(widths), lifts, 1)[0]))
    p = wilcoxon(_required(slopes))
    return p, f"{mean(slopes):+.4f} for each doubling, {_p(p)}"


def widths_below_literal(context: Context) -> Statistic:
    """Return at how many widths G-NRI is not above the best literal."""
    found = _figures(context, "scaling", "fresh_fidelity", "gnri", "best literal")
    ours, literal = map(_means, found)
    shared = _required([atoms for atoms in ours if atoms in literal])
    below = [str(atoms) for atoms in shared if ours[atoms] <= literal[atoms]]
    said = f"not above it at {', '.join(below)} atoms" if below else "above it at every width"
    return len(below), said


def other_largest_steps(context: Context) -> Statistic:
    """Return at how many widths the largest step is not the architecture's."""
    found = _figures(context, "decomposition", "support_accuracy", *STEPS)
    by = dict(zip(STEPS, map(_means, found), strict=True))
    others, said = 0, []
    for atoms in by["nri"]:
        steps = {b: by[b][atoms] - by[a][atoms] for a, b in pairwise(STEPS)}
        best = max(steps, key=lambda name: steps[name])
        others += best != "eqarch"
        said.append(f"{best} {steps[best]:+.3f} at {atoms}")
    return others, ", ".join(said)


def p_of_training(context: Context) -> Statistic:
    """Return the largest p of symmetrised training over the widths."""
    before, after = _figures(context, "decomposition", "support_accuracy", "+export", "gnri")
    tested = {
        atoms: wilcoxon([after[atoms][s] - seeds[s] for s in seeds if s in after[atoms]])
        for atoms, seeds in before.items()
        if seeds.keys() & after[atoms].keys()
    }
    largest = max(_required(tested).values())
    return largest, ", ".join(f"{_p(p)} at {atoms}" for atoms, p in tested.items())


def largest_cost_ratio(context: Context) -> Statistic:
    """Return the largest ratio of G-NRI's time to the baseline's."""
    rows = context.rows("cost")
    times = {(r["device"], r["atoms"], r["condition"]): float(r["milliseconds"]) for r in rows}
    ratios = [
        times[device, atoms, "gnri"] / time
        for (device, atoms, condition), time in times.items()
        if condition == "nri" and (device, atoms, "gnri") in times
    ]
    return max(_required(ratios)), f"{min(ratios):.2f} to {max(ratios):.2f} times"


# RQ3: is it better on real tables, and are its rules small?


def p_of_wins(context: Context) -> Statistic:
    """Return the sign test of the lifts over tables."""
    lifts = _required(list(lifts_of(context.rows("capability")).values()))
    p, wins = sign_test(lifts), sum(lift > 0 for lift in lifts)
    return p, f"above on {wins} of {len(lifts)}, {_p(p)}"


def p_of_lift(context: Context) -> Statistic:
    """Return the signed-rank test of the lifts over tables."""
    lifts = _required(list(lifts_of(context.rows("capability")).values()))
    p = wilcoxon(lifts)
    return p, f"{mean(lifts):+.2f} points, {_p(p)}"


def lift_of_eqarch(context: Context) -> Statistic:
    """Return EqArch's mean accuracy less the baseline's, in points."""
    found = means(context.rows("capability"))
    names = [name for name, c in found if c == "eqarch" and (name, "nri") in found]
    lift = mean(found[name, "eqarch"] - found[name, "nri"] for name in _required(names))
    return lift, f"{lift:+.2f} points"


def falls_of_lift(context: Context, without: str = "") -> Statistic:
    """Return how often a wider class gains less; the rank correlation says how sure that is."""
    classes = [r for r in context.rows("lift") if r["without"] == without and r["ours"]]
    ours = [float(row["ours"]) for row in classes]
    _required(len(ours) > 1)
    rows = context.rows("capability")
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    widths = [atoms[name] for name in lifts]
    ranks = stats.spearmanr(widths, list(lifts.values()), alternative="greater")
    said = ", ".join(f"{lift:+.2f}" for lift in ours)
    falls = sum(later < earlier for earlier, later in pairwise(ours))
    return falls, f"{said}; Spearman {_p(float(ranks.pvalue))}"


def p_of_sizes(context: Context) -> Statistic:
    """Return the largest p that others' rules have more literals."""
    groups = {name: means_by_set(rows, "literals") for name, rows in group_rows(context).items()}
    ours = _required(groups.get("gnri", {}))
    tested = {
        name: wilcoxon([size - ours[t] for t, size in groups[name].items() if t in ours])
        for name in ("cart", "cart-16", "ripper")
        if name in groups
    }
    said = [f"{name} {mean(groups[name].values()):.1f} ({_p(p)})" for name, p in tested.items()]
    largest = max(_required(tested).values())
    return largest, f"{mean(ours.values()):.1f} literals; " + ", ".join(said)


def wrong_monks_rules(context: Context) -> Statistic:
    """Return how many rules lack a clause of the true one, or differ from the others."""
    rules = [
        rules_in(row["rules"])[0]
        for row in context.rows("capability")
        if (row["set"], row["condition"], row["fold"]) == ("monks-3", "gnri", "0")
        and row["seed"] != SHIPPED
    ]
    right = sum(targets_in("monks-3", rule) > 0 for rule in _required(rules))
    said = f"{right} of {len(rules)} seeds have it, {len(set(rules))} different rules"
    return len(rules) - right + len(set(rules)) - 1, said


def p_of_changes(context: Context, transform: str) -> Statistic:
    """Return the test that a transform changes G-NRI less than the baseline."""
    rows = _required(context.rows("stress"))

    def both(here: Rows) -> list[float]:
        return [mean(changes(here, transform, name) or [0.0]) for name in ("nri", "gnri")]

    tables = [both([r for r in rows if r["set"] == name]) for name in distinct(rows, "set")]
    p = wilcoxon([base - ours for base, ours in tables])
    base, ours = both(rows)
    return p, f"{base:.2f} against {ours:.2f} points, {_p(p)} over tables"
