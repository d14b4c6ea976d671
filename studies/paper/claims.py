"""What the paper claims (claims/*.toml), each with the figure of our rows that decides it."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from operator import eq, ge, gt, le, lt
from statistics import mean
from typing import Any

import numpy as np
from scipy import stats

from gnri.symmetry.audit_report import jaccard
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
    by_one,
    chosen,
    required,
    said_p,
    values,
)
from studies.paper.headline import sign_test, wilcoxon
from studies.paper.rule_quality import (
    group_rows,
    means_by_set,
    parse_dnf,
    rules_in,
    seed_jaccard,
    targets_in,
)
from studies.paper.stress import with_changes
from studies.results import Rows
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
    study = claim["study"]
    rows = context.rows(study) if study else []
    rows = with_changes(rows) if study == "stress" else rows
    try:
        number, text = statistic_named(claim["by"])(context, rows, **claim.get("of", {}))
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


def _pairs_and_equal(rows: Rows) -> list[int]:
    return [sum(int(row[column]) for row in rows) for column in ("pairs", "equal")]


def lowest_diverging(_: Context, rows: Rows, by: str, below: int) -> Statistic:
    """Return how many rules differ at a drift below a power of ten, in any variant."""
    rows = required([row for row in rows if row["by"] == by])
    low = [row for row in rows if row["bin"] == "none" or int(row["bin"]) < below]
    pairs, equal = _pairs_and_equal(low)
    differing = [int(r["bin"]) for r in rows if r["pairs"] != r["equal"] and r["bin"] != "none"]
    first = f"the lowest drift of a rule that differs is 1e{min(differing)}" if differing else ""
    return pairs - equal, f"{pairs - equal} of {pairs} differ below 1e{below}; {first}"


def share_within_margin(_: Context, rows: Rows) -> Statistic:
    """Return the share of pairs within the margin whose rules are equivalent."""
    pairs, equal = _pairs_and_equal(required([r for r in rows if r["by"] == "within margin"]))
    return equal / pairs, f"{equal} of {pairs} pairs"


def empty_rules(_: Context, rows: Rows, table: str, place: int) -> Statistic:
    """Return of how many seeds a class of a table never gets a rule."""
    found = defaultdict(list)
    for row in chosen(rows, {"set": table, "condition": "gnri"}):
        found[row["seed"]].append(rules_in(row["rules"])[place] is None)
    never = sum(all(each) for each in required(found).values())
    return never, f"{never} of {len(found)} seeds"


def other_schemas(_: Context, rows: Rows) -> Statistic:
    """Return of how many tables blocks or order of the schema group are not the paper's."""
    ours = {row["table"]: row for row in required(rows)}
    other = [
        name
        for name, known in PUBLISHED["schemas"].items()
        if name not in ours
        or int(ours[name]["blocks"]) != known["blocks"]
        or abs(float(ours[name]["log10_order"]) - known["log_order"]) > 0.006
    ]
    return len(other), f"{len(ours) - len(other)} of {len(ours)} tables agree"


COMPARED = {"condition": "gnri", "readout": "compared"}


def rail_ties(_: Context, rows: Rows) -> Statistic:
    """Return the largest share of episodes, over widths, whose rails tie."""
    covered, empty = (by_one(rows, name, COMPARED, "atoms") for name in ("coverage", "empty"))
    tied = {atoms: round(1 - covered[atoms] - empty[atoms], 9) for atoms in covered}
    said = ", ".join(f"{share:.3f} at {atoms}" for atoms, share in tied.items() if share)
    most = max(empty.values())
    return max(tied.values()), f"rails tie: {said or 'never'}; no clause: at most {most:.3f}"


# RQ2


def chance(context: Context, rows: Rows, readout: str) -> Statistic:
    """Return 1 where the baseline at the largest width is below the majority, not above 1/2."""
    rows = required(chosen(rows, {"condition": "nri", "readout": readout}))
    widest = str(max(int(row["atoms"]) for row in rows))
    here = [row for row in rows if row["atoms"] == widest]
    found = [float(row["support_accuracy"]) for row in here]
    anchor = {"condition": "majority", "atoms": widest}
    majority = values(context.rows("scaling"), "support_accuracy", anchor)[0]
    below = wilcoxon([majority - value for value in found])
    above = wilcoxon([value - 0.5 for value in found])
    yes, positive = (mean(float(row[column]) for row in here) for column in ("yes", "positive"))
    said = f"{spread_of(found)} at {widest} atoms; below the majority's {majority:.3f}: "
    said += f"{said_p(below)}; above 0.5: {said_p(above)}; says yes to {yes:.3f} of rows, "
    return float(below < LEVEL <= above), said + f"of which {positive:.3f} are positive"


