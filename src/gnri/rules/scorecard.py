"""Rules that add up: lines with whole points, true where the points of the true lines suffice."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gnri.errors import RuleError
from gnri.rules.dnf import (
    Clause,
    Literal,
    Rule,
    SignedDNF,
    clause,
    clause_key,
    conjunction,
    cover_of,
    read_columns,
)
from gnri.rules.row_expression import Rows, any_of, more_points

LARGEST_POINTS = 1_000_000
"""The sum of all points may not be larger."""

Line = Literal | tuple[int, bool] | Iterable[Literal | tuple[int, bool]]
"""A literal, or a clause."""


@dataclass(frozen=True, slots=True, init=False)
class Scorecard(Rule):
    """Lines with whole points; true where the points of the true lines reach the threshold.

    A line is a clause, mostly of one literal. An atom has one line of its own at most, with
    positive points: a negative one is the negated literal's. The points of longer clauses may be
    negative. The complement has all points negated. Equality and hash are by content.

    >>> card = Scorecard({(0, True): 2, (1, True): 1, (2, False): 1}, 3)
    >>> print(card)
    2*x0 + x1 + ~x2 >= 3
    >>> print(~card)
    2*~x0 + ~x1 + x2 >= 2
    """

    form: ClassVar[str] = "scorecard"

    points: frozenset[tuple[Clause, int]]
    threshold: int

    def __init__(self, points: Mapping[Any, int] | Iterable[tuple[Line, int]], threshold: int):
        items = points.items() if isinstance(points, Mapping) else points
        lines, bound = _combine([(_line(line), _whole(p)) for line, p in items], _whole(threshold))
        object.__setattr__(self, "points", frozenset(lines.items()))
        object.__setattr__(self, "threshold", bound)

    def __invert__(self) -> "Scorecard":
        return Scorecard([(line, -p) for line, p in self.points], 1 - self.threshold)

    @property
    def lines(self) -> list[tuple[Clause, int]]:
        """The lines as they are printed: literals first, by atom, then clauses."""
        return sorted(self.points, key=lambda one: clause_key(one[0]))

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the truth on each row of `values`: +1, -1, or 0 where missing cells decide.

        It is true if the known points suffice, whatever the unknown lines are, and false if they
        cannot.
        """
        least = np.zeros(len(values), np.int64)
        most = np.zeros(len(values), np.int64)
        for truth, p in self._truths(values):
            fewer, more = (truth > 0, truth >= 0) if p > 0 else (truth >= 0, truth > 0)
            least += p * fewer
            most += p * more
        sure, never = least >= self.threshold, most < self.threshold
        return sure.astype(np.int8) - never.astype(np.int8)

    def margins(self, values: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return by how much each row is above the threshold, in half points.

        An unknown line counts half of its points, so that no complete row has the margin zero.
        """
        twice = np.full(len(values), 1 - 2 * self.threshold, np.int64)
        for truth, p in self._truths(values):
            twice += p * (truth.astype(np.int64) + 1)
        return twice

    def decide(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return +1 or -1 for each row, by its margin; 0 where this is zero."""
        return np.sign(self.margins(values)).astype(np.int8)

    def map_literals(self, to: Callable[[Literal], Literal]) -> "Scorecard":
        """Return the scorecard with each literal replaced."""
        return Scorecard([(clause(*map(to, line)), p) for line, p in self.points], self.threshold)

    def where(self, truth: int) -> Rows:
        """Return the rows on which `decide` is +1 or -1."""
        lines, bound = rows_of_lines(self)
        return more_points([(gets, loses, truth * p) for gets, loses, p in lines], truth * bound)

    def to_dict(self) -> dict[str, Any]:
        """Return the scorecard as plain lists and numbers, for JSON."""
        lines = [[sorted(line), p] for line, p in self.lines]
        return {"points": lines, "threshold": self.threshold}

    def _truths(self, values: NDArray[np.int8]) -> Iterable[tuple[NDArray[np.int8], int]]:
        columns = read_columns({one.atom for line, _ in self.points for one in line}, values)
        for line, p in self.points:
            yield conjunction(line, columns, len(values)), p


@lru_cache(maxsize=128)
def rows_of_lines(card: Scorecard) -> tuple[list[tuple[Rows, Rows, int]], int]:
    """Return the rows that get and lose the points of each line; true is more than the bound."""
    lines = [
        (cover_of(line), any_of(cover_of([~one]) for one in line), p) for line, p in card.points
    ]
    return lines, 2 * card.threshold - 1 - sum(p for _, p in card.points)


def where_ahead(one: "AnyRule", other: "AnyRule") -> Rows:
    """Return the rows on which one has at least as many points above its threshold as another."""
    assert isinstance(one, Scorecard) and isinstance(other, Scorecard)
    (mine, bound), (others, less) = rows_of_lines(one), rows_of_lines(other)
    lines = [*mine, *((gets, loses, -p) for gets, loses, p in others)]
    return more_points(lines, bound - less - 1)


def _line(line: Line) -> Clause:
    single = isinstance(line, tuple) and len(line) == 2 and isinstance(line[1], bool | np.bool_)
    return clause(line) if single else clause(*line)  # type: ignore[arg-type]


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise RuleError(f"points and threshold must be whole numbers, got {number!r}")
    found = int(number)
    if abs(found) > LARGEST_POINTS:
        raise RuleError(f"points may be up to {LARGEST_POINTS}, got more")
    return found


def _combine(items: list[tuple[Clause, int]], threshold: int) -> tuple[dict[Clause, int], int]:
    """Return one line for each atom and for each clause; literals have positive points."""
    lines: Counter[Clause] = Counter()
    for line, p in items:
        if len({literal.atom for literal in line}) < len(line):
            continue  # an atom and its negation: never true
        if len(line) == 1 and not min(line).positive:
            line, p, threshold = _turn(line), -p, threshold - p
        lines[line] += p
    threshold -= lines.pop(frozenset(), 0)  # of the empty clause, which is always true
    for line in [line for line, p in lines.items() if len(line) == 1 and p < 0]:
        threshold -= lines[line]
        lines[_turn(line)] = -lines.pop(line)
    if sum(map(abs, lines.values())) > LARGEST_POINTS:
        raise RuleError(f"all points together may be up to {LARGEST_POINTS}, got more")
    return {line: p for line, p in lines.items() if p}, threshold


def _turn(line: Clause) -> Clause:
    return frozenset(~literal for literal in line)


AnyRule = SignedDNF | Scorecard
"""A rule of any form, for code that has to know which one it is."""

FORMS: dict[str, type[Rule]] = {form.form: form for form in (SignedDNF, Scorecard)}
"""The forms of rules by name. A new form also needs `express` and a struct in `documents`."""
