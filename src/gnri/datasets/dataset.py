"""A labelled table as it was published: text cells, and what kind each column is of."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO

from gnri.errors import GnriError, ShapeError

TARGET = "class"
"""The name of the label column in a file."""

KINDS = ("numeric", "categorical", "binary")
"""A binary column is 0/1 and has one atom; a categorical one has an atom for each value."""

MISSING = ""


@dataclass(frozen=True)
class Dataset:
    """Cells as text, an empty one for a missing value; `origin` says where they came from."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    kinds: tuple[str, ...]
    origin: str = field(compare=False)

    def __post_init__(self) -> None:
        if len(self.kinds) != len(self.columns) or len(self.labels) != len(self.rows):
            raise ShapeError(
                f"{self.name} must have a kind for each column and a label for each row, got "
                f"{len(self.kinds)} kinds for {len(self.columns)} columns and "
                f"{len(self.labels)} labels for {len(self.rows)} rows"
            )
        for place, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ShapeError(
                    f"{self.name} must have {len(self.columns)} cells in each row, got {len(row)} "
                    f"in row {place}"
                )
        for column, kind in zip(self.columns, self.kinds, strict=True):
            if kind not in KINDS:
                raise GnriError(
                    f"{self.name}: column {column!r} must be {', '.join(KINDS[:2])} or "
                    f"{KINDS[2]}, got {kind!r}"
                )

    @property
    def missing(self) -> int:
        """How many cells are empty."""
        return sum(row.count(MISSING) for row in self.rows)

    @property
    def class_counts(self) -> dict[str, int]:
        """How many rows each class has, the classes in order."""
        return {label: self.labels.count(label) for label in sorted(set(self.labels))}

    def to_csv(self) -> str:
        """The table as text: a header, the label last, rows in their order."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.columns, TARGET])
        writer.writerows([*row, label] for row, label in zip(self.rows, self.labels, strict=True))
        return text.getvalue()

    @property
    def checksum(self) -> str:
        """SHA-256 of the table as text."""
        return sha256(self.to_csv().encode()).hexdigest()

    @property
    def content_checksum(self) -> str:
        """SHA-256 that does not depend on what columns, categories and classes are called.

        Numbers count as what they are, other cells by the order in which their values first come.
        """
        columns = zip(*self.rows, strict=True)
        coded = [
            _as_numbers(column) if kind == "numeric" else by_first_use(column)
            for column, kind in zip(columns, self.kinds, strict=True)
        ]
        return sha256(repr([*coded, by_first_use(self.labels)]).encode()).hexdigest()


def by_first_use(cells: Sequence[str]) -> list[int]:
    """Each value as the place in which it first came; -1 for a missing cell.

    >>> by_first_use(["b", "", "a", "b"])
    [0, -1, 1, 0]
    """
    seen = dict.fromkeys(cell for cell in cells if cell != MISSING)
    place = {value: i for i, value in enumerate(seen)} | {MISSING: -1}
    return [place[cell] for cell in cells]


def _as_numbers(cells: Iterable[str]) -> list[float | None]:
    return [None if cell == MISSING else float(cell) for cell in cells]
