"""Every backend gives the same answers on raw cells: 0 mismatches."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import half_as_often
from tests.render.backends import BACKENDS, slow
from tests.render.cases import random_columns, random_ruleset

SLOW_ROWS = 200
"""So many rows of each table are read by the slow version too."""


def mismatches(seed: int, rows: int) -> Counter[str]:
    """How often each backend differs from numpy, and numpy from the slow version."""
    rng = np.random.default_rng(seed)
    rules = random_ruleset(rng)
    columns = random_columns(rules, rows, rng)
    answers = {name: backend(rules, columns) for name, backend in BACKENDS.items()}
    first = {name: cells[:SLOW_ROWS] for name, cells in columns.items()}
    found = {name: differences(answers["numpy"], answers[name]) for name in BACKENDS}
    found["numpy"] = differences(answers["numpy"][:SLOW_ROWS], slow(rules, first))
    return Counter(found)


def differences(some: list[object], others: list[object]) -> int:
    return sum(a != b for a, b in zip(some, others, strict=True))


def test_100_000_rows() -> None:
    found = Counter[str]()
    for seed in range(100):
        found.update(mismatches(seed, rows=1_000))
    assert found == dict.fromkeys(BACKENDS, 0)


@pytest.mark.slow
def test_a_million_rows() -> None:
    found = Counter[str]()
    for seed in range(1_000, 2_000):
        found.update(mismatches(seed, rows=1_000))
    assert found == dict.fromkeys(BACKENDS, 0)


@half_as_often
@given(st.integers(0, 2**63))
def test_any_rules(seed: int) -> None:
    assert mismatches(seed, rows=12) == dict.fromkeys(BACKENDS, 0)


def test_the_bulk_run_meets_every_kind_of_step() -> None:
    kinds = Counter[tuple[int, int]]()
    for seed in range(100):
        rules = random_ruleset(np.random.default_rng(seed))
        kinds.update((len(rules.classes), step.truth) for step in rules.decisions[0])
    seen = {(classes > 2, truth) for classes, truth in kinds}
    assert seen == {(False, 1), (False, -1), (True, 1)}
