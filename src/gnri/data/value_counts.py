"""How often each value of a column occurs: counts, which add up over parts in any order.

Different numbers are counted one by one or, in bounded memory, in buckets: numbers with the same
leading bits share a bucket. The number of bits is the largest that gives at most MOST_BUCKETS
buckets. It depends only on the set of numbers, so the counts of a table do not depend on how it is
cut into parts, or on the order in which they are read.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.kinds import MISSING, ColumnKind, Unusable, are_numbers, decide_kind, is_few
from gnri.data.table import Column, check_finite, text_column
from gnri.errors import shorten

MOST_BUCKETS = 1 << 16  # of bounded counts; up to as many different numbers they are exact
MOST_TEXTS = 1 << 18  # different texts of one column in bounded counts; more are no categories
_SIGN = np.uint64(1 << 63)


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """Buckets of numbers in order: how many fell into each, and their lowest and highest."""

    counts: NDArray[np.int64]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    bounded: bool = False
    shift: int = 0  # bits that numbers of a bucket need not agree in

    def __add__(self, other: "NumberCounts") -> "NumberCounts":
        return NumberCounts(
            np.concatenate([self.counts, other.counts]),
            np.concatenate([self.lowest, other.lowest]),
            np.concatenate([self.highest, other.highest]),
            self.bounded,
            max(self.shift, other.shift),
        )._bucketed()

    def _bucketed(self) -> "NumberCounts":
        """Put numbers of one bucket together, and in fewer buckets where they are too many."""
        if not len(self.counts):
            return self
        order = np.argsort(self.lowest, kind="stable")
        counts, lowest, highest = self.counts[order], self.lowest[order], self.highest[order]
        bits = lowest.view(np.uint64)
        ordered = np.where(bits & _SIGN, ~bits, bits | _SIGN)  # integers in the order of numbers
        shift, keys = self.shift, ordered >> np.uint64(self.shift)
        starts = _starts(keys)
        while self.bounded and len(starts) > MOST_BUCKETS:
            shift, keys = shift + 1, keys >> np.uint64(1)
            starts = _starts(keys)
        highest = np.maximum.reduceat(highest, starts)
        counts = np.add.reduceat(counts, starts)
        return NumberCounts(counts, lowest[starts], highest, self.bounded, shift)


def count_numbers(
    numbers: NDArray[Any], times: NDArray[np.int64] | None = None, *, bounded: bool = False
) -> NumberCounts:
    """Return the counts of numbers, each of them as often as `times` says.

    >>> count_numbers(np.array([2.0, 1.0, 2.0])).counts.tolist()
    [1, 2]
    """
    if times is None:
        numbers, times = np.unique(numbers, return_counts=True)
    found = numbers + 0.0  # no minus zero
    return NumberCounts(times.astype(np.int64), found, found, bounded)._bucketed()


@dataclass(eq=False)
class ValueCounts:
    """How often each value occurs among the present cells of a column.

    Numbers are in `numbers`, other values in `values`. Undecided text can have both: if it has too
    many different texts, and they are numbers, they are counted as numbers.
    """

    name: str
    kind: ColumnKind | None
    numbers: NumberCounts
    values: "Counter[Any]" = field(default_factory=Counter)
    missing: int = 0  # cells; of undecided text, those that are missing in a column of any kind
    unusable: Unusable | None = None

    def __add__(self, other: "ValueCounts") -> "ValueCounts":
        return replace(
            self,
            numbers=self.numbers + other.numbers,
            values=self.values + other.values,
            missing=self.missing + other.missing,
            unusable=self.unusable or other.unusable,
        )._limited()

    @property
    def rows(self) -> int:
        """The number of cells."""
        return int(self.numbers.counts.sum()) + self.values.total() + self.missing

    def repeat(self, times: int) -> "ValueCounts":
        """Return the counts of so many copies of each cell."""
        if times == 1:
            return self
        values = Counter({value: times * n for value, n in self.values.items()})
        numbers = replace(self.numbers, counts=times * self.numbers.counts)
        return replace(self, numbers=numbers, values=values, missing=times * self.missing)

    def decide(self, kind: ColumnKind | None = None) -> "ValueCounts":
        """Return the counts with a kind, by default the one that fits all texts."""
        if self.kind is not None or self.unusable is not None:
            return self
        if kind is None:
            kind = ColumnKind.NUMBER if len(self.numbers.counts) else decide_kind(self.values)
        return replace(self._parse(kind), kind=kind)

    def _limited(self) -> "ValueCounts":
        """Return texts counted as numbers where they are many; unusable if they are no numbers."""
        if self.unusable is not None:
            return replace(self, values=Counter(), numbers=count_numbers(np.zeros(0)), missing=0)
        seen = len(self.numbers.counts) > 0 and self.kind is None
        if not self.numbers.bounded or (
            len(self.values) <= MOST_TEXTS and not (seen and self.values)
        ):
            return self
        if self.kind is None and are_numbers(self.values):
            return self._parse(ColumnKind.NUMBER)
        odd = [text for text in self.values if not are_numbers([text])]
        if self.kind is None and (seen or is_few(len(odd), len(self.values))):
            said = f"holds {shorten(odd[0])} among many numbers"
            advice = "correct it, or leave the cell empty if it is unknown"
        else:
            said = f"holds more than {MOST_TEXTS} different values"
            advice = "replace it by what matters in it"
        return replace(self, unusable=Unusable(self.name, said, advice))._limited()

    def _parse(self, kind: ColumnKind) -> "ValueCounts":
        """Parse the texts as `kind`, and return the counts of the parsed values."""
        if kind == ColumnKind.CATEGORY:
            return self
        cells = text_column(self.name, list(self.values)).cast(kind)
        times, known = np.array(list(self.values.values()), np.int64), ~cells.missing_rows(kind)
        missing = self.missing + int(times[~known].sum())
        if kind == ColumnKind.FLAG:
            found = {
                flag: int(times[known & (cells.values == flag)].sum()) for flag in (False, True)
            }
            return replace(self, values=+Counter(found), missing=missing)
        check_finite(self.name, cells.values, text=True, rows=False)
        numbers = count_numbers(cells.values[known], times[known], bounded=self.numbers.bounded)
        return replace(self, numbers=self.numbers + numbers, values=Counter(), missing=missing)


def count_values(column: Column, *, bounded: bool = False) -> ValueCounts:
    """Return how often each value of a column occurs, exactly or in bounded memory."""
    found = ValueCounts(column.name, column.kind, count_numbers(np.zeros(0), bounded=bounded))
    if column.unusable is not None:
        return replace(found, unusable=column.unusable)
    if column.kind is None:
        texts = column.counts()
        found.values = Counter({text: n for text, n in texts.items() if text not in MISSING})
        found.missing = len(column) - found.values.total()
        return found._limited()
    found.missing = column.missing
    known = column.values if column.known is None else column.values[column.known]
    match column.kind:
        case ColumnKind.NUMBER:
            check_finite(column.name, column.values, rows=not bounded)
            found.numbers = count_numbers(known, bounded=bounded)
        case ColumnKind.FLAG:
            true = int(known.sum())
            found.values = +Counter({True: true, False: len(known) - true})
        case ColumnKind.CATEGORY:
            found.values = Counter(column.counts())
    return found._limited()


def _starts(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where another value begins, in sorted ones."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