def trail(_: Context, rows: Rows) -> Statistic:
    """Return the least gap from support accuracy to fidelity over the widths."""
    accuracy = by_one(rows, "support_accuracy", COMPARED, "atoms")
    fidelity = by_one(rows, "fresh_fidelity", COMPARED, "atoms")
    gaps = [accuracy[atoms] - fidelity[atoms] for atoms in accuracy]
    return min(gaps), f"by {min(gaps):.3f} to {max(gaps):.3f}"


def widths_below_literal(_: Context, rows: Rows) -> Statistic:
    """Return at how many widths G-NRI is not above the best literal."""
    ours, literal = (
        by_one(rows, "fresh_fidelity", {"condition": name}, "atoms")
        for name in ("gnri", "best literal")
    )
    shared = required([atoms for atoms in ours if atoms in literal])
    below = [atoms for atoms in shared if ours[atoms] <= literal[atoms]]
    return len(below), f"not above it at {', '.join(below) or 'no'} atoms"


def other_largest_steps(_: Context, rows: Rows, steps: Sequence[Where]) -> Statistic:
    """Return at how many widths the largest step is not the first."""
    found = [by_one(rows, "support_accuracy", step, "atoms") for step in steps]
    others, said = 0, []
    for atoms in found[0]:
        gains = [after[atoms] - before[atoms] for before, after in pairwise(found)]
        others += int(np.argmax(gains)) != 0
        said.append(f"{' '.join(f'{gain:+.3f}' for gain in gains)} at {atoms}")
    return others, "; ".join(said)


def bottleneck(_: Context, rows: Rows) -> Statistic:
    """Return the rules lost by more clauses, less those lost by more atoms."""
    found = by_group(rows, "recovered", {}, "clauses", "atoms")
    clauses, atoms = (sorted({key[place] for key in found}, key=int) for place in (0, 1))
    first = found[clauses[0], atoms[0]]
    by_clauses, by_atoms = (
        first - found[clauses[-1], atoms[0]],
        first - found[clauses[0], atoms[-1]],
    )
    said = f"{first:.2f} found; {by_clauses:.2f} lost with {clauses[-1]} clauses, "
    return by_clauses - by_atoms, said + f"{by_atoms:.2f} with {atoms[-1]} atoms"


# RQ3


def p_of_wins(_: Context, rows: Rows, tables: Where) -> Statistic:
    """Return the sign test of the lifts over tables."""
    lifts = required(list(lifts_of(chosen(rows, tables)).values()))
    p, wins = sign_test(lifts), sum(lift > 0 for lift in lifts)
    return p, f"above on {wins} of {len(lifts)}, {said_p(p)}"


def worst_lift(_: Context, rows: Rows, without: Sequence[str] = ()) -> Statistic:
    """Return the largest loss of a table, in points."""
    lifts = lifts_of(chosen(rows, {}))
    kept = required({name: lift for name, lift in lifts.items() if name not in without})
    worst = min(kept, key=lambda name: kept[name])
    losses = sum(lift < 0 for lift in kept.values())
    return kept[worst], f"{worst} {kept[worst]:+.1f}; losses on {losses} tables"


def losses(_: Context, rows: Rows, sets: Sequence[str], expected: Sequence[str]) -> Statistic:
    """Return on how many tables it loses where the paper's does not, or the other way."""
    lifts = required(lifts_of(chosen(rows, {"set": sets})))
    lost = [name for name, lift in lifts.items() if round(lift, 2) < 0]
    return len(set(lost) ^ set(expected)), f"loses on {', '.join(lost) or 'none'}"


def gap_closed(_: Context, rows: Rows, above: int) -> Statistic:
    """Return the share of the gap from the baseline to a tree that G-NRI closes on wide tables."""
    rows = [row for row in rows if int(row["atoms"]) > above]
    base, ours, tree = (
        mean(by_one(rows, "accuracy", {"condition": name}, "set").values())
        for name in ("nri", "gnri", "cart")
    )
    share = (ours - base) / required(tree - base)
    return share, f"{share:.2f} of {100 * (tree - base):.1f} points"


