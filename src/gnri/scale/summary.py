"""What must be known of a column to make atoms of it: counts, which add up over parts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from gnri.binarizer.column import refuse_dates
from gnri.binarizer.unfit import ColumnsError, Unfit
from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.numerals import LARGEST, is_few
from gnri.scale.sketch import Sketch, sketch_of
from gnri.tables.cells import MISSING, Kind, are_numbers, kind_of, parsed

MOST_TEXTS = 1 << 18
"""Different texts of one column that are counted; more are no categories."""

_NONE = partial(sketch_of, np.zeros(0))


@dataclass(eq=False)
class Summary:
    """How often each value occurs among the present cells of a column.

    Texts are counted as they stand. Numbers are too, in a sketch; a column of text holds both
    while it is not known what all of its cells are.
    """

    name: str
    kind: Kind | None  # None: text of which it is still to be seen what it means
    numbers: Sketch = field(default_factory=_NONE)
    texts: "Counter[str]" = field(default_factory=Counter)
    flags: "Counter[bool]" = field(default_factory=Counter)
    absent: int = 0  # cells that are missing, whatever the others are

    def __add__(self, other: "Summary") -> "Summary":
        return replace(
            self,
            numbers=self.numbers + other.numbers,
            texts=self.texts + other.texts,
            flags=self.flags + other.flags,
            absent=self.absent + other.absent,
        )._bounded()

    @property
    def missing(self) -> int:
        """How many cells are missing, as far as it is known what the others are."""
        return self.decided().absent

    def decided(self) -> "Summary":
        """The same, with a kind; texts that are numbers or Booleans counted as such."""
        if self.kind is not None:
            return self
        kind = Kind.NUMBER if self._seen else kind_of(self.texts)
        if kind == Kind.TEXT:
            return replace(self, kind=kind)
        if kind == Kind.NUMBER:
            return replace(self._numeric(), kind=kind)
        values = parsed(list(self.texts), kind, self.name).tolist()
        flags = _added(values, list(self.texts.values()))
        absent = self.absent + self.texts.total() - flags.total()
        return replace(self, kind=kind, texts=Counter(), flags=flags, absent=absent)

    def _bounded(self) -> "Summary":
        """Texts turned to numbers where they are many; an error where they are not numbers."""
        if len(self.texts) <= MOST_TEXTS and not (self._seen and self.texts):
            return self
        if self.kind is None and are_numbers(self.texts):
            return self._numeric()
        odd = [text for text in self.texts if not are_numbers([text])]
        if self.kind is None and (self._seen or is_few(len(odd), len(self.texts))):
            raise GnriError(
                f"column {shorten(self.name)} must hold numbers or few different texts, got "
                f"{shorten(odd[0])} among many numbers; correct it, or leave the cell empty"
            )
        raise GnriError(
            f"a column of text must hold categories, but {shorten(self.name)} holds more than "
            f"{MOST_TEXTS} different values; drop the column, or replace it by what matters in it"
        )

    @property
    def _seen(self) -> bool:
        """Whether so many texts were numbers that they are counted as such."""
        return len(self.numbers.counts) > 0

    def _numeric(self) -> "Summary":
        """Texts that are all numbers counted as such."""
        cells = parsed(list(self.texts), Kind.NUMBER, self.name)
        _check_finite(self.name, cells)
        times, known = np.array(list(self.texts.values()), np.int64), ~np.isnan(cells)
        numbers = self.numbers + sketch_of(cells[known], times[known])
        absent = self.absent + int(times[~known].sum())
        return replace(self, numbers=numbers, texts=Counter(), absent=absent)


def summarise(name: str, column: Any, text: bool) -> Summary:
    """The summary of an Arrow array."""
    from pyarrow import compute, types

    kind = None if text else kind_of_type(column.type, name)
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_boolean(column.type):
        true, known = column.true_count, len(column) - column.null_count
        flags = Counter({True: true, False: known - true})
        return Summary(name, kind, flags=+flags, absent=column.null_count)
    if types.is_integer(column.type):
        _check_exact(name, compute.min_max(column).as_py().values())
    found = compute.value_counts(column)
    values, times = found.field("values"), found.field("counts").to_numpy()
    if kind == Kind.NUMBER:
        cells = as_numbers(values)
        known = ~np.isnan(cells)
        _check_finite(name, cells)
        absent = int(times[~known].sum())
        return Summary(name, kind, numbers=sketch_of(cells[known], times[known]), absent=absent)
    cells = _trimmed_or_none(values) if text else values.to_pylist()
    counts = _added(cells, times.tolist())
    absent = int(times.sum()) - counts.total()
    return Summary(name, kind, texts=counts, absent=absent)._bounded()


def kind_of_type(arrow_type: Any, name: str) -> Kind:
    """What a column of this Arrow type holds."""
    from pyarrow import types

    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    if types.is_boolean(arrow_type) or types.is_null(arrow_type):
        return Kind.FLAG
    if any(check(arrow_type) for check in (types.is_integer, types.is_floating, types.is_decimal)):
        return Kind.NUMBER
    if any(check(arrow_type) for check in (types.is_string, types.is_large_string)):
        return Kind.TEXT
    if types.is_temporal(arrow_type):
        raise refuse_dates(name)
    raise GnriError(
        "a column must hold numbers, Booleans or text, one kind throughout, but "
        f"{shorten(name)} holds {arrow_type}; convert it to one kind, with None where a cell is "
        "missing"
    )


def as_numbers(column: Any) -> Any:
    """The cells of a numeric column in float64, NaN where missing."""
    import pyarrow as pa

    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def trimmed(values: Any) -> list[str]:
    """Texts without the spaces around them."""
    return [cell.strip() for cell in values.to_pylist()]


def _trimmed_or_none(values: Any) -> list[str | None]:
    return [None if cell in MISSING else cell for cell in trimmed(values)]


def _added(values: list[Any], times: list[int]) -> "Counter[Any]":
    """The counts of the values that are present; spaces may have kept equal ones apart."""
    counts: Counter[Any] = Counter()
    for value, n in zip(values, times, strict=True):
        if value is not None:
            counts[value] += n
    return counts


def _check_exact(name: str, bounds: Iterable[int | None]) -> None:
    """Raise if whole numbers are too large to be told apart as floats."""
    if any(bound is not None and abs(bound) > LARGEST for bound in bounds):
        what = "holds whole numbers beyond 2^53, where neighbours cannot be told apart"
        raise ColumnsError(Unfit(name, what, "write them as text, or make them smaller"))


def _check_finite(name: str, cells: Any) -> None:
    infinite = cells[np.isinf(cells)]
    if len(infinite):
        raise GnriError(
            f"numbers must be finite, but column {shorten(name)} holds {infinite[0]}; write a "
            "number, or leave the cell empty"
        )
