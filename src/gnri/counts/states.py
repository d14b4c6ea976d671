"""Counts of rows by the state of a column and by their points.

A line is a condition that can get points: a threshold, a value or a clause. The lines of a column
are read together. The state of a row in a column says which of them are true: for thresholds it is
the range, for values the value, for a clause its truth; a missing cell is one more state. All rows
in one state get the same points, so it is enough to count rows by state, class and total.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import WORD, Block, find_basis, find_rows, unpack
from gnri.counts.counter import Counter
from gnri.data.schema import Above, Schema
from gnri.rules.dnf import Clause, clause
from gnri.rules.row_expression import Rows

_WORDS, _ROWS = 256, 1 << 12  # words and rows whose overlaps are added up at a time
_CLAUSES = 128  # clauses of one literal whose overlaps are added up at a time
_AT_ONCE = 1 << 16  # states of rows that are counted at a time


@dataclass(frozen=True, eq=False)
class ColumnStates:
    """Lines that are read together, and their truth (states, lines) in each state.

    The state of a row is the sum of the `steps` of the lines that are true of it; the last state
    is that of a missing cell. Lines of more than one literal stand alone.
    """

    lines: tuple[Clause, ...]
    truths: NDArray[np.int64]
    steps: tuple[int, ...]


def column_states(schema: Schema) -> list[ColumnStates]:
    """Return the states of each column: ranges between thresholds, or values."""
    places: dict[str, list[int]] = {}
    for place, atom in enumerate(schema.atoms):
        if not (isinstance(atom, Above) and atom.codes):
            places.setdefault(atom.column, []).append(place)
    return [_states(schema, members) for members in places.values()]


def _states(schema: Schema, members: list[int]) -> ColumnStates:
    """Return the states of one column, from its atoms.

    Several thresholds can be true on a row, but at most one value. If a column has thresholds and
    values, the values are special codes, and each code has a state of its own.
    """
    atoms = {place: schema.atoms[place] for place in members}
    cuts = {place: atom.cut for place, atom in atoms.items() if isinstance(atom, Above)}
    cuts = dict(sorted(cuts.items(), key=itemgetter(1)))
    values = [place for place in members if place not in cuts]
    # Without thresholds, the values need not be numbers.
    beyond = [[float(atoms[place].value) > cut for cut in cuts.values()] for place in values]  # type: ignore[union-attr]
    above = np.array(beyond, np.bool_).reshape(len(values), len(cuts))
    ranges = np.tri(len(cuts) + 1, len(cuts), -1)
    true = np.block([[ranges, np.zeros((len(ranges), len(values)))], [above, np.eye(len(values))]])
    truths = np.vstack([2 * true.astype(np.int64) - 1, np.zeros((1, len(members)), np.int64)])
    own = len(ranges) + np.arange(len(values)) - above.sum(axis=1)
    lines = tuple(clause((place, True)) for place in [*cuts, *values])
    return ColumnStates(lines, truths, (*[1] * len(cuts), *own.tolist()))


def line_states(line: Clause) -> ColumnStates:
    """Return the states of a clause by itself: false, true, unknown."""
    return ColumnStates((line,), np.array([[-1], [1], [0]]), (1,))


class Totals(NamedTuple):
    """What to count: rows by their state in the `wanted` columns, and by their total.

    A row's total is `start` and the points of its state in each column of `scores`. With a
    `target`, there are two classes: this one, and all others.
    """

    scores: Mapping[int, NDArray[np.int64]]
    start: int
    wanted: Sequence[int]
    target: int | None = None

    @property
    def reach(self) -> int:
        """An upper bound of the absolute value of a total."""
        return abs(self.start) + sum(int(np.abs(one).max()) for one in self.scores.values())


class Overlaps(NamedTuple):
    """What to add up: weights of rows by class and total (kinds of weights, classes, totals).

    For each pair of a clause and a literal, the weights of the rows where both are true are added
    up. A clause is given by the places of its literals among all, whose numbers must ascend.
    """

    totals: Totals
    weights: NDArray[np.float64]
    literals: NDArray[np.intp]
    clauses: NDArray[np.intp]  # (clauses, literals of each)


class StateCounter:
    """Count the rows of a counter by state, class and total."""

    def __init__(self, counter: Counter, columns: Sequence[ColumnStates]) -> None:
        self.columns = list(columns)
        self._counter = counter
        whole = counter.blocks.whole
        self._table = None if whole is None else _StateTable(whole, counter.within)

    def copy(self) -> "StateCounter":
        """Return a copy; columns that are added to the copy are not added to this counter."""
        found = copy(self)
        found.columns = self.columns.copy()
        return found

    def overlaps(self, overlaps: Overlaps, sample: Rows) -> NDArray[np.float64]:
        """Return the sums over the rows in a sample (kinds of weights, clauses, literals).

        Weights are whole numbers, and the sums below 2^53, so exact.
        """
        return self._total(_StateTable.overlaps, overlaps, sample)

    def some_overlaps(
        self, overlaps: Overlaps, sample: Rows
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the same for pairs of literals, some rows of pairs at a time, the last ones first.

        Yield the place of the first literal, and the sums with the literals from there on.
        """
        if self._table is not None:
            yield from self._table.some_overlaps(self.columns, overlaps, sample)
        else:
            yield 0, self.overlaps(overlaps, sample)

    def histograms(self, totals: Totals) -> NDArray[np.float64]:
        """Return the rows in each state (states, classes, totals from -reach to reach).

        The states of the first wanted column come first.
        """
        return self._total(_StateTable.histogram, totals)

    def _total(self, count: Callable[..., NDArray[Any]], *asked: Any) -> NDArray[Any]:
        """Return what `count` gives on the states of all rows."""
        if self._table is not None:
            return count(self._table, self.columns, *asked)
        work = partial(_count_block, within=self._counter.within, columns=self.columns)
        return self._counter.blocks.total(partial(work, count=count, asked=asked))


