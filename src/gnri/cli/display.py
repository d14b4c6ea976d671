"""Fitted rules as text for a person, and as JSON for a program."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import indent
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from gnri.data.schema import Above, Equals, IsTrue, OneOf
from gnri.data.target import MANY_CLASSES
from gnri.errors import escape, plural
from gnri.estimator.summary import describe_validation, list_names, percent, summarize
from gnri.formats.text import ending_lines, to_text

if TYPE_CHECKING:
    from gnri.cli.learning import FileFit
    from gnri.estimator.alternatives import Alternative
    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.fitting import Fitted
    from gnri.symmetry.audit_report import AuditReport, Gap

_COLUMN_USES = {
    "numeric": (Above, "compared with thresholds"),
    "Boolean": (IsTrue, "used as is"),
    "text": (Equals | OneOf, "compared with each value, rare values grouped"),
}

_RULE_HEADS = r"(?m)^\S.* (?:if|unless|points on|hold)$|^otherwise .*$"
_RULE_WORDS = r"(?<= )(?:and|or|not|in|unless|if)(?= |$)"
_NOTES = r"(?m)^ {4} *rows  .*$|^rows: .*$|^precision, lift: .*$"

CHANGES = {
    "rows": "rows shuffled",
    "atoms": "columns reordered and renamed",
    "negations": "columns negated",
    "label": "labels swapped",
    "everything": "all of these at once",
}
"""What the transforms of an audit do."""


def show_rule(screen: Console, found: "FileFit") -> None:
    """Print the size of the table, the rules with their statistics, and the default answer."""
    fitted, counts = found.fitted, _class_sizes(found.fitted)
    sizes = ", ".join(f"{escape(name)} {size:,}" for name, size in counts.items())
    shape = f"{plural(sum(fitted.sizes), 'row')}, {plural(len(fitted.columns), 'column')}"
    screen.print(Text.assemble((escape(found.origin), "bold"), f": {shape}"), soft_wrap=True)
    screen.print(Text(f"{escape(fitted.target.name)}: {sizes}\n"), soft_wrap=True)
    ending = "\n".join(ending_lines(fitted.minimized))
    weighted = fitted.total_copies is not None
    said = summarize(fitted.statistics, screen.width, weighted=weighted)
    text = Text(f"{said}\n\n{ending}\n")
    text.highlight_regex(_RULE_WORDS, "cyan")
    text.highlight_regex(_NOTES, "dim")
    text.highlight_regex(_RULE_HEADS, "bold green")
    screen.print(text, soft_wrap=True)


def show_facts(screen: Console, found: "FileFit", estimate: "Validation | str") -> None:
    """Print the cross-validation, the model, the time, and notes on the columns."""
    fitted, seconds = found.fitted, f"{found.fitted.seconds:.1f} s for the rule"
    if not isinstance(estimate, str):
        seconds += f", {estimate.seconds:.1f} s for the held-out rows"
    share, (first, *more) = describe_validation(estimate, fitted)
    lines: list[tuple[str, str | Text]] = [
        ("held out", Text.assemble((share, "bold green"), " " if share else "", first)),
        *(("", line) for line in more),
        ("model", _model(fitted)),
        ("time", seconds),
    ]
    if fitted.passes is not None:
        files, packed = fitted.passes
        lines.append(("passes", f"{files} over the files, then {packed:,} over the packed rows"))
    lines += [("" if i else "columns", note) for i, note in enumerate(_column_notes(found))]
    # Not a grid of rich, which fills each line up with spaces.
    for head, words in lines:
        text = Text(words) if isinstance(words, str) else words
        for i, line in enumerate(text.wrap(screen, screen.width - 10)):
            line.rstrip()
            shown = Text.assemble((f"{'' if i else head:<10}", "cyan"), line)
            screen.print(shown, soft_wrap=True)


def show_alternatives(screen: Console, found: "Sequence[Alternative]") -> None:
    """Print the rules on other columns, each with its figures."""
    if not found:
        screen.print("\nno rule on other columns is nearly as good on unseen rows", soft_wrap=True)
        return
    best = (found[0].right + found[0].lost) / found[0].rows
    head = f"rules on other columns, where the rule has {percent(best)} % of unseen rows right"
    screen.print(Text(f"\n{head} (all on the same folds)", "bold"), soft_wrap=True)
    for one in found:
        figures = (
            f"\n{percent(one.accuracy)} %, balanced {percent(one.balanced_accuracy)} %, "
            f"{plural(one.conditions, 'condition')}; without {list_names(one.without)}"
        )
        screen.print(Text(figures, "cyan"), soft_wrap=True)
        screen.print(Text(indent(escape(to_text(one.fitted.minimized), keep="\n"), "    ")))


def to_document(
    found: "FileFit", estimate: "Validation | str", others: "Sequence[Alternative] | None" = None
) -> dict[str, Any]:
    """Return the rules and all facts about them, for JSON, and perhaps rules on other columns."""
    from gnri.rules.documents import to_json

    fitted = found.fitted
    held_out: dict[str, Any] = {"skipped": estimate}
    if not isinstance(estimate, str):
        names = ("accuracy", "by_fold", "majority", "rare", "repeats", "together")
        held_out = {name: getattr(estimate, name) for name in names}
        if estimate.imbalanced:
            shares = estimate.shares
            held_out |= {**asdict(shares), "rarest": str(fitted.classes[shares.rarest])}
    return {
        "format": "gnri-induction",
        "version": 1,
        "source": found.origin,
        "rows": sum(fitted.sizes),
        "target": fitted.target.name,
        "classes": _class_sizes(fitted),
        "text": to_text(fitted.minimized),
        "rule_list": json.loads(to_json(fitted.rule_list)),
        "statistics": [card.as_dict() for card in fitted.statistics],
        "held_out": held_out,
        "model": _model(fitted),
        "seconds": {"rule": fitted.seconds, "held_out": getattr(estimate, "seconds", 0.0)},
        "columns": _column_notes(found),
        "ignored": dict(fitted.ignored),
        "unlabelled": fitted.target.unlabelled,
        **({} if fitted.passes is None else {"passes": list(fitted.passes)}),
        **({} if fitted.total_copies is None else {"copies": fitted.total_copies}),
        **({} if others is None else {"alternatives": [one.as_dict() for one in others]}),
    }


def _class_sizes(fitted: "Fitted") -> dict[str, int]:
    return dict(zip(map(str, fitted.classes), fitted.sizes, strict=True))


def _model(fitted: "Fitted") -> str:
    name, refine = fitted.settings.model, fitted.settings.refine
    return f"{name}, then refined by search" if refine else f"{name}, one pass"


def _column_notes(found: "FileFit") -> list[str]:
    """Return a line for each kind of column, for missing cells, and for unused columns."""
    fitted = found.fitted
    schema, missing, twins, ignored = fitted.schema, fitted.missing, fitted.twins, fitted.ignored
    notes = []
    for name, (kind, use) in _COLUMN_USES.items():
        columns = [atom.column for atom in schema.atoms if isinstance(atom, kind)]
        if columns:
            words = plural(len(set(columns)), f"{name} column")
            notes.append(f"{words} {use}, {plural(len(columns), 'atom')}")
    absent = {name: cells for name, cells in missing.items() if cells and name not in ignored}
    cells = plural(sum(absent.values()), "missing cell")
    notes.append(
        f"{cells} in {list_names(list(absent))}: unknown" if absent else "no missing cells"
    )
    used = {atom.column for atom in schema.atoms}
    forbidden = fitted.settings.forbid or ()
    left_out = {*twins, *ignored, *forbidden}
    unused = [name for name in missing if name not in used and name not in left_out]
    if forbidden:
        notes.append(f"not used, as forbidden: {list_names(list(forbidden))}")
    if unused:
        notes.append(f"not used, as constant or all missing: {list_names(unused)}")
    if twins:
        same = [f"{one} as {other}" for one, other in twins.items()]
        notes.append(f"not used, as the same on every row: {list_names(same)}")
    whys = {name: found.notes.get(name, why) for name, why in ignored.items()}
    notes += [f"{escape(name) or 'unnamed'} is ignored: it {why}" for name, why in whys.items()]
    if fitted.classes.dtype.kind == "i" and len(fitted.classes) > MANY_CLASSES:
        target = escape(fitted.target.name)
        notes.append(
            f"each of the {len(fitted.classes)} numbers in {target} is a class; --bins 2 asks "
            "what is above their median, and --threshold what is above a number"
        )
    if unlabelled := fitted.target.unlabelled:
        label = escape(fitted.target.name)
        notes.append(f"{plural(unlabelled, 'row')} without a value of {label} left out")
    return [*notes, *(f"{name} {why}" for name, why in found.notes.items() if name not in ignored)]


def show_audit(screen: Console, report: "AuditReport", learner: str, *, of_classes: bool) -> None:
    """Print how often the rule followed each kind of change.

    `of_classes` says whether there are floors or costs, which belong to classes.
    """
    changes: dict[str, list[Gap]] = {}
    for gap in report.gaps:
        parts = gap.transform.rstrip(" 12").split(" + ")
        changes.setdefault(", ".join(CHANGES[part] for part in parts), []).append(gap)
    grid = Grid(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("what was changed", "the rule"):
        grid.add_column(heading)
    for words, gaps in changes.items():
        followed = sum(gap.equal for gap in gaps)
        style = "green" if followed == len(gaps) else "red"
        shared = sum(gap.jaccard for gap in gaps) / len(gaps)
        more = "" if followed == len(gaps) else f", {shared:.0%} of its literals shared"
        grid.add_row(words, Text(f"followed {followed} of {len(gaps)} times{more}", style))
    screen.print(grid)
    screen.print()
    broken = sum(not gap.equal for gap in report.gaps)
    said = f"became another one {broken} times" if broken else "followed every time"
    verdict = f"{learner}: in {len(report.gaps)} trials the rule {said}"
    screen.print(Text(verdict, "bold red" if broken else "bold green"))
    if of_classes:
        moved = "a floor or a cost belongs to a class; where labels were swapped, it moved with it"
        screen.print(Text(moved, "dim"))
    empty = sum(gap.empty for gap in report.gaps)
    if empty:
        screen.print(Text(f"in {empty} of the trials there was no rule to compare", "dim"))
