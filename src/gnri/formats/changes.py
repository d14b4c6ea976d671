"""The smallest changes of cells that would change an answer, in words."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode_cells
from gnri.data.frames import Cells, read_cells
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Scalar, column_kinds, plain
from gnri.data.table import Column
from gnri.errors import GnriError, shorten
from gnri.formats.conditions import WORDS, format_value
from gnri.rules.nearest import Change, ChangeableColumn, NearestChanges, State
from gnri.rules.rule_list import RuleList


class CellChange(NamedTuple):
    """A smallest change of cells that changes the answer to `prediction`.

    Any of the `cells` of a column will do. `movement` adds up, over columns, the share of the
    thresholds on a column that its number crosses, and 1 for anything that is no number.
    """

    prediction: Scalar
    cells: dict[str, tuple[Scalar, ...]]
    movement: Fraction
    words: str


def find_changes(
    rule_list: RuleList,
    columns: Mapping[str, Cells],
    changeable: Collection[str],
    towards: Scalar | None = None,
) -> list[tuple[CellChange, ...]]:
    """Return for each row all smallest changes of its cells in the changeable columns.

    Fewest columns come first, then the least movement. `towards` is the class to reach, by default
    any other one. There is none where no change of these columns does.
    """
    if isinstance(changeable, str):
        raise GnriError(f"changeable must be a list of columns, got {shorten(changeable)}")
    classes, target = rule_list.classes, None
    if towards is not None:
        if plain(towards) not in classes:
            known = shorten(list(classes))
            raise GnriError(f"towards must be one of the classes {known}, got {shorten(towards)}")
        target = classes.index(plain(towards))
    search = NearestChanges(rule_list, changeable, target)
    values = encode_cells(search.schema, columns)
    kinds = column_kinds(search.schema.atoms)
    cells = {
        one.name: read_cells(one.name, columns[one.name], kinds[one.name]) for one in search.columns
    }
    answers = search.rule_list.choose(values)
    return [
        tuple(
            _describe(search, change, classes[answers[row]], values[row], cells, row)
            for change in search.find(values[row])
        )
        for row in range(len(values))
    ]


def _describe(
    search: NearestChanges,
    change: Change,
    now: Scalar,
    values: NDArray[np.int8],
    cells: Mapping[str, Column],
    row: int,
) -> CellChange:
    """Return a change with its words."""
    columns = {one.name: one for one in search.columns}
    label = search.rule_list.classes[change.answer]
    reasons, wishes, chosen = [], [], {}
    for name, states in change.states.items():
        known, column = values[columns[name].atoms].any(), WORDS.column(name)
        reasons.append(f"{column} is {_now(states[0], cells[name], row) if known else 'missing'}")
        wishes.append(f"{column} were {_wish(columns[name], states)}")
        near = states[:1] if states[0].rising is not None else states
        chosen[name] = tuple(cell for state in near for cell in state.cells)
    words = (
        f"{format_value(now)} because {' and '.join(reasons)}; it would be "
        f"{format_value(label)} if {' and '.join(wishes)}"
    )
    return CellChange(label, chosen, change.movement, words)


def _now(state: State, column: Column, row: int) -> str:
    """Return what a column is, as far as it matters for the change to a state."""
    if state.rising is not None:
        return _range(-inf, state.lower) if state.rising else _range(state.upper, inf)
    cell = column.values[row].item()
    return WORDS.value(column.categories[cell] if column.kind == ColumnKind.CATEGORY else cell)


def _wish(column: ChangeableColumn, states: Sequence[State]) -> str:
    """Return what a column would have to be."""
    if states[0].rising is not None:
        return _range(min(one.lower for one in states), max(one.upper for one in states))
    cells = [cell for state in states for cell in state.cells]
    if column.unnamed is not None and column.unnamed in cells:
        return f"not {WORDS.value(column.cells[0])}"
    *first, last = map(WORDS.value, sorted(cells, key=lambda one: (isinstance(one, str), one)))
    return f"{', '.join(first)} or {last}" if first else last


def _range(lower: float, upper: float) -> str:
    bounds = [f"over {WORDS.value(lower)}"] if lower > -inf else []
    bounds += [f"at most {WORDS.value(upper)}"] if upper < inf else []
    return " and ".join(bounds)
