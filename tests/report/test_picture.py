"""The picture shades each place by the share of its rows that are covered."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.estimator.statistics import rule_cards
from gnri.report.coverage import BARS, GUTTER, LEVELS, MOST_CLAUSES, WIDTH, coverage_picture
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleSet
from tests.report.cases import facts

RECT = re.compile(
    r'<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="\d+" class="(hit|miss)" '
    r'fill-opacity="([\d.]+)">'
)


def drawn(rules: RuleSet, values: Any, codes: Any) -> list[dict[str, float]]:
    """For each strip from the top, the area drawn of each kind, in rows."""
    some = facts(rules, rows=len(values))
    some = replace(
        some,
        codes=codes.astype(np.int32),
        answers=rules.choose(values).astype(np.int32),
        cards=rule_cards(Counter.from_values(values, codes, len(rules.classes)), rules),
    )
    strips: dict[int, dict[str, float]] = {}
    for _, y, width, kind, opacity in RECT.findall(coverage_picture(some)):
        area = float(width) * float(opacity) * len(values) / (WIDTH - GUTTER)
        strip = strips.setdefault(int(y), {"hit": 0.0, "miss": 0.0})
        strip[kind] += area
    return [strips[y] for y in sorted(strips)]


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("rows", [12, 200, 5_000])
def test_areas_are_the_counts(rows: int, positive: bool) -> None:
    rng = np.random.default_rng(rows)
    values = rng.choice(np.array([-1, 1], np.int8), (rows, 3))
    codes = rng.integers(2, size=rows)
    rule = SignedDNF([[(0, True)], [(1, True), (2, True)]], positive)
    rules = RuleSet(Schema(tuple(map(IsTrue, "abc"))), ("no", "yes"), (rule,), majority=0)
    first, second, wrong = drawn(rules, values, codes)
    target = codes == int(positive)
    tolerance = 0.01 + (rows / LEVELS / BARS * 20 if rows > BARS else 0)
    for strip, covered in (
        (first, values[:, 0] == 1),
        (second, (values[:, 1:] == 1).all(axis=1)),
    ):
        assert strip["hit"] == pytest.approx(np.sum(covered & target), abs=tolerance)
        assert strip["miss"] == pytest.approx(np.sum(covered & ~target), abs=tolerance)
    mistakes = np.sum(rules.choose(values) != codes)
    assert wrong["miss"] == pytest.approx(mistakes, abs=tolerance)


def test_the_clauses_that_cover_most_are_drawn() -> None:
    atoms = MOST_CLAUSES + 5
    values = np.where(np.arange(100)[:, None] % (np.arange(atoms) + 1) == 0, 1, -1).astype(np.int8)
    rule = SignedDNF([[(i, True)] for i in range(atoms)])
    schema = Schema(tuple(IsTrue(f"c{i}") for i in range(atoms)))
    rules = RuleSet(schema, ("no", "yes"), (rule,), majority=0)
    assert len(drawn(rules, values, np.arange(100) % 2)) == MOST_CLAUSES + 1
