"""The smallest changes of a row's cells that change its answer: exact, by search over the rule.

Fewest columns come first, then the least movement. To cross k of the n thresholds that a schema has
on a column is a movement of k / n: its thresholds are quantiles, so that is about the share of the
training rows that are passed, whatever the unit of the column. Another category, another truth, or
a value in place of a missing cell is a movement of 1.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, compress, islice, pairwise, product
from math import floor, inf, nextafter, prod
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import answer_cells
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, Atom, Equals, OneOf, Scalar, Schema, column_kinds
from gnri.rules.rule_list import RuleList, not_fewer_points

_CHUNK = 1 << 14  # sets of columns, or mixtures of states, that are looked at together
_DIGITS = 16  # after the point, at most, of a number in a change


class State(NamedTuple):
    """One way to answer the atoms of a column, other than a row does now.

    Any of the `cells` is in the state. If all its atoms are thresholds, so are all numbers above
    `lower` and not above `upper`; there is then one cell, the nearest, and `rising` says whether it
    is above the one now.
    """

    answers: tuple[int, ...]
    movement: Fraction
    cells: tuple[Scalar, ...]
    lower: float = -inf
    upper: float = inf
    rising: bool | None = None


class Change(NamedTuple):
    """What some columns must be so that the answer is another class, by index.

    Any of the states of a column will do, whatever states the others are in; the first is nearest.
    """

    answer: int
    movement: Fraction
    states: dict[str, tuple[State, ...]]


class ChangeableColumn:
    """A column that may change: a cell or more of each state, and how it answers the atoms."""

    def __init__(self, schema: Schema, name: str, read: Collection[int]) -> None:
        """Find cells of all states; `read` are the atoms that rules read."""
        own = [i for i, atom in enumerate(schema.atoms) if atom.column == name]
        used = [schema.atoms[i] for i in own if i in read]
        cuts = sorted({one.cut for i in own if isinstance(one := schema.atoms[i], Above)})
        kind = column_kinds(used)[name]
        cells = _named_cells([schema.atoms[i] for i in own], kind)
        cells += [cell for cell in _cells_between(cuts) if cell not in cells]
        # A cell that stands for all that no atom names.
        self.unnamed = _unnamed_cell(cells[0]) if len(cells) == 1 else None
        cells += [] if self.unnamed is None else [self.unnamed]
        limits = [one.cut for one in used if isinstance(one, Above)]
        self.name, self.cells = name, cells
        self.atoms = np.array([i for i in own if i in read], np.intp)
        # The atoms that compare, read or not, and how many of them are true of each cell.
        self.cuts = np.array([i for i in own if isinstance(schema.atoms[i], Above)], np.intp)
        self.below = [sum(cut < cell for cut in cuts) if cuts else 0 for cell in cells]  # type: ignore[operator]
        self.answers = list(map(tuple, answer_cells(used, kind, cells).tolist()))
        # The thresholds of `atoms`, if all have one.
        self.limits = np.array(limits) if len(limits) == len(used) else None

    def states(self, row: NDArray[np.int8]) -> list[State]:
        """Return the states of the column that are not that of the row."""
        now, here = tuple(row[self.atoms].tolist()), int((row[self.cuts] > 0).sum())
        known, most = any(now), len(self.cuts)
        found: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(dict)
        for i, (below, answers) in enumerate(zip(self.below, self.answers, strict=True)):
            share = Fraction(abs(below - here), most) if most and known else Fraction(1)
            found[answers][i] = share
        found.pop(now, None)
        return [self._state(one, cells, here if known else None) for one, cells in found.items()]

    def _state(
        self, answers: tuple[int, ...], shares: dict[int, Fraction], here: int | None
    ) -> State:
        """Return the state of these answers, nearest to so many cuts below; None: not known."""
        least = min(shares.values())
        near = [i for i, share in shares.items() if share == least]
        cells = tuple(self.cells[i] for i in near)
        if self.limits is None:
            return State(answers, least, cells)
        signs = np.array(answers)
        lower = float(self.limits[signs > 0].max(initial=-inf))
        upper = float(self.limits[signs < 0].min(initial=inf))
        rising = lower > -inf if here is None else self.below[near[0]] > here
        nearest = min(cells) if rising else max(cells)
        return State(answers, least, (nearest,), lower, upper, rising)


class NearestChanges:
    """Search the smallest changes of cells in changeable columns, for one row after another."""

    def __init__(
        self, rule_list: RuleList, changeable: Collection[str], towards: int | None = None
    ) -> None:
        """Prepare to look for any other answer, or for the class of one index."""
        names = rule_list.columns
        wide = [i for i, one in enumerate(rule_list.schema.atoms) if one.column in names]
        self.rule_list = rule_list.select_atoms(wide)
        self.schema = self.rule_list.schema
        read = set(self.rule_list.atoms)
        self.columns = [
            ChangeableColumn(self.schema, one, read) for one in names if one in changeable
        ]
        self.reads = np.zeros((len(self.columns), len(wide)), np.bool_)
        for i, column in enumerate(self.columns):
            self.reads[i, column.atoms] = True
        self.wanted = range(len(rule_list.classes)) if towards is None else [towards]
        steps = self.rule_list.steps if rule_list.most_points_win else ()
        self._leads = {
            own.answer: [not_fewer_points(own.rule, one.rule) for one in steps if one is not own]
            for own in steps
        }

    def find(self, row: NDArray[np.int8]) -> list[Change]:
        """Return all smallest changes of a row, given over the atoms of `schema`."""
        return _RowSearch(self, row).find()

    def may_answer(self, kind: int, values: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return on which rows the class may be the answer, were unknown atoms anything."""
        if self._leads:
            return np.all([card.evaluate(values) >= 0 for card in self._leads[kind]], axis=0)
        possible, reached = np.zeros(len(values), np.bool_), np.ones(len(values), np.bool_)
        for step in self.rule_list.steps:
            applies = step.truth * step.rule.evaluate(values)
            if step.answer == kind:
                possible |= reached & (applies >= 0)
            reached &= applies <= 0
        return possible | reached if self.rule_list.default == kind else possible


