"""Fitted rules as text for a person, and as JSON for a program."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from gnri.data.schema import Above, Equals, IsTrue, OneOf
from gnri.errors import escape, plural
from gnri.estimator.summary import describe_validation, list_names, summarize
from gnri.formats.text import ending_lines, to_text

if TYPE_CHECKING:
    from gnri.cli.learning import FileFit
    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.fitting import Fitted

_USES = {
    "numeric": (Above, "compared with thresholds"),
    "Boolean": (IsTrue, "used as is"),
    "text": (Equals | OneOf, "compared with each value, rare values grouped"),
}

_HEADS = r"(?m)^\S.* (?:if|unless|points on|hold)$|^otherwise .*$"
_WORDS = r"(?<= )(?:and|or|not|in|unless|if)(?= |$)"
_SMALL = r"(?m)^ {4} *rows  .*$|^rows: .*$|^precision, lift: .*$"


def show_rule(screen: Console, found: "FileFit") -> None:
    """Print the size of the table, the rules with their statistics, and the default answer."""
    fitted, counts = found.fitted, _class_sizes(found.fitted)
    sizes = ", ".join(f"{escape(name)} {size:,}" for name, size in counts.items())
    shape = f"{plural(sum(fitted.sizes), 'row')}, {plural(len(fitted.columns), 'column')}"
    screen.print(Text.assemble((escape(found.origin), "bold"), f": {shape}"), soft_wrap=True)
    screen.print(Text(f"{escape(fitted.target.name)}: {sizes}\n"), soft_wrap=True)
    ending = "\n".join(ending_lines(fitted.minimized))
    weighted = fitted.copies is not None
    said = summarize(fitted.statistics, screen.width, weighted=weighted)
    text = Text(f"{said}\n\n{ending}\n")
    text.highlight_regex(_WORDS, "cyan")
    text.highlight_regex(_SMALL, "dim")
    text.highlight_regex(_HEADS, "bold green")
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
    grid = Grid.grid(padding=(0, 2))
    for head, words in lines:
        grid.add_row(Text(head, "cyan"), Text(words) if isinstance(words, str) else words)
    screen.print(grid)


def to_document(found: "FileFit", estimate: "Validation | str") -> dict[str, Any]:
    """Return the rules and all facts about them, for JSON."""
    from gnri.rules.documents import to_json

    fitted = found.fitted
    held_out: dict[str, Any] = {"skipped": estimate}
    if not isinstance(estimate, str):
        names = ("accuracy", "by_fold", "majority", "rare", "repeats", "together")
        held_out = {name: getattr(estimate, name) for name in names}
        if estimate.unequal:
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
        **({} if fitted.copies is None else {"copies": int(fitted.copies.sum())}),
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
    for name, (kind, use) in _USES.items():
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
    left_out = {**twins, **ignored}
    unused = [name for name in missing if name not in used and name not in left_out]
    if unused:
        notes.append(f"not used, as constant or all missing: {list_names(unused)}")
    if twins:
        same = [f"{one} as {other}" for one, other in twins.items()]
        notes.append(f"not used, as the same on every row: {list_names(same)}")
    notes += [f"{escape(name) or 'unnamed'} is ignored: it {why}" for name, why in ignored.items()]
    if unlabelled := fitted.target.unlabelled:
        label = escape(fitted.target.name)
        notes.append(f"{plural(unlabelled, 'row')} without a value of {label} left out")
    return notes + found.notes
