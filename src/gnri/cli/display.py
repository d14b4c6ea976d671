"""A learnt rule as a person reads it, and as a program does."""

import json
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from gnri.cli.column_notes import column_notes, listed
from gnri.cli.held_out import Tried
from gnri.cli.learning import About, Learnt
from gnri.formats.text import to_text
from gnri.messages import counted
from gnri.report.summary import percent
from gnri.report.summary import to_text as cards_in_text
from gnri.rules.documents import ruleset_to_json as to_json

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


def show_rule(screen: Console, about: About, learnt: Learnt) -> None:
    """The table in two lines, the rule with its card, and what is answered otherwise."""
    sizes = ", ".join(f"{name} {size:,}" for name, size in about.sizes.items())
    shape = f"{counted(about.rows, 'row')}, {counted(len(about.missing), 'column')}"
    screen.print(Text.assemble((about.source, "bold"), f": {shape}"), soft_wrap=True)
    screen.print(Text(f"{about.target}: {sizes}\n"), soft_wrap=True)
    cards = learnt.cards
    rules = "\n".join(card.text for card in cards)
    ending = to_text(learnt.printed).removeprefix(rules).strip("\n")
    text = Text(f"{cards_in_text(cards, screen.width)}\n\n{ending}\n")
    text.highlight_regex(_WORDS, "cyan")
    text.highlight_regex(_SMALL, "dim")
    text.highlight_regex(_HEADS, "bold green")
    screen.print(text, soft_wrap=True)
    if not any(card.clauses for card in cards):
        even = len(about.sizes) == 2 and len(set(about.sizes.values())) == 1
        screen.print(Text(f"{MIRRORED if even else NO_RULE}\n"), soft_wrap=True)


def show_facts(screen: Console, about: About, learnt: Learnt, tried: Tried) -> None:
    """How it does on held-out rows, by which model, in what time, from which columns."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_row(Text("held out", "cyan"), _tried(tried))
    grid.add_row(Text("model", "cyan"), Text(_model(learnt)))
    grid.add_row(Text("time", "cyan"), Text(_time(learnt, tried)))
    if about.passes is not None:
        grid.add_row(Text("passes", "cyan"), Text(_passes(*about.passes)))
    for i, note in enumerate(_notes(about, learnt)):
        grid.add_row(Text("" if i else "columns", "cyan"), Text(note))
    screen.print(grid)


def document(about: About, learnt: Learnt, tried: Tried) -> dict[str, Any]:
    """All of it for a program."""
    return {
        "format": "gnri-induction",
        "version": 1,
        "source": about.source,
        "rows": about.rows,
        "target": about.target,
        "classes": about.sizes,
        "text": to_text(learnt.printed),
        "ruleset": json.loads(to_json(learnt.ruleset)),
        "cards": [card.as_dict() for card in learnt.cards],
        "held_out": tried.as_dict(),
        "model": _model(learnt),
        "seconds": {"rule": learnt.seconds, "held_out": tried.seconds},
        "columns": _notes(about, learnt),
        **({} if about.passes is None else {"passes": list(about.passes)}),
    }


def _notes(about: About, learnt: Learnt) -> list[str]:
    return [*column_notes(about.missing, learnt.ruleset.schema), *about.odd]


def _tried(tried: Tried) -> Text:
    if tried.estimate is None:
        return Text(f"not tried: {tried.skipped}")
    shares = tried.estimate.by_fold
    return Text.assemble(
        (f"{percent(tried.estimate.accuracy)} %", "bold green"),
        f" of unseen rows right ({len(shares)} folds, {percent(min(shares))} to "
        f"{percent(max(shares))} %; the largest class is {percent(tried.estimate.majority)} %)",
        _rare(tried.estimate.rare),
    )


def _rare(names: tuple[str, ...]) -> str:
    return f"; not every fold has a row of {listed(names)}" if names else ""


def _time(learnt: Learnt, tried: Tried) -> str:
    held_out = "" if tried.estimate is None else f", {tried.seconds:.1f} s for the held-out rows"
    return f"{learnt.seconds:.1f} s for the rule{held_out}"


def _passes(files: int, packed: int) -> str:
    return f"{files} over the files, then {packed:,} over the packed rows"


def _model(learnt: Learnt) -> str:
    name = learnt.wishes.model
    return f"{name}, then refined by search" if learnt.wishes.refine else f"{name}, one pass"
