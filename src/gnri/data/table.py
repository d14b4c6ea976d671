"""Columns as arrays, with which of their cells are known; tables of columns by name, in order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from shlex import quote
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import (
    DATE,
    MISSING_BUT_IN_TEXT,
    ColumnKind,
    ColumnsError,
    Unusable,
    are_dates,
    decide_kind,
    is_code,
    is_few,
    is_number,
    look_of,
    missing_texts,
    parse_flags,
    parse_numbers,
    point_for_comma,
)
from gnri.data.schema import Scalar, show
from gnri.errors import EncodingError, GnriError, ShapeError, closest, plural, shorten

FEWEST = 2  # rows that a rule can be made of
EXPECTED = {
    ColumnKind.NUMBER: "numbers",
    ColumnKind.FLAG: "Booleans (true and false, or 1 and 0)",
    ColumnKind.CATEGORY: "text",
}


@dataclass(frozen=True, eq=False)
class Column:
    """A column as arrays, never a Python object for each cell.

    NUMBER: float64, NaN where missing (or whole numbers as they came, if none is missing). FLAG:
    bool. CATEGORY: int32 codes into `categories`. Kind None: text whose meaning is not decided,
    int32 codes into `categories`, the distinct texts without spaces around them, in the order of
    first use. `known` is None where no cell is missing. `unusable` says why no atoms can be made
    of it, as of dates.
    """

    name: str
    kind: ColumnKind | None
    values: NDArray[Any]
    known: NDArray[np.bool_] | None = None
    categories: tuple[Scalar, ...] = ()
    unusable: Unusable | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> int:
        """Return how many cells are missing; text is first given its kind."""
        return int(self.missing_rows(self.decided_kind).sum())

    @cached_property
    def decided_kind(self) -> ColumnKind:
        """Return the kind, or for text the one that all of its cells are."""
        return decide_kind(self.counts()) if self.kind is None else self.kind

    def counts(self) -> dict[Any, int]:
        """Return how often each category occurs among the known cells; no category has 0."""
        if not len(self):
            return {}
        codes = self.values if self.known is None else self.values[self.known]
        times = np.bincount(codes, minlength=len(self.categories)).tolist()
        return {one: n for one, n in zip(self.categories, times, strict=True) if n}

    def missing_rows(self, kind: ColumnKind) -> NDArray[np.bool_]:
        """Return which cells are missing; undecided text is read as a column of this kind."""
        absent = missing_texts(kind) if self.kind is None else frozenset()
        missing = np.array([text in absent for text in self.categories], np.bool_)
        if missing.any():
            return missing[self.values]
        return np.zeros(len(self), np.bool_) if self.known is None else ~self.known

    def take(self, rows: NDArray[Any]) -> "Column":
        """Return the rows of these numbers, or those marked True."""
        known = None if self.known is None else self.known[rows]
        return replace(self, values=self.values[rows], known=known)

    def decide(self) -> "Column":
        """Return undecided text as the kind that fits all of its cells; other columns unchanged."""
        if self.kind is not None or self.unusable is not None:
            return self
        found = self.cast(self.decided_kind)
        if found.kind == ColumnKind.NUMBER:
            check_finite(self.name, found.values, text=True)
        return found

    def cast(self, kind: ColumnKind) -> "Column":
        """Return the column as `kind`; raise `EncodingError` for the first cell that cannot be."""
        if self.unusable is not None:
            raise ColumnsError(self.unusable)
        if self.kind == kind:
            return self
        if self.kind is None:
            return self._parse(kind)
        wrong = ~self.missing_rows(kind)
        if not wrong.any():
            return coded_column(self.name, kind, [None], np.zeros(len(self), np.int32))
        if self.kind == ColumnKind.FLAG and kind == ColumnKind.NUMBER:
            return number_column(self.name, np.where(wrong, self.values, np.nan))
        if self.kind == ColumnKind.NUMBER and kind == ColumnKind.FLAG:
            wrong &= ~np.isin(self.values, (0, 1))
            if not wrong.any():
                return Column(self.name, kind, self.values == 1, self.known)
        return self._refuse(kind, wrong)

    def texts(self) -> list[str]:
        """Return the text of each cell, for a file; a missing one is empty."""
        if self.kind in (None, ColumnKind.CATEGORY):
            words, codes = [*map(str, self.categories), ""], self.values
        elif self.kind == ColumnKind.FLAG:
            words, codes = ["false", "true", ""], self.values.astype(np.int8)
        else:
            return ["" if cell != cell else str(cell) for cell in self.values.tolist()]
        codes = codes if self.known is None else np.where(self.known, codes, len(words) - 1)
        return [words[code] for code in codes.tolist()]

    def with_decimal_points(self) -> "Column":
        """Return text with points in place of the decimal commas of numbers.

        A number that has a point already may mean thousands, so then the column is unusable.
        """
        wrong = [one for one in map(str, self.categories) if "." in one and is_number(one)]
        if wrong:
            said = f"holds {wrong[0]!r}, with a point where the decimal mark is a comma"
            why = Unusable(self.name, said, "write numbers without marks for thousands")
            return replace(self, unusable=why)
        return replace(self, categories=tuple(point_for_comma(str(one)) for one in self.categories))

    def number_cells(self) -> NDArray[np.intp]:
        """Return the same whole number for equal cells; 0 for missing ones."""
        _, places = np.unique(self.values, return_inverse=True)
        return places + 1 if self.known is None else np.where(self.known, places + 1, 0)

    def near_number_note(self) -> str | None:
        """Return what makes text of a column of which nearly all cells are or look like numbers."""
        if self.kind is not None or self.decided_kind != ColumnKind.CATEGORY:
            return None
        present = {one: n for one, n in self.counts().items() if one not in MISSING_BUT_IN_TEXT}
        odd = {cell: n for cell, n in present.items() if not is_number(cell)}
        looks = {cell: look_of(cell) for cell in odd}
        if are_dates(present) or (len(odd) == len(present) and set(looks.values()) == {DATE}):
            return None
        unlike = [n for cell, n in odd.items() if looks[cell] is None]
        few = is_few(sum(unlike), sum(present.values())) or is_few(len(unlike), len(present))
        if not odd or any(map(is_code, odd)) or not few:
            return None
        first, others = next(iter(odd)), sum(odd.values()) - 1
        look = looks[first]
        row = int((self.values == self.categories.index(first)).argmax()) + 1
        what = "" if look is None else f" ({look.what})"
        more = f", nor can {plural(others, 'other cell')}" if others else ""
        wrong = (
            f"correct it; if it means missing, leave the cell empty, or use --na-values "
            f"{quote(first)} (in Python na_values=[{first!r}])"
        )
        return (
            f"is read as text, not as numbers: {shorten(first)} in row {row} below the header "
            f"cannot be read as one{what}{more}; {wrong if look is None else look.advice}"
        )

    def _parse(self, kind: ColumnKind) -> "Column":
        """Return text as `kind`, by way of its distinct cells."""
        missing = self.missing_rows(kind)
        if kind == ColumnKind.CATEGORY:
            return replace(self, kind=kind, known=~missing if missing.any() else None)
        texts: Any = self.categories
        parsed = parse_numbers(texts) if kind == ColumnKind.NUMBER else parse_flags(texts)
        wrong = np.array([value is None for value in parsed], np.bool_)[self.values] & ~missing
        if wrong.any():
            self._refuse(kind, wrong)
        return coded_column(self.name, kind, parsed, self.values)

    def _refuse(self, kind: ColumnKind, wrong: NDArray[np.bool_]) -> NoReturn:
        row = int(wrong.argmax())
        cell = self.values[row].item()
        if self.kind in (None, ColumnKind.CATEGORY):
            cell = self.categories[cell]
        said = f"column {shorten(self.name)} must hold {EXPECTED[kind]}, got {show(cell)} in row "
        if self.kind is None:
            raise EncodingError(
                f"{said}{row + 1} below the header; correct it, or leave the cell empty if it is "
                "unknown"
            )
        raise EncodingError(f"{said}{row}; pass the column as it was when the rules were learnt")


def number_column(name: str, values: NDArray[Any]) -> Column:
    """Return a column of numbers, in which NaN is missing."""
    known = ~np.isnan(values)
    return Column(name, ColumnKind.NUMBER, values, None if known.all() else known)


def text_column(name: str, texts: Sequence[str]) -> Column:
    """Return a column of text that is not decided."""
    distinct, codes = find_distinct(texts)
    return Column(name, None, codes, categories=distinct)


def coded_column(
    name: str, kind: ColumnKind, values: Sequence[Scalar | None], codes: NDArray[np.int32]
) -> Column:
    """Return the column of these distinct values, None where missing, and each row's place."""
    if kind == ColumnKind.NUMBER:
        return number_column(name, np.array(values, np.float64)[codes])
    missing = np.array([value is None for value in values], np.bool_)
    known = ~missing[codes] if missing.any() else None
    if kind == ColumnKind.FLAG:
        return Column(name, kind, np.array(values, np.bool_)[codes], known)
    return Column(name, kind, codes, known, tuple("" if one is None else one for one in values))


