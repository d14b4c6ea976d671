"""State transitions from a table.

A row is a transition. Each variable has a column of its value now, and one of its value next, as in
`x, y, x', y'` or `x, y, x_next, y_next`. All cells are 0 or 1. A variable without a next column
is an input: rules may read it, none defines it.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnri.data.column import Column
from gnri.data.kinds import ColumnKind
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.messages import closest, shorten

NEXT = re.compile(r"(.+)(?:'|_next)", re.DOTALL)  # a column of the next value of a variable


@dataclass(frozen=True, eq=False)
class Transitions:
    """Values now (rows, variables) and next (rows, defined), +1 true and -1 false."""

    variables: tuple[str, ...]
    defined: tuple[str, ...]
    now: NDArray[np.int8]
    next: NDArray[np.int8]


def read_transitions(table: Table) -> Transitions:
    """Return the transitions in a table; each state must have one next state.

    >>> from gnri.data.column import text_column
    >>> columns = {"x": text_column("x", ["0", "1"]), "x'": text_column("x'", ["1", "0"])}
    >>> found = read_transitions(Table(columns, "two.csv"))
    >>> found.now.tolist(), found.next.tolist()
    ([[-1], [1]], [[1], [-1]])
    """
    following = {name: found[1].strip() for name in table if (found := NEXT.fullmatch(name))}
    variables = tuple(name for name in table if name not in following)
    _check_names(table, variables, following)
    now, after = (
        np.stack([_signs(table[name].cast(ColumnKind.FLAG)) for name in names], axis=1)
        for names in (variables, following)
    )
    _check_deterministic(now, after, table.origin)
    return Transitions(variables, tuple(following.values()), now, after)


def _check_names(table: Table, variables: tuple[str, ...], following: dict[str, str]) -> None:
    if not following:
        raise GnriError(
            f"the columns of {table.origin} must be variables and their next values, such as x, y, "
            f"x', y' or x, y, x_next, y_next; got {shorten(list(table))}"
        )
    seen: set[str] = set()
    for name, variable in following.items():
        if variable not in variables:
            near = closest(variable, variables)
            hint = "" if near is None else f"; did you mean {near}'?"
            raise GnriError(
                f"column {shorten(name)} of {table.origin} is the next value of "
                f"{shorten(variable)}, which has no column of its own{hint}"
            )
        if variable in seen:
            raise GnriError(f"{table.origin} has two columns of the next value of {variable}")
        seen.add(variable)


def _signs(column: Column) -> NDArray[np.int8]:
    if column.known is not None and not column.known.all():
        raise GnriError(
            f"states are 0 or 1, but column {shorten(column.name)} holds None in row "
            f"{column.known.argmin() + 1} below the header"
        )
    return np.where(column.values, 1, -1).astype(np.int8)


def _check_deterministic(now: NDArray[np.int8], after: NDArray[np.int8], source: str) -> None:
    first: dict[bytes, int] = {}
    for row, state in enumerate(now):
        earlier = first.setdefault(state.tobytes(), row)
        if (after[earlier] != after[row]).any():
            raise GnriError(
                f"a state must have one next state, but rows {earlier + 1} and {row + 1} below the "
                f"header of {source} start alike and end differently; correct or drop one"
            )