def widest_gap(_: Context, rows: Rows, base: str, expected: str) -> Statistic:
    """Return how many tables G-NRI is farther behind another learner on than on the expected."""
    ours, other = (by_one(rows, "accuracy", {"condition": c}, "set") for c in ("gnri", base))
    behind = {name: 100 * (other[name] - ours[name]) for name in ours if name in other}
    required(expected in behind)
    wider = sorted((n for n in behind if behind[n] > behind[expected]), key=lambda n: -behind[n])
    said = ", ".join(f"{name} {behind[name]:.1f}" for name in (expected, *wider[:3]))
    return len(wider), f"points behind {base}: {said}; {len(wider)} tables are farther"


def falls_of_lift(context: Context, rows: Rows, without: str = "") -> Statistic:
    """Return how often a wider class gains less; the rank correlation says how sure that is."""
    ours = required([lift for _, lift, _ in by_width(context, without).values()])
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    widths = [atoms[name] for name in lifts]
    ranks = stats.spearmanr(widths, list(lifts.values()), alternative="greater")
    said = ", ".join(f"{lift:+.2f}" for lift in ours)
    falls = sum(later < earlier for earlier, later in pairwise(ours))
    return falls, f"{said}; Spearman {said_p(float(ranks.pvalue))}"


def p_of_sizes(context: Context, _: Rows) -> Statistic:
    """Return the largest p that others' rules have more literals."""
    groups = {name: means_by_set(rows, "literals") for name, rows in group_rows(context).items()}
    ours = required(groups.get("gnri", {}))
    others = {name: groups[name] for name in ("cart", "cart-16", "ripper") if name in groups}
    largest = max(
        wilcoxon([size - ours[table] for table, size in sizes.items() if table in ours])
        for sizes in required(others).values()
    )
    said = ", ".join(f"{name} {mean(sizes.values()):.1f}" for name, sizes in others.items())
    return largest, f"{mean(ours.values()):.1f} literals; {said}; {said_p(largest)}"


def quality_gap(context: Context, _: Rows, column: str, base: str) -> Statistic:
    """Return G-NRI's figure less another learner's, over the tables that both have."""
    groups = [group_rows(context).get(name, []) for name in ("gnri", base)]
    if column == "seed_jaccard":
        found = [seed_jaccard(rows) or 0.0 for rows in groups]
        required(all(found))
    else:
        both = [means_by_set(rows, column) for rows in groups]
        shared = required(both[0].keys() & both[1].keys())
        found = [mean(one[name] for name in shared) for one in both]
    return found[0] - found[1], f"{found[0]:.3f} against {found[1]:.3f}"


def wrong_monks_rules(_: Context, rows: Rows, condition: str) -> Statistic:
    """Return how many rules lack a clause of the true one, or differ from the others."""
    where = {"set": "monks-3", "condition": condition, "fold": "0"}
    rules = required([rules_in(row["rules"])[0] for row in chosen(rows, where)])
    right = sum(targets_in("monks-3", rule) > 0 for rule in rules)
    said = f"{right} of {len(rules)} seeds have it, {len(set(rules))} different rules"
    return len(rules) - right + len(set(rules)) - 1, said


def tables_below(_: Context, rows: Rows, conditions: Sequence[str]) -> Statistic:
    """Return 1 where all conditions are below the majority on adult; print all such tables."""
    least, *found = (
        by_one(rows, "accuracy", {"condition": c}, "set") for c in ("majority", *conditions)
    )
    below = [[name for name in least if one[name] < least[name]] for one in found]
    said = (f"{c}: {', '.join(names)}" for c, names in zip(conditions, below, strict=True))
    required("adult" in least)
    return float(all("adult" in names for names in below)), "; ".join(said)


def unlike_rules(_: Context, rows: Rows, expected: Sequence[str]) -> Statistic:
    """Return on how many tables the rules differ where the paper's do not, or the other way."""
    read = {(r["set"], r["condition"]): parse_dnf(r["rule"]) for r in required(rows) if r["rule"]}
    unlike = [
        name
        for name in distinct(rows, "set")
        if jaccard(read.get((name, "nri")), read.get((name, "gnri"))) < 0.5
    ]
    return len(set(unlike) ^ set(expected)), ", ".join(unlike)


def lacking_columns(_: Context, rows: Rows, expected: Mapping[str, Sequence[str]]) -> Statistic:
    """Return how many of the columns that the paper names our rules do not read."""
    words = {row["set"]: row["words"] for row in rows if row["condition"] == "gnri"}
    required(set(expected) <= set(words))
    lacking = [
        f"{column} on {name}"
        for name, columns in expected.items()
        for column in columns
        if f'"{column} ' not in words[name]
    ]
    return len(lacking), f"without {', '.join(lacking)}" if lacking else "all are read"
