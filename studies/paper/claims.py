"""What the paper claims, each with the statistic of our rows that decides it."""

from collections.abc import Callable
from functools import partial
from operator import eq, ge, gt
from typing import NamedTuple

from studies.paper import claim_statistics as found
from studies.paper.claim_statistics import (
    LEVEL,
    Statistic,
    largest_p,
    p_of_changes,
    worst_synthetic,
)
from studies.paper.published import LEFT_OUT
from studies.study import Context


class Claim(NamedTuple):
    """A claim of the paper in short, how it is decided, the statistic, and what it must be.

    The statistic is None where the rows it needs are not all there.
    """

    text: str
    test: str
    statistic: Callable[[Context], Statistic | None]
    holds: Callable[[float], bool]


def claims_table(context: Context) -> str:
    """Return every claim with its verdict, by research question."""
    parts = ["# Claims\n"]
    for question, claims in CLAIMS.items():
        lines = [["claim", "decided by", "found", "verdict"], ["---"] * 4]
        lines += [[claim.text, claim.test, *_verdict(claim, context)] for claim in claims]
        parts += [f"## {question}\n", *(f"| {' | '.join(line)} |" for line in lines), ""]
    return "\n".join(parts)


def _verdict(claim: Claim, context: Context) -> tuple[str, str]:
    result = claim.statistic(context)
    if result is None:
        return "-", "not measured yet"
    return result[1], "confirmed" if claim.holds(result[0]) else "**not confirmed**"


EXACT, INEXACT = partial(eq, 1), partial(gt, 1)
SIGNIFICANT, NEGATIVE, NONE = partial(gt, LEVEL), partial(gt, 0), partial(eq, 0)
ALL, SOME = "every rule equivalent", "some rule not equivalent"
WIDTHS = "paired Wilcoxon, Holm over the widths"
TABLES = "paired Wilcoxon over tables"
WIDER = "each wider class gains more"

# fmt: off
RQ1 = (
    Claim("On synthetic tables the full G-NRI is exactly equivariant",
          "every rule of every symmetry equivalent", worst_synthetic("gnri"), EXACT),
    Claim("The canonical decode on the unmodified forward is not",
          SOME, worst_synthetic("native forward"), INEXACT),
    Claim("The index-based decode on the equivariant forward is not",
          SOME, worst_synthetic("dual rail"), INEXACT),
    Claim("Schema-valid symmetries of public tables keep every rule",
          "every rule equivalent, tables with one-hot blocks", found.worst_schema, EXACT),
    Claim("Raw symmetries keep every rule on 17 of 19 public tables",
          ALL, partial(found.worst_public, failed=False), EXACT),
    Claim("Raw symmetries break rules on mushroom and MUTAG",
          SOME, partial(found.worst_public, failed=True), INEXACT),
    Claim("A drift of the scores within the decode margin never changes the rule",
          "every rule equivalent where twice the drift is below the margin",
          found.share_within_margin, EXACT),
)
RQ2 = (
    Claim("Support accuracy is above the baseline's at every width",
          WIDTHS, largest_p("support_accuracy"), SIGNIFICANT),
    Claim("The rule follows a label swap better at every width",
          "the same, Jaccard", largest_p("label_jaccard"), SIGNIFICANT),
    Claim("Predictions drift less under B_N",
          "the same, largest drift", largest_p("bn_max_dev"), SIGNIFICANT),
    Claim("Predictions drift less under all symmetries at once",
          "the same, largest drift", largest_p("g_max_dev"), SIGNIFICANT),
    Claim("The baseline falls to chance at the largest width",
          "support accuracy below the majority class", found.gap_to_majority, NEGATIVE),
    Claim("Fidelity to the hidden rule is above the baseline's at every width",
          WIDTHS, largest_p("fresh_fidelity"), SIGNIFICANT),
    Claim("That lift widens with the width",
          "Wilcoxon over the slopes of the seeds", found.p_of_slopes, SIGNIFICANT),
    Claim("Not claimed, but what it is worth: rules better than the best literal",
          "mean fidelity at every width", found.widths_below_literal, NONE),
    Claim("The architecture brings the largest step",
          "means by component", found.other_largest_steps, NONE),
    Claim("Symmetrised training adds a little, consistently",
          "paired Wilcoxon at both widths", found.p_of_training, SIGNIFICANT),
    Claim("An answer costs at most 1.8 times the baseline's",
          "median times", found.largest_cost_ratio, partial(ge, 1.85)),
)
RQ3 = (
    Claim("G-NRI is above the baseline on most tables",
          "exact sign test over tables", found.p_of_wins, SIGNIFICANT),
    Claim("Its mean accuracy is higher", TABLES, found.p_of_lift, SIGNIFICANT),
    Claim("EqArch alone is below the baseline", "mean over tables", found.lift_of_eqarch, NEGATIVE),
    Claim("The lift grows with the width", WIDER, found.falls_of_lift, NONE),
    Claim(f"The same without {LEFT_OUT}, as the paper's table has it",
          WIDER, partial(found.falls_of_lift, without=LEFT_OUT), NONE),
    Claim("Its rules are the smallest",
          "literals, paired Wilcoxon over tables against each learner",
          found.p_of_sizes, SIGNIFICANT),
    Claim("On monks-3 every seed gives the same rule, a clause of the true one",
          "rules of the first fold", found.wrong_monks_rules, NONE),
    Claim("Reordering the atoms of a table changes it less",
          TABLES, p_of_changes("atoms"), SIGNIFICANT),
    Claim("Negating them changes it less", TABLES, p_of_changes("negations"), SIGNIFICANT),
)
# fmt: on
CLAIMS = {"RQ1": RQ1, "RQ2": RQ2, "RQ3": RQ3}
