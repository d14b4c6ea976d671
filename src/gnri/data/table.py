"""Columns by name, in order, of equal length."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.column import Column
from gnri.data.kinds import ColumnKind
from gnri.errors import GnriError, ShapeError
from gnri.messages import closest, shorten

FEWEST = 2  # rows that a rule can be made of


@dataclass(frozen=True, eq=False)
class Table(Mapping[str, Column]):
    """Columns by name, in order, of equal length; `origin` is what messages call it."""

    columns: dict[str, Column]
    origin: str = "the table"
    rows: int = -1  # of the columns; to be said where there may be none

    def __post_init__(self) -> None:
        first = next(iter(self.columns), None)
        if self.rows < 0:
            object.__setattr__(self, "rows", len(self.columns[first]) if first is not None else 0)
        for name, column in self.columns.items():
            if len(column) != self.rows:
                raise ShapeError(
                    f"columns must have one length, got {self.rows} cells in {shorten(first)} "
                    f"and {len(column)} in {shorten(name)}"
                )

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def select(self, names: Iterable[str]) -> "Table":
        """Return these columns, in this order."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return the rows of these numbers, or those marked True."""
        size = int(rows.sum()) if rows.dtype == np.bool_ else len(rows)
        taken = {name: column.take(rows) for name, column in self.columns.items()}
        return replace(self, columns=taken, rows=size)

    def decide(self) -> "Table":
        """Return every column of text as the kind that all of its cells are."""
        return replace(self, columns={name: one.decide() for name, one in self.columns.items()})

    def cast(self, kinds: Mapping[str, ColumnKind]) -> "Table":
        """Return those of the named columns that are there, each as the kind given."""
        found = {name: self[name].cast(kind) for name, kind in kinds.items() if name in self}
        return replace(self, columns=found)


def check_size(rows: int, columns: int, fewest: int = FEWEST) -> None:
    """Raise unless there are so many rows, and a column."""
    if rows < fewest or not columns:
        raise GnriError(
            f"the table must have at least {fewest} rows and a column, got {rows} rows and "
            f"{columns} columns"
        )


def check_has(name: str, names: list[str], origin: str) -> None:
    """Raise, naming the nearest column there is, unless there is a column of this name."""
    if name not in names:
        near = closest(name, names)
        hint = f"its columns are {shorten(names)}" if near is None else f"did you mean {near!r}?"
        raise GnriError(f"{origin} has no column {shorten(name)}; {hint}")


def check_names(names: Iterable[str], source: str) -> list[str]:
    """Return the names of columns; raise unless every column has one, and one of its own."""
    found: dict[str, None] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            raise GnriError(
                f"every column of {source} needs a name, but column {place} has none; give it one"
            )
        if name in found:
            raise GnriError(
                f"the columns of {source} must have different names, got {shorten(name)} more "
                "than once; rename one"
            )
        found[name] = None
    return list(found)