def find_distinct(cells: Sequence[Any]) -> tuple[tuple[Any, ...], NDArray[np.int32]]:
    """Return the distinct cells in the order of first use, and the place of each row's cell."""
    place = {cell: i for i, cell in enumerate(dict.fromkeys(cells))}
    return tuple(place), np.fromiter(map(place.__getitem__, cells), np.int32, len(cells))


def check_finite(
    name: str, numbers: NDArray[Any], *, text: bool = False, rows: bool = True
) -> None:
    """Raise if a number is infinite; with `rows`, name its row (of a file if it was `text`)."""
    infinite = np.isinf(numbers)
    if not infinite.any():
        return
    row = int(infinite.argmax())
    where = (f" in row {row + 1} below the header" if text else f" in row {row}") if rows else ""
    advice = (
        "write a number, or leave the cell empty" if text else "use a number or a missing value"
    )
    raise GnriError(
        f"numbers must be finite, but column {shorten(name)} holds {numbers[row]}{where}; {advice}"
    )


@dataclass(frozen=True, eq=False)
class Table(Mapping[str, Column]):
    """Columns by name, in order, of equal length; `origin` is what messages call it."""

    columns: dict[str, Column]
    origin: str = "the table"
    rows: int = -1  # by default the length of the columns; to be given where there may be none
    times: int = 1  # how many equal rows each row stands for
    na_values: tuple[str, ...] = ()  # further texts that were read as missing

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

    def number_rows(self) -> NDArray[np.intp]:
        """Return the same whole number for rows of equal cells, in the order of their first row."""
        found = np.zeros(self.rows, np.intp)
        for column in self.values():
            cells = column.number_cells()
            keys = found * (int(cells.max(initial=0)) + 1) + cells
            _, first, found = np.unique(keys, return_index=True, return_inverse=True)
            found = np.argsort(np.argsort(first))[found]
            if len(first) == self.rows:
                break
        return found

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
        near = closest(str(name), names)
        hint = f"its columns are {shorten(names)}" if near is None else f"did you mean {near!r}?"
        raise GnriError(f"{origin} has no column {shorten(name)}; {hint}")


def check_names(names: Iterable[str], source: str) -> list[str]:
    """Return the names of columns; raise unless every column has one, and one of its own.

    The first may have none, as where pandas wrote the index.
    """
    found: dict[str, None] = {}
    for place, name in enumerate(names, start=1):
        if not name and place > 1:
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
