"""A point table in words: its head, its lines, what a point is worth, and probabilities.

A line has for each column its ranges or values, with their points.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above, IsTrue, OneOf, Schema, number_name
from gnri.errors import RuleError, shorten
from gnri.formats.conditions import WORDS, Notation, PointScale, shorten_list, write_clause
from gnri.formats.expression import And, Case, Expression, Or, Test, express_literal, tabulate
from gnri.rules.dnf import Literal
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard

MOST_TOTALS = 8  # totals whose probability is printed
LIKELIEST = 0.975  # the largest of these probabilities


class ScaledPoints(NamedTuple):
    """The lines of a scorecard, what to begin with, and how many points are enough."""

    cases: Sequence[Case]
    start: float
    enough: float


def check_scale(given: Any, rule_list: RuleList) -> PointScale | None:
    """Return the units of points: a score, the odds there, and the points that double the odds."""
    if given is None:
        return None
    if rule_list.unit is None:
        raise RuleError("points_scale is for point tables, and these are other rules; leave it out")
    scale = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
    numbers = [one for one in scale if isinstance(one, int | float) and math.isfinite(one)]
    if len(scale) != 3 or len(numbers) < 3 or min(numbers[1:]) <= 0:
        raise RuleError(
            "points_scale must be a score, the odds there and the points that double the odds, "
            f"such as (600, 50, 20), got {shorten(given)}"
        )
    return PointScale(*numbers)


def scale_points(card: Scorecard, rule_list: RuleList, scale: PointScale | None) -> ScaledPoints:
    """Return the points of a scorecard in other units, rounded so that the same rows have enough.

    Even odds are half a point below what is enough. Rounding errors may add up to less than that.
    """
    cases, enough = tabulate(card, rule_list.schema)
    if scale is None or rule_list.unit is None:
        return ScaledPoints(cases, 0, enough)
    worth = 2 * rule_list.unit * scale.doubling / math.log(2)
    even = scale.score - scale.doubling * math.log2(scale.odds)
    digits = max(0, math.ceil(math.log10(2 * (len(cases) + 2) / worth)))

    def convert(points: float) -> float:
        return round(points * worth, digits) + 0.0  # no -0

    scaled = []
    for case in cases:
        tests = tuple((test, convert(points)) for test, points in case.tests)
        scaled.append(Case(case.column, tests, convert(case.missing)))
    return ScaledPoints(scaled, round(even - worth * (enough - 0.5), digits), round(even, digits))


def point_outline(
    rule_list: RuleList, card: Scorecard, label: str, notation: Notation
) -> list[str]:
    """Return a line for the class of a scorecard, then one for each column or clause."""
    if not rule_list.most_points_win and notation.scale is None and is_checklist(card):
        lines = [write_clause(rule_list.schema, line, notation) for line, _ in card.lines]
        return [f"{label} if at least {card.threshold} of these {len(lines)} hold", *lines]
    cases, start, enough = scale_points(card, rule_list, notation.scale)
    begin = f"begin with {number_name(start)}"
    if rule_list.most_points_win:
        less = f"less {number_name(enough)}" if notation.scale is None else begin
        head = f"{label} points, {less}"
    else:
        head = f"{label} from {number_name(enough)} points on"
        head += f"; {begin}" if notation.scale else ""
    return [head, *(write_case(case, notation) for case in cases)]


def is_checklist(card: Scorecard) -> bool:
    """Return whether each line has one point, as in `at least 3 of these 5`."""
    return 0 < card.threshold <= len(card.points) > 1 and all(p == 1 for _, p in card.points)


def point_endings(rule_list: RuleList, notation: Notation) -> list[str]:
    """Return the answer without enough points, what a point is worth, and probabilities."""
    assert rule_list.unit is not None, "only a point table has a unit"
    scale, worth = notation.scale, math.exp(2 * rule_list.unit)
    odds = f"each point multiplies the odds by {worth:.2f}"
    if scale is not None:
        odds = f"each {scale.doubling:g} points double the odds; "
        odds += f"{scale.score:g} points are odds of {scale.odds:g} to 1"
    if rule_list.most_points_win:
        return ["the class with the most points, the first of equals", odds]
    (step,) = rule_list.steps
    assert isinstance(step.rule, Scorecard), "all rules of a point table are scorecards"
    names = [notation.label(label) for label in rule_list.classes]
    table = scale_points(step.rule, rule_list, scale)
    lines = [f"otherwise {names[0]}"]
    if is_checklist(step.rule) and scale is None:
        lines.append("an empty cell counts half")
        table = ScaledPoints(tabulate(step.rule, rule_list.schema)[0], 0, step.rule.threshold)
        odds = odds.replace("point", "one")
    if step.truth == -1 and any(p % 2 for _, p in step.rule.points):
        half = f"{number_name(table.enough - 0.5)} points" if scale is None else "even odds"
        lines.append(f"{half}, which only empty cells can give: {names[1]}")
    share = f" {notation.operator('|')} ".join(
        f"{points:g}: {100 * chance:.0f} {notation.operator('%')}"
        for points, chance in _probabilities(rule_list.unit, table, scale)
    )
    return [*lines, odds, *([f"probability of {names[1]} by points: {share}"] if share else [])]


def _probabilities(
    unit: float, table: ScaledPoints, scale: PointScale | None
) -> list[tuple[float, float]]:
    """Return some totals around the threshold, with the probability of each."""
    worth = 1.0 if scale is None else 2 * unit * scale.doubling / math.log(2)
    furthest = math.floor(math.log(LIKELIEST / (1 - LIKELIEST)) / (2 * unit) + 0.5)
    low = table.start + sum(min(points for _, points in case.tests) for case in table.cases)
    high = table.start + sum(max(points for _, points in case.tests) for case in table.cases)
    found = {}
    for place in range(-furthest, furthest):
        # Enough points are half a point above even odds, which scaled points are counted from.
        total = table.enough + (place if scale is None else round(worth * (place + 0.5)))
        if low <= total <= high:
            found[place] = total, 1 / (1 + math.exp(-2 * unit * (place + 0.5)))
    step = math.ceil(len(found) / MOST_TOTALS)
    return [pair for place, pair in found.items() if place % step == 0]


def write_case(case: Case, notation: Notation = WORDS) -> str:
    """Return the points of a column as a form asks for them.

    >>> tests = (Test(Above("age", 60.0), True), 3), (Test(Above("age", 40.0), True), 2)
    >>> print(write_case(Case("age", (*tests, (Test(Above("age", 40.0), False), 0)), 1.5)))
    age: up to 40: 0 | 40 to 60: 2 | over 60: 3 | empty: 1.5
    """
    name, cells = describe_case(case, notation)
    if case.column is None:  # what a clause gives where it is false goes without saying: 0
        cells = [("", cells[0][1]), cells[2]]
    parts = [
        f"{words}: {number_name(points)}" if words else number_name(points)
        for words, points in cells
    ]
    return f"{name}: " + f" {notation.operator('|')} ".join(parts)


class Line(NamedTuple):
    """A line of a point table: its name, and each of its cells in words with its points.

    The cells are ranges in order, values, or yes and no; the last is for an empty cell.
    """

    name: str
    cells: list[tuple[str, float]]


def describe_case(case: Case, notation: Notation = WORDS) -> Line:
    """Return a column, or a clause, as a line of a point table."""
    words = [_name_test(test, notation) for test, _ in case.tests]
    cuts = [notation.formula.format(notation.value(cut)) for cut in _cuts(case)]
    if cuts:
        ranges = [f"over {cuts[0]}", *(f"{low} to {up}" for up, low in pairwise(cuts[:-1]))]
        words[-len(cuts) :] = [*ranges, f"up to {cuts[-1]}"]
    if case.column is None:
        tests = [one for one in case.tests[0][0].parts if not isinstance(one, And | Or)]  # type: ignore[union-attr]
        name = " and ".join(notation.write([one]) for one in tests)
    else:
        name = notation.formula.format(notation.column(case.column))
    cells = [(words[i], case.tests[i][1]) for i in _print_order(case)]
    return Line(name, [*cells, ("empty", case.missing)])


def _name_test(test: Expression, notation: Notation) -> str:
    """Return the test of a value, a Boolean column or a clause in words."""
    match test:
        case Test(OneOf(_, values), True):
            few = shorten_list(values)
            return ", ".join(notation.formula.format(notation.value(one)) for one in few)
        case And() | Test(IsTrue(), True):
            return "yes"
        case Or() | Test(IsTrue(), False):
            return "no"
    return "any other"


def find_cells(case: Case, schema: Schema, values: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return which of the cells of `describe_case` each row of atom values has, by its index."""
    truths = {
        express_literal(schema, Literal(i, sign)): values[:, i] * (1 if sign else -1)
        for i in range(len(schema.atoms))
        for sign in (True, False)
    }
    found = [
        np.min([truths[part] for part in test.parts], axis=0)  # type: ignore[index]
        if isinstance(test, And)
        else truths[test]  # type: ignore[index]
        for test, _ in case.tests[:-1]
    ]
    # The last test is that no other holds; where one is unknown, the cell is empty.
    last = np.where(np.max(found, axis=0) == -1, len(found), len(found) + 1)
    cells = np.select([one == 1 for one in found], range(len(found)), last)
    return np.array([*_print_order(case), len(found) + 1])[cells]


def _print_order(case: Case) -> list[int]:
    """Return the places of the tests in the order of printing: ranges upwards, after values."""
    values = len(case.tests) - len(_cuts(case))
    return [*range(values), *reversed(range(values, len(case.tests)))]


def _cuts(case: Case) -> list[float]:
    """Return the thresholds of a case that has any."""
    tests = [test for test, _ in case.tests if isinstance(test, Test)]
    return [test.atom.cut for test in tests if isinstance(test.atom, Above)]
