"""What the paper claims (claims/*.toml), each with the figure of our rows that decides it."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from operator import eq, ge, gt, le, lt
from statistics import mean
from typing import Any

import numpy as np
from scipy import stats

from studies import read_data
from studies.markdown import distinct, spread_of
from studies.paper import PUBLISHED, claim_figures
from studies.paper.capability import by_width, lifts_of
from studies.paper.claim_figures import (
    LEVEL,
    NotMeasuredError,
    Statistic,
    Where,
    by_group,
    chosen,
    required,
    said_p,
    values,
)
from studies.paper.rule_quality import group_rows, means_by_set, rules_in, seed_jaccard, targets_in
from studies.paper.significance import sign_test, wilcoxon
from studies.study import Context

COMPARISONS = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}
QUESTIONS = ("theory", "RQ1", "A", "RQ2", "RQ3")
HEAD = ("", "claim", "the paper", "ours", "verdict", "why", "from")


def claims_page(context: Context) -> str:
    """Return every claim with its verdict."""
    lines: list[Sequence[str]] = [HEAD, ["---"] * len(HEAD)]
    for question in QUESTIONS:
        for number, claim in enumerate(claims_of(question), 1):
            study = claim.get("study", "")
            parts = claim["claim"], claim["paper"], *verdict_on(claim, context), claim["why"]
            lines.append([f"{question}.{number}", *parts, f"`{study}`" if study else "-"])
    return "\n".join(["# Claims\n", *(f"| {' | '.join(line)} |" for line in lines), ""])


def claims_of(question: str) -> list[dict[str, Any]]:
    """Return the claims about a question."""
    found: list[dict[str, Any]] = read_data("studies.paper", f"claims/{question}.toml")[question]
    return found


def verdict_on(claim: Mapping[str, Any], context: Context) -> tuple[str, str]:
    """Return what was found, and whether it is what the claim asks for."""
    if "verdict" in claim:  # no figure decides it
        return claim["ours"], claim["verdict"]
    try:
        number, text = statistic_named(claim["by"])(context, claim["study"], **claim.get("of", {}))
    except NotMeasuredError:
        return "-", "not measured yet"
    comparison, bound = claim["is"].split()
    holds = COMPARISONS[comparison](number, float(bound))
    return text, "confirmed" if holds else "**not confirmed**"


def statistic_named(name: str) -> Callable[..., Statistic]:
    """Return what decides a claim, here or in `claim_figures`."""
    found: Callable[..., Statistic] = {**vars(claim_figures), **globals()}[name]
    return found


# RQ1


def lowest_diverging(context: Context, study: str, by: str, below: int) -> Statistic:
    """Return how many rules differ at a drift below a power of ten, in any variant."""
    rows = required([row for row in context.rows(study) if row["by"] == by])
    low = [row for row in rows if row["bin"] == "none" or int(row["bin"]) < below]
    pairs, equal = (sum(int(row[column]) for row in low) for column in ("pairs", "equal"))
    differing = [int(r["bin"]) for r in rows if r["pairs"] != r["equal"] and r["bin"] != "none"]
    first = f"the lowest drift of a rule that differs is 1e{min(differing)}" if differing else ""
    return pairs - equal, f"{pairs - equal} of {pairs} differ below 1e{below}; {first}"


def share_within_margin(context: Context, study: str) -> Statistic:
    """Return the share of pairs within the margin whose rules are equivalent."""
    rows = required([row for row in context.rows(study) if row["by"] == "within margin"])
    pairs, equal = (sum(int(row[column]) for row in rows) for column in ("pairs", "equal"))
    return equal / pairs, f"{equal} of {pairs} pairs"


def empty_rules(context: Context, study: str, table: str, place: int) -> Statistic:
    """Return of how many seeds a class of a table never gets a rule."""
    found = defaultdict(list)
    for row in chosen(context.rows(study), {"set": table, "condition": "gnri"}):
        found[row["seed"]].append(rules_in(row["rules"])[place] is None)
    never = sum(all(each) for each in required(found).values())
    return never, f"{never} of {len(found)} seeds"


def other_schemas(context: Context, study: str) -> Statistic:
    """Return of how many tables blocks or order of the schema group are not the paper's."""
    rows = {row["set" if "set" in row else "table"]: row for row in required(context.rows(study))}
    other = [
        name
        for name, known in PUBLISHED["schemas"].items()
        if name not in rows
        or int(rows[name]["blocks"]) != known["blocks"]
        or abs(float(rows[name]["log10_order"]) - known["log_order"]) > 0.006
    ]
    return len(other), f"{len(rows) - len(other)} of {len(rows)} tables agree"