class _StateTable:
    """The class of each row, and its state in each column, which is looked up once."""

    def __init__(self, block: Block, within: Rows) -> None:
        self.block = block
        self.bits, self.kinds, _ = find_rows(block, within)
        self._known: WeakKeyDictionary[ColumnStates, NDArray[np.int64]] = WeakKeyDictionary()

    def states(self, column: ColumnStates) -> NDArray[np.int64]:
        """Return the state of each row."""
        if column not in self._known:
            self._known[column] = self._find_states(column)
        return self._known[column]

    def _find_states(self, column: ColumnStates) -> NDArray[np.int64]:
        words, first = self.block.words, column.lines[0]
        if len(first) > 1:
            literals = np.array([one.number for one in first])
            true = np.bitwise_and.reduce(words[literals], axis=0)
            false = np.bitwise_or.reduce(words[literals ^ 1], axis=0)
            true, false = unpack(np.stack([true, false]))[:, self.bits].astype(np.int64)
            return np.where(true | false, true, 2)
        literals = np.array([one.number for line in column.lines for one in line])
        truth = unpack(words[literals])[:, self.bits]
        known = truth[0] | unpack(words[literals[:1] ^ 1])[0, self.bits]
        state = np.array(column.steps) @ truth.astype(np.int64)
        return np.where(known, state, len(column.truths) - 1)

    def keys(self, columns: Sequence[ColumnStates], totals: Totals) -> NDArray[np.int64]:
        """Return the class and total of each row as one number."""
        kinds = self.kinds if totals.target is None else self.kinds != totals.target
        keys = kinds * (2 * totals.reach + 1) + totals.start + totals.reach
        for i, points in totals.scores.items():
            keys += points[self.states(columns[i])]
        return keys

    def histogram(self, columns: Sequence[ColumnStates], totals: Totals) -> NDArray[np.float64]:
        """Return the counts of all wanted columns, one after the other."""
        width, keys = 2 * totals.reach + 1, self.keys(columns, totals)
        classes = self.block.classes if totals.target is None else 2
        wanted, size = [columns[i] for i in totals.wanted], classes * width
        ends = np.cumsum([0, *(len(column.truths) for column in wanted)])
        found = np.empty((ends[-1], classes, width))
        many = max(1, _AT_ONCE // max(len(keys), 1))
        for i in range(0, len(wanted), many):
            places = np.stack([self.states(column) for column in wanted[i : i + many]])
            first, *others = ends[i : i + many + 1]
            places += (ends[i : i + len(places), None]) - first
            places *= size
            places += keys
            counts = np.bincount(places.ravel(), minlength=size * int(others[-1] - first))
            part = found[first : others[-1]]
            np.multiply(counts.reshape(part.shape), self.block.weight, out=part)
        return found

    def overlaps(
        self, columns: Sequence[ColumnStates], overlaps: Overlaps, sample: Rows
    ) -> NDArray[np.float64]:
        """Return the sums of weights; see `StateCounter.overlaps`."""
        return self._adder(columns, overlaps, sample)(overlaps.clauses, 0)

    def some_overlaps(
        self, columns: Sequence[ColumnStates], overlaps: Overlaps, sample: Rows
    ) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the sums of weights; see `StateCounter.some_overlaps`."""
        add = self._adder(columns, overlaps, sample)
        for first in reversed(range(0, len(overlaps.clauses), _CLAUSES)):
            yield first, add(overlaps.clauses[first : first + _CLAUSES], first)

    def _adder(
        self, columns: Sequence[ColumnStates], overlaps: Overlaps, sample: Rows
    ) -> Callable[[NDArray[np.intp], int], NDArray[np.float64]]:
        """Return the function that adds up for clauses and the literals from a place on."""
        block, (totals, weights, literals, _) = self.block, overlaps
        inside = np.flatnonzero(unpack(block.masks().mask(sample)[None])[0][self.bits])
        keys = self.keys(columns, totals)[inside]
        order = np.argsort(self.bits[inside])
        bits, rows = self.bits[inside][order], weights.reshape(len(weights), -1)[:, keys[order]]
        # Sums of whole numbers are exact in float32, too, while they are this small.
        small = np.abs(rows).sum(axis=1).max() < 1 << 24
        rows = rows.astype(np.float32 if small else np.float64)
        basis, whole, less = find_basis(block.words[literals], literals)
        pieces = [np.zeros((len(basis), 0), np.uint8)]
        for first in range(0, block.words.shape[1], _WORDS):
            start, end = np.searchsorted(bits, [first * WORD, (first + _WORDS) * WORD])
            places = bits[start:end] - first * WORD
            pieces.append(unpack(basis[:, first : first + _WORDS])[:, places])
        truth = np.concatenate(pieces, axis=1)

        def add(clauses: NDArray[np.intp], first: int) -> NDArray[np.float64]:
            least = min(whole[first:].min(), less[first:].min())
            found = np.zeros((len(rows), len(clauses), len(basis) - least), rows.dtype)
            for start in range(0, len(bits), _ROWS):
                part = slice(start, start + _ROWS)
                right = truth[least:, part].astype(rows.dtype)
                left = truth[whole[clauses], part] - truth[less[clauses], part]
                left = np.bitwise_and.reduce(left, axis=1).astype(rows.dtype)
                for sums, one in zip(found, rows[:, part], strict=True):
                    sums += (left * one) @ right.T
            plus, minus = (found.take(places[first:] - least, axis=-1) for places in (whole, less))
            return np.subtract(plus, minus, dtype=np.float64) * block.weight

        return add


def _count_block(
    block: Block,
    within: Rows,
    columns: Sequence[ColumnStates],
    count: Callable[..., NDArray[Any]],
    asked: tuple[Any, ...],
) -> NDArray[Any]:
    return count(_StateTable(block, within), columns, *asked)
