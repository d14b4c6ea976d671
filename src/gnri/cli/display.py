"""Fitted rules as a person reads them, and as a program does; what became of the columns."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from gnri.data.kinds import ColumnsError
from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf, Schema
from gnri.errors import GnriError
from gnri.formats.text import to_text
from gnri.messages import counted
from gnri.report.summary import percent
from gnri.report.summary import to_text as cards_in_text

if TYPE_CHECKING:
    from gnri.cli.tasks import Estimate, Learnt

_LISTED = 5


@contextmanager
def columns_to_ignore() -> Iterator[None]:
    """Say of columns that cannot be used which options leave them out."""
    try:
        yield
    except ColumnsError as error:
        options = " ".join(f"--ignore {shlex.quote(name)}" for name in error.columns)
        them = "it" if len(error.columns) == 1 else "them"
        raise GnriError(error.explain(f"leave {them} out with {options}")) from None


def column_notes(missing: Mapping[str, int], schema: Schema) -> list[str]:
    """A line each on numbers, Booleans, text, missing cells, and columns that say nothing.

    From the missing cells of every column, and the atoms.
    """
    uses = {
        "numeric": ((Above,), "compared with cuts"),
        "Boolean": ((IsTrue,), "as they stand"),
        "text": ((Equals, OneOf), "compared with each value, rare ones together"),
    }
    notes = [_note(schema, name, *use) for name, use in uses.items()]
    notes += [_missing_note(missing), _unused_note(missing, schema)]
    return [note for note in notes if note]


def _note(schema: Schema, name: str, kinds: tuple[type[Atom], ...], use: str) -> str:
    atoms = [atom for atom in schema.atoms if isinstance(atom, kinds)]
    if not atoms:
        return ""
    columns = len({atom.column for atom in atoms})
    return f"{counted(columns, f'{name} column')} {use}, {counted(len(atoms), 'atom')}"


def _missing_note(missing: Mapping[str, int]) -> str:
    found = {name: cells for name, cells in missing.items() if cells}
    if not found:
        return "no missing cells"
    cells = counted(sum(found.values()), "missing cell")
    return f"{cells} in {listed(found)}: neither true nor false"


def _unused_note(names: Iterable[str], schema: Schema) -> str:
    used = {atom.column for atom in schema.atoms}
    unused = [name for name in names if name not in used]
    return f"left out, constant or all missing: {listed(unused)}" if unused else ""


def listed(names: Iterable[str]) -> str:
    """The first few names, and how many there are beside them."""
    names = list(names)
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")


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


def show_rule(screen: Console, learnt: "Learnt") -> None:
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


def show_facts(screen: Console, learnt: "Learnt", estimate: "Estimate") -> None:
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


def document(learnt: "Learnt", estimate: "Estimate") -> dict[str, Any]:
    """Return all of it for a program."""
    from gnri.rules.documents import to_json

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


def _class_sizes(learnt: "Learnt") -> dict[str, int]:
    fitted = learnt.fitted
    return dict(zip(map(str, fitted.classes), fitted.sizes, strict=True))


def _notes(learnt: "Learnt") -> list[str]:
    return [*column_notes(learnt.fitted.missing, learnt.fitted.schema), *learnt.odd]


def _held_out(estimate: "Estimate") -> Text:
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


def _time(learnt: "Learnt", estimate: "Estimate") -> str:
    tried = estimate.validation is not None
    held_out = f", {estimate.seconds:.1f} s for the held-out rows" if tried else ""
    return f"{learnt.fitted.seconds:.1f} s for the rule{held_out}"


def _passes(files: int, packed: int) -> str:
    return f"{files} over the files, then {packed:,} over the packed rows"


def _model(learnt: "Learnt") -> str:
    settings = learnt.fitted.settings
    name = settings.model
    return f"{name}, then refined by search" if settings.refine else f"{name}, one pass"