def rail_ties(context: Context, study: str) -> Statistic:
    """Return the largest share of episodes, over widths, whose rails tie."""
    rows, where = context.rows(study), {"condition": "gnri", "readout": "compared"}
    covered, empty = (by_group(rows, column, where, "atoms") for column in ("coverage", "empty"))
    tied = {key[0]: round(1 - covered[key] - empty[key], 9) for key in covered}
    said = ", ".join(f"{share:.3f} at {atoms}" for atoms, share in tied.items() if share)
    most = max(empty.values())
    return max(tied.values()), f"rails tie: {said or 'never'}; no clause: at most {most:.3f}"


# RQ2


def chance(context: Context, study: str, readout: str) -> Statistic:
    """Return 1 where the baseline at the largest width is below the majority, not above 1/2."""
    rows = chosen(context.rows(study), {"condition": "nri", "readout": readout})
    widest = str(max(int(row["atoms"]) for row in required(rows)))
    here = [row for row in rows if row["atoms"] == widest]
    found = [float(row["support_accuracy"]) for row in here]
    anchors = context.rows("scaling")
    majority = values(anchors, "support_accuracy", {"condition": "majority", "atoms": widest})[0]
    below = wilcoxon([majority - value for value in found])
    above = wilcoxon([value - 0.5 for value in found])
    yes, positive = (mean(float(row[column]) for row in here) for column in ("yes", "positive"))
    said = f"{spread_of(found)} at {widest} atoms; below the majority's {majority:.3f}: "
    said += f"{said_p(below)}; above 0.5: {said_p(above)}; says yes to {yes:.3f} of rows, "
    return float(below < LEVEL <= above), said + f"of which {positive:.3f} are positive"


def trail(context: Context, study: str) -> Statistic:
    """Return the least gap from support accuracy to fidelity over the widths."""
    rows, where = context.rows(study), {"condition": "gnri", "readout": "compared"}
    both = [by_group(rows, c, where, "atoms") for c in ("support_accuracy", "fresh_fidelity")]
    gaps = [both[0][key] - both[1][key] for key in both[0]]
    return min(gaps), f"by {min(gaps):.3f} to {max(gaps):.3f}"


def widths_below_literal(context: Context, study: str) -> Statistic:
    """Return at how many widths G-NRI is not above the best literal."""
    rows = context.rows(study)
    ours, literal = (
        by_group(rows, "fresh_fidelity", {"condition": name}, "atoms")
        for name in ("gnri", "best literal")
    )
    shared = required([key for key in ours if key in literal])
    below = [key[0] for key in shared if ours[key] <= literal[key]]
    return len(below), f"not above it at {', '.join(below) or 'no'} atoms"


def other_largest_steps(context: Context, study: str, steps: Sequence[Where]) -> Statistic:
    """Return at how many widths the largest step is not the first."""
    found = [by_group(context.rows(study), "support_accuracy", step, "atoms") for step in steps]
    others, said = 0, []
    for key in found[0]:
        gains = [after[key] - before[key] for before, after in pairwise(found)]
        best = int(np.argmax(gains))
        others += best != 0
        said.append(f"{' '.join(f'{gain:+.3f}' for gain in gains)} at {key[0]}")
    return others, "; ".join(said)


