"""A point table in words: its head, its lines, what a point is worth, and probabilities."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gnri.errors import RuleError
from gnri.formats.conditions import Notation, PointScale, write_clause
from gnri.formats.expression import Case, tabulate
from gnri.formats.point_lines import write_case
from gnri.messages import shorten
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

    scaled = [
        replace(
            case,
            tests=tuple((test, convert(points)) for test, points in case.tests),
            missing=convert(case.missing),
        )
        for case in cases
    ]
    return ScaledPoints(scaled, round(even - worth * (enough - 0.5), digits), round(even, digits))


def point_outline(
    rule_list: RuleList, card: Scorecard, label: str, notation: Notation
) -> list[str]:
    """Return a line for the class of a scorecard, then one for each column or clause."""
    if not rule_list.most_points_win and notation.scale is None and is_checklist(card):
        lines = [write_clause(rule_list.schema, line, notation) for line, _ in card.lines]
        return [f"{label} if at least {card.threshold} of these {len(lines)} hold", *lines]
    cases, start, enough = scale_points(card, rule_list, notation.scale)
    begin = f"begin with {start:g}"
    if rule_list.most_points_win:
        head = f"{label} points, " + (f"less {enough:g}" if notation.scale is None else begin)
    else:
        head = f"{label} from {enough:g} points on" + (f"; {begin}" if notation.scale else "")
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
        odds = (
            f"each {scale.doubling:g} points double the odds; {scale.score:g} points are odds of "
        )
        odds += f"{scale.odds:g} to 1"
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
        half = f"{table.enough - 0.5:g} points" if scale is None else "even odds"
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
