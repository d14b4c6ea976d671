"""The only module of the corpus that knows where things are inside gnri.

Each function returns plain data. When the inside moves, what is edited is this file alone.
"""

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from gnri.data.binarizer import Binarizer
from gnri.data.sources import read_table
from gnri.errors import GnriError
from gnri.rules.documents import read_ruleset
from gnri.scale.atoms import fitted
from gnri.scale.reading import summaries_of
from studies.paper.capability import parts_of
from tests.counts.test_problem import labels_of

Judgement = dict[str, Any]
"""What a reader made of an input: `names`, `kinds`, `columns` (cells by what they mean, or None
where refused), `labels` and `extra`; `refusals` says what was refused and why, in order."""


class Judge:
    """Collect what is answered, and what is refused with an error of gnri."""

    def __init__(self) -> None:
        self.refusals: list[tuple[str, str]] = []

    def ask(self, work: Callable[..., Any], *given: Any) -> Any:
        """Return the answer, or None where there is a refusal."""
        try:
            return work(*given)
        except GnriError as error:
            self.refusals.append((type(error).__name__, str(error)))
            return None


def read_memory(path: Path) -> Judgement:
    """Read a file of text into memory, each column by itself, the last one also as the label."""
    judge = Judge()
    table = judge.ask(read_table, path)
    if table is None:
        return {"refused": True, "refusals": judge.refusals}
    names = list(table.columns)
    frames = [judge.ask(table.features, [name]) for name in names]
    columns = [
        None if frame is None else _plain(frame.cells[name])
        for name, frame in zip(names, frames, strict=True)
    ]
    labels = judge.ask(table.labels, names[-1])
    return {
        "names": names,
        "kinds": [_kind(cells) for cells in columns],
        "columns": columns,
        "labels": None if labels is None else _plain(labels),
        "extra": table.near_numbers(names),
        "refusals": judge.refusals,
    }


def read_parts(path: Path) -> Judgement:
    """Read a file of text as a part of a table: counts of each column, and the atoms they give."""
    judge = Judge()
    parts = judge.ask(parts_of, path)
    names = [] if parts is None else list(parts[0].types())
    read = None if parts is None else judge.ask(summaries_of, parts[0], names)
    if read is None:
        return {"refused": True, "names": names, "refusals": judge.refusals}
    found = [judge.ask(one.decided) for one in read]
    labels = found[-1] and judge.ask(labels_of, read[-1], names[-1], True)
    known = [one for one in found[:-1] if one is not None]
    atoms = [
        judge.ask(lambda one=one: fitted(Binarizer(), [one], 9).schema_.names) for one in known
    ]
    return {
        "names": names,
        "kinds": [None if one is None else str(one.kind) for one in found],
        "columns": [None if one is None else _counts(one) for one in found],
        "labels": labels and [labels.classes.tolist(), sorted(labels.places.items()), labels.rows],
        "extra": atoms,
        "refusals": judge.refusals,
    }


def read_rules(path: Path) -> Judgement:
    """Read a file of rules that was saved."""
    judge = Judge()
    found = judge.ask(read_ruleset, path)
    if found is None:
        return {"refused": True, "refusals": judge.refusals}
    atoms = found.schema.atoms
    return {
        "names": found.schema.names,
        "kinds": [type(atom).__name__ for atom in atoms],
        "columns": [repr(astuple(atom)) for atom in atoms],
        "labels": [repr(found.classes), found.majority],
        "extra": [
            repr(found.schema.blocks),
            repr(found.turns),
            [str(rule) for rule in found.rules],
        ],
        "refusals": judge.refusals,
    }


def summary_of(classifier: Any) -> str:
    """Return how the rules do on the training rows, in text."""
    return str(classifier.card())


def explanation_of(one: Any) -> list[Any]:
    """Return the class of a row, the reason, and the clauses that hold."""
    return [one.prediction, one.reason, [[str(key), said] for key, said in one.fired.items()]]


def _kind(cells: list[Any] | None) -> str | None:
    known = {type(cell).__name__ for cell in cells or [] if cell is not None}
    return None if cells is None else "/".join(sorted(known))


def _plain(cells: Any) -> list[Any]:
    return [None if cell is None or cell != cell else cell for cell in cells.tolist()]


def _counts(one: Any) -> list[Any]:
    numbers = one.numbers
    bounds = zip(numbers.lowest.tolist(), numbers.highest.tolist(), strict=True)
    counted = [list(pair) for pair in zip(bounds, numbers.counts.tolist(), strict=True)]
    return [counted, sorted(one.texts.items()), sorted(one.flags.items()), one.absent]
