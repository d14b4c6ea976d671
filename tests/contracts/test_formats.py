"""Every format that can be run answers as the rules do."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gnri.data.schema import Equals, IsTrue, Schema
from gnri.formats import FORMATS
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.contracts import format_contract
from tests.contracts.format_contract import ENGINES, READ, SWIPL, check
from tests.effort import half_as_often
from tests.formats.cases import random_columns, random_rule_list
from tests.formats.hostile import HOSTILE, hostile_columns, hostile_rules


def test_every_format_has_an_engine_or_is_read() -> None:
    assert {name.split()[0] for name in ENGINES} | READ == set(FORMATS)


@pytest.mark.parametrize("seed", range(100))
def test_1_000_rows_of_random_rules(seed: int) -> None:
    check(*random_case(seed, rows=1_000), rows=200)


@pytest.mark.slow
def test_a_million_rows() -> None:
    for seed in range(1_000, 2_000):
        check(*random_case(seed, rows=1_000), rows=200)


@half_as_often
@given(st.integers(0, 2**63))
@example(53021)  # two tests of one column that hold together
def test_any_rules(seed: int) -> None:
    check(*random_case(seed, rows=12))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_names_values_and_labels(text: str) -> None:
    rules, columns = hostile_rules(text), hostile_columns(text)
    check(rules, columns)
    assert len(set(rules.predict(columns))) == 2
    for engine in (format_contract.in_sqlite, format_contract.in_duckdb):
        assert engine(rules, columns, table="t " + text) == rules.predict(columns)


def test_a_rule_of_thousands_of_clauses() -> None:
    atoms = tuple(Equals("a", str(i)) for i in range(1_200))
    several = [[(i, True)] for i in range(1_200)]
    none_of_them = [(i, False) for i in range(1_200)]
    for clauses, majority in ((several, 0), ([*several, none_of_them], 1)):
        rules = RuleList.binary(Schema(atoms), (0, 1), SignedDNF(clauses), majority)
        check(rules, {"a": ["7", "x", None]})


@pytest.mark.parametrize("labels", [(False, True), (0.1, 1 / 3), (-7, 2**62)])
@pytest.mark.parametrize("rule", [None, SignedDNF([]), SignedDNF([[]]), SignedDNF([[(0, True)]])])
def test_labels_of_every_kind(labels: tuple[Any, Any], rule: SignedDNF | None) -> None:
    for majority in (0, 1):
        for signed in {rule, None if rule is None else ~rule}:
            rules = RuleList.binary(Schema((IsTrue("a"),)), labels, signed, majority)
            check(rules, {"a": [True, False, None]})


@pytest.mark.skipif(SWIPL is None, reason="swipl is not installed")
@pytest.mark.parametrize("seed", range(5))
def test_swipl_runs_the_program(seed: int) -> None:
    rules, columns = random_case(seed, rows=100)
    assert format_contract.in_swipl(rules, columns) == rules.predict(columns)


@pytest.mark.skipif(SWIPL is None, reason="swipl is not installed")
@pytest.mark.parametrize("text", HOSTILE[::10], ids=ascii)
def test_swipl_takes_hostile_names(text: str) -> None:
    rules, columns = hostile_rules(text), hostile_columns(text)
    assert format_contract.in_swipl(rules, columns) == rules.predict(columns)


def test_the_cases_meet_every_kind_of_step() -> None:
    kinds = Counter[tuple[int, int]]()
    for seed in range(100):
        rules = random_rule_list(np.random.default_rng(seed))
        kinds.update((len(rules.classes), step.truth) for step in rules.steps)
    seen = {(classes > 2, truth) for classes, truth in kinds}
    assert seen == {(False, 1), (False, -1), (True, 1), (True, -1)}


def random_case(seed: int, rows: int) -> tuple[RuleList, dict[str, list[Any]]]:
    rng = np.random.default_rng(seed)
    rules = random_rule_list(rng)
    return rules, random_columns(rules, rows, rng)
