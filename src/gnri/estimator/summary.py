"""The statistics of rules as plain text."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from gnri.errors import escape, plural
from gnri.estimator.statistics import ClauseStatistics, Figures, RuleStatistics
from gnri.formats.conditions import format_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.fitting import Fitted

HEAD = ("rows", "only", "hits", "precision", "95 % interval", "lift")
LEGEND = (
    "rows: training rows where the clause is true; only: where no other is; hits: of its class\n"
    "precision, lift: to expect on new rows, as the clause was chosen among many to fit these rows"
)
MAX_NAMES = 5  # names in a sentence
MIN_CLAUSE_WIDTH = 30  # characters that a clause has on a line
NO_RULE = (
    "There is no rule: compared with always answering the largest class, no rule saves enough "
    "errors to justify its length."
)
MIRRORED = (
    " Or the table looks the same with its two classes swapped, so that no rule can prefer one of "
    "them; one more row may change that."
)


WEIGHTED = "learnt with weights; the figures count each row once"


def summarize(
    statistics: Sequence[RuleStatistics], width: int = 100, *, weighted: bool = False
) -> str:
    """Return the statistics of each rule, with a line for each clause, or why there is no rule."""
    silent = [format_value(rule.label) for rule in statistics if not rule.clauses]
    shown = [rule for rule in statistics if rule.clauses or len(silent) == 1]
    parts = ["\n".join(_summary_lines(rule, width)) for rule in shown]
    if len(silent) > 1:
        parts.append(f"no rule for {list_names(silent)}")
    why = explain_no_rule(statistics)
    if why:
        parts.append("\n".join(wrap(why, max(MIN_CLAUSE_WIDTH, width))))
    elif statistics[0].form == "dnf":
        parts.append(LEGEND)
    if weighted:
        parts.append(WEIGHTED)
    return "\n\n".join(parts)


def explain_no_rule(statistics: Sequence[RuleStatistics]) -> str | None:
    """Return why there is no rule, and how often the largest class is right; None with a rule."""
    if any(rule.clauses for rule in statistics):
        return None
    others, rows = [rule.figures.members for rule in statistics], statistics[0].figures.rows
    right = rows - sum(others)
    mirrored = MIRRORED if others == [right] else ""
    return f"{NO_RULE}{mirrored} The largest class is right on {right:,} of {rows:,} rows."


def percent(share: float | None) -> str:
    """Return a share in percent; only 1 is 100 and only 0 is 0."""
    if share is None:
        return "-"
    if share in (0, 1):
        return f"{100 * share:.0f}"
    return f"{min(max(100 * share, 0.1), 99.9):.1f}"


def interval(figures: Figures) -> str:
    """Return the interval of the precision on other rows."""
    low, high = figures.interval
    return f"{percent(low)} to {percent(high)} %"


def describe_validation(found: "Validation | str", fitted: "Fitted") -> tuple[str, list[str]]:
    """Return the share of unseen rows that are right, and lines about it, the first to follow it.

    The share is empty where it was not measured, for the reason `found`, or where there is no rule.
    """
    if isinstance(found, str):
        return "", [f"not measured: {found}"]
    largest, shares = f"the largest class is {percent(found.majority)} %", found.by_fold
    plain = not fitted.settings.has_target and fitted.settings.class_weight is None
    idle = plain and found.imbalanced and found.accuracy <= found.majority
    advice = (
        "to find rows of a rare class, use --objective balanced_accuracy (in Python "
        "objective='balanced_accuracy', on the local page Classes weigh all the same)"
    )
    if not fitted.rule_list.steps:
        return "", [f"there is no rule; {largest} of the rows", *([advice] if idle else [])]
    missed = f"; not every fold has a row of {list_names(found.rare)}" if found.rare else ""
    lines = [
        f"of unseen rows right ({len(shares)} folds, {percent(min(shares))} to "
        f"{percent(max(shares))} %; {largest}){missed}"
    ]
    if found.imbalanced:
        own = found.shares
        lines.append(
            f"balanced accuracy {percent(own.balanced_accuracy)} %; for "
            f"{escape(str(found.classes[own.rarest]))}, recall {percent(own.recall)} %"
            + ("" if own.precision is None else f" and precision {percent(own.precision)} %")
        )
    if idle:
        lines.append(f"this is no better than always the largest class; {advice}")
    if fitted.settings.costs is not None:
        lines.append(_describe_costs(found, fitted))
    if found.repeats:
        repeats = plural(found.repeats, "duplicate row")
        lines.append(
            f"{repeats}: equal rows are kept in one fold"
            if found.together
            else f"{repeats}, too many to keep equal rows in one fold: this is for rows like these"
        )
    return f"{percent(found.accuracy)} %", lines


def _describe_costs(found: "Validation", fitted: "Fitted") -> str:
    """Say what the answers cost on unseen rows, and what one answer for all would at least."""
    from gnri.estimator.aims import Aim
    from gnri.estimator.cross_validation import count_answers

    aim, kinds = Aim.read(fitted.settings, fitted.classes, fitted.sizes), range(len(found.classes))

    def cost(answers: "NDArray[np.intp]") -> float:
        counts = count_answers(found.codes, answers, len(kinds)).tolist()
        return float(aim.cost(counts)) / len(found.codes)

    least = min(cost(np.full_like(found.codes, kind)) for kind in kinds)
    return f"cost {cost(found.answers):.3g} a row; one answer for all costs at least {least:.3g}"


def list_names(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - MAX_NAMES
    return ", ".join(map(escape, names[:MAX_NAMES])) + (f" and {more:,} more" if more > 0 else "")


def describe_rule(rule: RuleStatistics) -> list[str]:
    """Return sentences on the rule as a whole."""
    figures, label = rule.figures, format_value(rule.label)
    left = " that are left" if rule.follows else ""
    members = f"{figures.members:,} {'of these' if rule.follows else 'rows'}"
    lines = [f"true on {figures.covered:,} of {figures.rows:,} training rows{left}"]
    if figures.covered:
        lines[0] += f", {figures.hits:,} of them of class {label}; the class has {members}"
        lines.append(
            f"on new rows, expect {percent(figures.expected)} % ({interval(figures)}) of those "
            f"where it is true to be of class {label}"
        )
    if rule.undecided:
        lines.append(f"missing cells leave it open on {plural(rule.undecided, 'row')}")
    return lines


def _summary_lines(rule: RuleStatistics, width: int) -> list[str]:
    if not rule.clauses:
        return rule.text.split("\n")
    if rule.form != "dnf":
        return [*rule.text.split("\n"), *(f"  {one}" for one in describe_rule(rule))]
    table = [HEAD, *map(_cells, rule.clauses)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.rjust, cells, widths)) for cells in table]
    space = max(MIN_CLAUSE_WIDTH, width - len(lines[0]) - 6)
    clauses = [f"clause for {rule.target}"]
    clauses += [f"{'or ' if i else ''}{one.text}" for i, one in enumerate(rule.clauses)]
    head, *_ = rule.text.split("\n")
    found = wrap(head, max(MIN_CLAUSE_WIDTH, width), subsequent_indent="  ", break_on_hyphens=False)
    for line, words in zip(lines, clauses, strict=True):
        first, *rest = wrap(words, space, break_on_hyphens=False)
        found.append(f"    {line}  {first}")
        found += [f"    {'':{len(line)}}    {more}" for more in rest]
    for sentence in describe_rule(rule):
        found += wrap(
            sentence, max(MIN_CLAUSE_WIDTH, width), initial_indent="  ", subsequent_indent="    "
        )
    return found


def _cells(clause: ClauseStatistics) -> tuple[str, ...]:
    figures = clause.figures
    return (
        str(figures.covered),
        str(clause.unique),
        str(figures.hits),
        f"{percent(figures.expected)} %",
        interval(figures),
        "-" if figures.lift is None else f"{figures.lift:.2f}",
    )
