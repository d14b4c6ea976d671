"""Explanations agree with the answers and name the clauses that fired."""

import numpy as np
import pytest

from gnri.data.schema import Above, Equals, Schema
from gnri.formats.explanation import explain
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.formats.cases import random_columns, random_rule_list

SCHEMA = Schema((Above("age", 30.0), Above("age", 45.0), Equals("odor", "foul")))


def test_clauses_that_fired() -> None:
    rule = SignedDNF([[(0, True), (1, False)], [(2, True)]])
    rules = RuleList.binary(SCHEMA, ("no", "yes"), rule, 1)
    table = {"age": [40, 40, 20, None], "odor": ["none", "foul", "none", None]}
    found = explain(rules, table)
    assert [row.prediction for row in found] == ["yes", "yes", "no", "yes"]
    assert [row.fired for row in found] == [
        {"yes": ["30 < age <= 45"]},
        {"yes": ["odor = foul", "30 < age <= 45"]},
        {},
        {},
    ]
    assert [row.reason for row in found] == [
        "the rule of yes holds",
        "the rule of yes holds",
        "the rule of yes fails",
        "the rule of yes is unknown",
    ]


def test_a_negative_rule_fails_by_the_clauses_that_fire() -> None:
    rules = RuleList.binary(SCHEMA, (0, 1), SignedDNF([[(2, True)]], False))
    (row,) = explain(rules, {"odor": ["foul"]})
    assert row == (0, "the rule of 1 fails", {1: ["odor = foul"]})


def test_no_rule() -> None:
    (row,) = explain(RuleList.binary(SCHEMA, (0, 1), None), {"a": [1]})
    assert row == (0, "there is no rule", {})


@pytest.mark.parametrize("seed", range(20))
def test_predictions_are_those_of_predict(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_rule_list(rng)
    columns = random_columns(rules, 100, rng)
    assert [row.prediction for row in explain(rules, columns)] == rules.predict(columns)