def bottleneck(context: Context, study: str) -> Statistic:
    """Return the rules lost by more clauses, less those lost by more atoms."""
    found = by_group(context.rows(study), "recovered", {}, "clauses", "atoms")
    clauses, atoms = (sorted({int(key[place]) for key in found}) for place in (0, 1))
    first = found[str(clauses[0]), str(atoms[0])]
    by_clauses = first - found[str(clauses[-1]), str(atoms[0])]
    by_atoms = first - found[str(clauses[0]), str(atoms[-1])]
    said = f"{first:.2f} found; {by_clauses:.2f} lost with {clauses[-1]} clauses, "
    return by_clauses - by_atoms, said + f"{by_atoms:.2f} with {atoms[-1]} atoms"


# RQ3


def p_of_wins(context: Context, study: str, tables: Where) -> Statistic:
    """Return the sign test of the lifts over tables."""
    lifts = required(list(lifts_of(chosen(context.rows(study), tables)).values()))
    p, wins = sign_test(lifts), sum(lift > 0 for lift in lifts)
    return p, f"above on {wins} of {len(lifts)}, {said_p(p)}"


def worst_lift(context: Context, study: str, without: Sequence[str] = ()) -> Statistic:
    """Return the largest loss of a table, in points."""
    lifts = lifts_of(chosen(context.rows(study), {}))
    kept = required({name: lift for name, lift in lifts.items() if name not in without})
    worst = min(kept, key=lambda name: kept[name])
    losses = sorted(name for name, lift in kept.items() if lift < 0)
    return kept[worst], f"{worst} {kept[worst]:+.1f}; losses on {len(losses)} tables"


def losses(context: Context, study: str, sets: Sequence[str], expected: Sequence[str]) -> Statistic:
    """Return on how many tables it loses where the paper's does not, or the other way."""
    lifts = lifts_of(chosen(context.rows(study), {"set": sets}))
    lost = [name for name, lift in required(lifts).items() if round(lift, 2) < 0]
    return len(set(lost) ^ set(expected)), f"loses on {', '.join(lost) or 'none'}"


def gap_closed(context: Context, study: str, above: int) -> Statistic:
    """Return the share of the gap from the baseline to a tree that G-NRI closes on wide tables."""
    rows = [row for row in context.rows(study) if int(row["atoms"]) > above]
    base, ours, tree = (
        mean(by_group(rows, "accuracy", {"condition": name}, "set").values())
        for name in ("nri", "gnri", "cart")
    )
    share = (ours - base) / (tree - base)
    return share, f"{share:.2f} of {100 * (tree - base):.1f} points"


def widest_gap(context: Context, study: str, base: str, expected: str) -> Statistic:
    """Return how many tables G-NRI is farther behind another learner on than on the expected."""
    rows = context.rows(study)
    ours, other = (by_group(rows, "accuracy", {"condition": c}, "set") for c in ("gnri", base))
    behind = {key[0]: 100 * (other[key] - ours[key]) for key in required(ours) if key in other}
    wider = [
        n for n in sorted(behind, key=lambda name: -behind[name]) if behind[n] > behind[expected]
    ]
    said = ", ".join(f"{name} {behind[name]:.1f}" for name in (expected, *wider[:3]))
    return len(wider), f"points behind {base}: {said}; {len(wider)} tables are farther"


def falls_of_lift(context: Context, study: str, without: str = "") -> Statistic:
    """Return how often a wider class gains less; the rank correlation says how sure that is."""
    ours = required([lift for _, lift, _ in by_width(context, without).values()])
    rows = context.rows(study)
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    widths = [atoms[name] for name in lifts]
    ranks = stats.spearmanr(widths, list(lifts.values()), alternative="greater")
    said = ", ".join(f"{lift:+.2f}" for lift in ours)
    falls = sum(later < earlier for earlier, later in pairwise(ours))
    return falls, f"{said}; Spearman {said_p(float(ranks.pvalue))}"


