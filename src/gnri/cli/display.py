"""A learnt rule as a person reads it, and as a program does."""

import json
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from gnri.cli.column_notes import column_notes, listed
from gnri.cli.tasks import Estimate, Learnt
from gnri.formats.text import to_text
from gnri.messages import counted
from gnri.report.summary import percent
from gnri.report.summary import to_text as cards_in_text

NO_RULE = (
    "There is no rule: none makes fewer errors than the largest class by more than its length."
)
MIRRORED = (
    f"{NO_RULE} Or the table looks the same with its two classes exchanged, so that a rule would "
    "prefer one of them for no reason: another row decides that."
)

_HEADS = r"(?m)^\S.* (?:if|unless)$|^otherwise .*$"
_WORDS = r"(?<= )(?:and|or|not|in|unless|if)(?= |$)"
_SMALL = r"(?m)^ {4} *rows  .*$|^rows: .*$"


def show_rule(screen: Console, learnt: Learnt) -> None:
    """Print the table in two lines, the rule with its card, and what is answered otherwise."""
    fitted, counts = learnt.fitted, _class_sizes(learnt)
    sizes = ", ".join(f"{name} {size:,}" for name, size in counts.items())
    shape = f"{counted(sum(fitted.sizes), 'row')}, {counted(len(fitted.columns), 'column')}"
    screen.print(Text.assemble((learnt.origin, "bold"), f": {shape}"), soft_wrap=True)
    screen.print(Text(f"{fitted.target.name}: {sizes}\n"), soft_wrap=True)
    cards = fitted.cards
    rules = "\n".join(card.text for card in cards)
    ending = to_text(fitted.printed).removeprefix(rules).strip("\n")
    text = Text(f"{cards_in_text(cards, screen.width)}\n\n{ending}\n")
    text.highlight_regex(_WORDS, "cyan")
    text.highlight_regex(_SMALL, "dim")
    text.highlight_regex(_HEADS, "bold green")
    screen.print(text, soft_wrap=True)
    if not any(card.clauses for card in cards):
        even = len(counts) == 2 and len(set(counts.values())) == 1
        screen.print(Text(f"{MIRRORED if even else NO_RULE}\n"), soft_wrap=True)


def show_facts(screen: Console, learnt: Learnt, estimate: Estimate) -> None:
    """Print how it does on held-out rows, by which model, in what time, from which columns."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_row(Text("held out", "cyan"), _held_out(estimate))
    grid.add_row(Text("model", "cyan"), Text(_model(learnt)))
    grid.add_row(Text("time", "cyan"), Text(_time(learnt, estimate)))
    if learnt.fitted.passes is not None:
        grid.add_row(Text("passes", "cyan"), Text(_passes(*learnt.fitted.passes)))
    for i, note in enumerate(_notes(learnt)):
        grid.add_row(Text("" if i else "columns", "cyan"), Text(note))
    screen.print(grid)


def document(learnt: Learnt, estimate: Estimate) -> dict[str, Any]:
    """Return all of it for a program."""
    from gnri.rules.documents import ruleset_to_json as to_json

    fitted = learnt.fitted
    return {
        "format": "gnri-induction",
        "version": 1,
        "source": learnt.origin,
        "rows": sum(fitted.sizes),
        "target": fitted.target.name,
        "classes": _class_sizes(learnt),
        "text": to_text(fitted.printed),
        "ruleset": json.loads(to_json(fitted.ruleset)),
        "cards": [card.as_dict() for card in fitted.cards],
        "held_out": estimate.as_dict(),
        "model": _model(learnt),
        "seconds": {"rule": fitted.seconds, "held_out": estimate.seconds},
        "columns": _notes(learnt),
        **({} if fitted.passes is None else {"passes": list(fitted.passes)}),
    }


def _class_sizes(learnt: Learnt) -> dict[str, int]:
    fitted = learnt.fitted
    return dict(zip(map(str, fitted.classes), fitted.sizes, strict=True))


def _notes(learnt: Learnt) -> list[str]:
    return [*column_notes(learnt.fitted.missing, learnt.fitted.schema), *learnt.odd]


def _held_out(estimate: Estimate) -> Text:
    found = estimate.validation
    if found is None:
        return Text(f"not tried: {estimate.skipped}")
    shares = found.by_fold
    return Text.assemble(
        (f"{percent(found.accuracy)} %", "bold green"),
        f" of unseen rows right ({len(shares)} folds, {percent(min(shares))} to "
        f"{percent(max(shares))} %; the largest class is {percent(found.majority)} %)",
        _rare(found.rare),
    )


def _rare(names: list[str]) -> str:
    return f"; not every fold has a row of {listed(names)}" if names else ""


def _time(learnt: Learnt, estimate: Estimate) -> str:
    tried = estimate.validation is not None
    held_out = f", {estimate.seconds:.1f} s for the held-out rows" if tried else ""
    return f"{learnt.fitted.seconds:.1f} s for the rule{held_out}"


def _passes(files: int, packed: int) -> str:
    return f"{files} over the files, then {packed:,} over the packed rows"


def _model(learnt: Learnt) -> str:
    settings = learnt.fitted.settings
    name = settings.model
    return f"{name}, then refined by search" if settings.refine else f"{name}, one pass"