class _RowSearch:
    """The search for one row, whose columns each have some other states."""

    def __init__(self, search: NearestChanges, row: NDArray[np.int8]) -> None:
        self._search, self._row, self._columns = search, row, search.columns
        now = int(search.rule_list.choose(row[None])[0])
        self._targets = [kind for kind in search.wanted if kind != now]
        self._states = [column.states(row) for column in search.columns]

    def find(self) -> list[Change]:
        """Return all smallest changes."""
        places = [i for i, states in enumerate(self._states) if states]
        if not places or not self._may_reach(self._unknown([places])).any():
            return []  # whatever changes
        for size in range(1, len(places) + 1):
            sets, found = combinations(places, size), list[Change]()
            while chunk := list(islice(sets, _CHUNK)):
                for some in compress(chunk, self._may_reach(self._unknown(chunk))):
                    found += self._nearest_of(some)
            if found:
                least = min(change.movement for change in found)
                return _distinct(self._widen(one) for one in found if one.movement == least)
        return []

    def _unknown(self, sets: Sequence[Sequence[int]]) -> NDArray[np.int8]:
        """Return the row once for each of these sets of columns, which are unknown there."""
        changes = np.zeros((len(sets), len(self._columns)), np.bool_)
        np.put_along_axis(changes, np.array(sets), True, axis=1)
        return np.where(changes @ self._search.reads, np.int8(0), self._row)

    def _may_reach(self, rows: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return for each row whether a target may be the answer, whatever unknown atoms are."""
        return np.any([self._search.may_answer(kind, rows) for kind in self._targets], axis=0)

    def _nearest_of(self, places: Sequence[int]) -> list[Change]:
        """Return the changes of these columns with which the answer is a target, the nearest."""
        row, rows = self._unknown([places]), []
        for i in places:  # one for each of its states, with any state of the others
            rows.append(np.repeat(row, len(self._states[i]), axis=0))
            rows[-1][:, self._columns[i].atoms] = _answers(self._states[i])
        useful = iter(self._may_reach(np.vstack(rows)))
        options = [list(compress(self._states[i], useful)) for i in places]
        names = [self._columns[i].name for i in places]
        found, least, mixtures = list[Change](), Fraction(len(places) + 1), product(*options)
        while some := list(islice(mixtures, _CHUNK)):
            chosen = self._choose(places, some)
            for hit in np.flatnonzero(np.isin(chosen, self._targets)):
                moved = sum((state.movement for state in some[hit]), Fraction(0))
                if moved <= least:
                    found, least = found if moved == least else [], moved
                    pairs = zip(names, ((one,) for one in some[hit]), strict=True)
                    found.append(Change(int(chosen[hit]), moved, dict(pairs)))
        return found

    def _widen(self, change: Change) -> Change:
        """Return the change with all other states that do as well, if every mixture of them does.

        Of a number these are further on in the same direction, of a category they are others.
        """
        places = [i for i, one in enumerate(self._columns) if one.name in change.states]
        chosen = [some[0] for some in change.states.values()]
        wider = []
        for place, i in enumerate(places):
            others = _further(chosen[place], self._states[i])
            mixed = [[*chosen[:place], other, *chosen[place + 1 :]] for other in others]
            good = [*(self._choose(places, mixed) == change.answer)] if mixed else []
            if chosen[place].rising is not None:
                good = good[: [*good, False].index(False)]
            wider.append([chosen[place], *compress(others, good)])
        if prod(map(len, wider)) > _CHUNK:
            return change
        if (self._choose(places, list(product(*wider))) != change.answer).any():
            return change
        return change._replace(states=dict(zip(change.states, map(tuple, wider), strict=True)))

    def _choose(
        self, places: Sequence[int], mixtures: Sequence[Sequence[State]]
    ) -> NDArray[np.intp]:
        """Return the answers with each mixture of states of these columns."""
        rows = np.repeat(self._row[None], len(mixtures), axis=0)
        for i, states in zip(places, zip(*mixtures, strict=True), strict=True):
            rows[:, self._columns[i].atoms] = _answers(states)
        return self._search.rule_list.choose(rows)


def _answers(states: Sequence[State]) -> NDArray[np.int8]:
    return np.array([state.answers for state in states], np.int8)


def _further(state: State, states: Sequence[State]) -> list[State]:
    """Return other states of categories, or those of numbers that are further on."""
    if state.rising is None:
        return [one for one in states if one != state and one.movement == state.movement]
    key = attrgetter("lower")
    if state.rising:
        return sorted((one for one in states if one.lower >= state.upper), key=key)
    return sorted((one for one in states if one.upper <= state.lower), key=key, reverse=True)


def _distinct(changes: Iterable[Change]) -> list[Change]:
    """Return each change once; the states of a column have no order."""
    found: dict[object, Change] = {}
    for one in changes:
        states = frozenset((name, frozenset(some)) for name, some in one.states.items())
        found.setdefault((one.answer, states), one)
    return list(found.values())


def _named_cells(atoms: Sequence[Atom], kind: ColumnKind) -> list[Scalar]:
    """Return the values that atoms name."""
    if kind == ColumnKind.FLAG:
        return [False, True]
    found: list[Scalar] = []
    for atom in atoms:
        if isinstance(atom, Equals):
            found += [atom.value] if atom.other is None else [atom.value, atom.other]
        if isinstance(atom, OneOf):
            found += atom.values
    return list(dict.fromkeys(found))


def _unnamed_cell(named: Scalar) -> Scalar:
    """Return a value that is not the named one."""
    if not isinstance(named, str):
        return named + 1
    return "other" if named != "other" else "other?"


def _cells_between(cuts: Sequence[float]) -> list[Scalar]:
    """Return two numbers of each range: near its lower end, and near its upper one."""
    if not cuts:
        return []
    gaps = [high - low for low, high in pairwise(cuts)] or [abs(cuts[0]) or 1.0]
    first, last = (cuts[0] - gaps[0], cuts[0]), (cuts[-1], cuts[-1] + gaps[-1])
    found = [_few_digits(*first, near=cuts[0]), _few_digits(*last, near=cuts[-1])]
    found += [_few_digits(*pair, near) for pair in pairwise(cuts) for near in pair]
    return [int(one) if abs(one) < 2**53 and one == int(one) else one for one in found]


def _few_digits(low: float, high: float, near: float) -> float:
    """Return a number with few digits above `low`, and at most `high`, near that end of the two.

    >>> _few_digits(40.0, 50.0, near=40.0), _few_digits(1.25, 1.58, near=1.58)
    (41.0, 1.5)
    """
    for scale in (10.0**digits for digits in range(_DIGITS)):
        if abs(near * scale) < 2**52:
            found = (floor(near * scale) + (near == low)) / scale
            if low < found <= high:
                return found
    return nextafter(low, inf) if near == low else high