def p_of_sizes(context: Context, _: str) -> Statistic:
    """Return the largest p that others' rules have more literals."""
    groups = {name: means_by_set(rows, "literals") for name, rows in group_rows(context).items()}
    ours = required(groups.get("gnri", {}))
    tested = {
        name: wilcoxon([size - ours[t] for t, size in groups[name].items() if t in ours])
        for name in ("cart", "cart-16", "ripper")
        if name in groups
    }
    said = [f"{name} {mean(groups[name].values()):.1f}" for name in tested]
    largest = max(required(tested).values())
    return largest, f"{mean(ours.values()):.1f} literals; {', '.join(said)}; {said_p(largest)}"


def quality_gap(context: Context, _: str, column: str, base: str) -> Statistic:
    """Return G-NRI's figure less another learner's, over the tables that both have."""
    groups = group_rows(context)
    if column == "seed_jaccard":
        found = [seed_jaccard(groups.get(name, [])) or 0.0 for name in ("gnri", base)]
        required(all(found))
    else:
        both = [means_by_set(groups.get(name, []), column) for name in ("gnri", base)]
        shared = required(both[0].keys() & both[1].keys())
        found = [mean(one[name] for name in shared) for one in both]
    return found[0] - found[1], f"{found[0]:.3f} against {found[1]:.3f}"


def wrong_monks_rules(context: Context, study: str, condition: str) -> Statistic:
    """Return how many rules lack a clause of the true one, or differ from the others."""
    where = {"set": "monks-3", "condition": condition, "fold": "0"}
    rules = [rules_in(row["rules"])[0] for row in chosen(context.rows(study), where)]
    right = sum(targets_in("monks-3", rule) > 0 for rule in required(rules))
    said = f"{right} of {len(rules)} seeds have it, {len(set(rules))} different rules"
    return len(rules) - right + len(set(rules)) - 1, said


def tables_below(context: Context, study: str, conditions: Sequence[str]) -> Statistic:
    """Return on how many tables of `where` a condition is below the majority."""
    accuracy = by_group(context.rows(study), "accuracy", {}, "condition", "set")
    sets = [name for c, name in accuracy if c == "majority"]
    said = [
        f"{c}: {', '.join(n for n in required(sets) if accuracy[c, n] < accuracy['majority', n])}"
        for c in conditions
    ]
    required("adult" in sets)
    below = all(accuracy[c, "adult"] < accuracy["majority", "adult"] for c in conditions)
    return float(below), "; ".join(said)


def unlike_rules(context: Context, study: str, expected: Sequence[str]) -> Statistic:
    """Return on how many tables the rules differ where the paper's do not, or the other way."""
    from gnri.symmetry.audit_report import jaccard
    from studies.paper.rule_quality import parse_dnf

    rows = required(context.rows(study))
    read = {(r["set"], r["condition"]): parse_dnf(r["rule"]) for r in rows if r["rule"]}
    unlike = [
        name
        for name in distinct(rows, "set")
        if jaccard(read.get((name, "nri")), read.get((name, "gnri"))) < 0.5
    ]
    return len(set(unlike) ^ set(expected)), ", ".join(unlike)


def lacking_columns(
    context: Context, study: str, expected: Mapping[str, Sequence[str]]
) -> Statistic:
    """Return how many of the columns that the paper names our rules do not read."""
    words = {
        row["set"]: row["words"]
        for row in required(context.rows(study))
        if row["condition"] == "gnri"
    }
    lacking = [
        f"{column} on {name}"
        for name, columns in expected.items()
        for column in columns
        if f'"{column} ' not in words[name]
    ]
    return len(lacking), f"without {', '.join(lacking)}" if lacking else "all are read"
