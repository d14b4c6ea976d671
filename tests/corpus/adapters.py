"""The only module of the corpus that knows where things are inside gnri.

Each function returns plain data. When the inside moves, what is edited is this file alone.
"""

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from gnri.data.discretize import learn_schema, make_settings
from gnri.data.kinds import ColumnKind
from gnri.data.sources import open_source, read_table
from gnri.data.table import Column
from gnri.data.target import read_target
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError
from gnri.rules.documents import load_rules
from tests.columns import count_partition, read_labels

Judgement = dict[str, Any]
"""What a reader made of an input: `names`, `kinds`, `columns` (cells by what they mean, or None
where refused), `labels` and `extra`; `refusals` says what was refused and why, in order."""


class Scorer:
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
    judge = Scorer()
    table = judge.ask(read_table, path)
    if table is None:
        return {"refused": True, "refusals": judge.refusals}
    names = list(table)
    decided = [judge.ask(column.decide) for column in table.values()]
    columns = [None if column is None else _cells(column) for column in decided]
    labels = judge.ask(read_labels, table, names[-1])
    notes = {name: column.near_number_note() for name, column in table.items()}
    return {
        "names": names,
        "kinds": [_kind(cells) for cells in columns],
        "columns": columns,
        "labels": None if labels is None else labels.tolist(),
        "extra": [f"{name} {note}" for name, note in notes.items() if note is not None],
        "refusals": judge.refusals,
    }


def read_parts(path: Path) -> Judgement:
    """Read a file of text as a part of a table: counts of each column, and the atoms they give."""
    judge = Scorer()
    source = judge.ask(open_source, path)
    names = [] if source is None else source.names
    read = None if source is None else judge.ask(count_partition, source.partitions[0], names)
    if read is None:
        return {"refused": True, "names": names, "refusals": judge.refusals}
    found = [judge.ask(one.decide) for one in read]
    target = found[-1] and judge.ask(read_target, read[-1])
    known = [one for one in found[:-1] if one is not None]
    schemas = [judge.ask(learn_schema, [one], 9, make_settings("auto", 1)) for one in known]
    return {
        "names": names,
        "kinds": [None if one is None else _kind_word(one) for one in found],
        "columns": [None if one is None else _counts(one) for one in found],
        "labels": target and [target.classes.tolist(), sorted(target.codes.items()), target.rows],
        "extra": [None if one is None else one.names for one in schemas],
        "refusals": judge.refusals,
    }


def read_rules(path: Path) -> Judgement:
    """Read a file of rules that was saved."""
    judge = Scorer()
    found = judge.ask(load_rules, path)
    if found is None:
        return {"refused": True, "refusals": judge.refusals}
    atoms = found.schema.atoms
    return {
        "names": found.schema.names,
        "kinds": [type(atom).__name__ for atom in atoms],
        "columns": [repr(astuple(atom)) for atom in atoms],
        "labels": [repr(found.classes), found.default],
        "extra": [
            repr(found.schema.blocks),
            [[step.answer, step.truth] for step in found.steps],
            [str(rule) for rule in found.rules],
        ],
        "refusals": judge.refusals,
    }


def summary_of(classifier: Any) -> str:
    """Return how the rules do on the training rows, in text."""
    return str(classifier.summary())


def explanation_of(one: Any) -> list[Any]:
    """Return the class of a row, the reason, and the clauses that hold."""
    return [one.prediction, one.reason, [[str(key), said] for key, said in one.fired.items()]]


def _kind(cells: list[Any] | None) -> str | None:
    known = {type(cell).__name__ for cell in cells or [] if cell is not None}
    return None if cells is None else "/".join(sorted(known))


def _cells(column: Column) -> list[Any]:
    known = [True] * len(column) if column.known is None else column.known.tolist()
    cells = column.values.tolist()
    if column.kind == ColumnKind.CATEGORY:
        cells = [column.categories[code] for code in cells]
    return [cell if here else None for cell, here in zip(cells, known, strict=True)]


def _kind_word(one: ValueCounts) -> str:
    return "text" if one.kind == ColumnKind.CATEGORY else str(one.kind)


def _counts(one: ValueCounts) -> list[Any]:
    numbers = one.numbers
    bounds = zip(numbers.lowest.tolist(), numbers.highest.tolist(), strict=True)
    counted = [list(pair) for pair in zip(bounds, numbers.counts.tolist(), strict=True)]
    values, flag = sorted(one.values.items()), one.kind == ColumnKind.FLAG
    return [counted, [] if flag else values, values if flag else [], one.missing]
