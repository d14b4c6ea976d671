"""Explanations agree with the answers and name the clauses that fired."""

import re

import numpy as np
import pytest

from gnri.data.schema import Above, Equals, IsTrue, OneOf, Schema
from gnri.formats.explanation import explain
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from tests.formats.cases import random_columns, random_point_table, random_rule_list

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
    assert row == (0, "the rule of 1 fails", {1: ["odor = foul"]}, ())


def test_no_rule() -> None:
    (row,) = explain(RuleList.binary(SCHEMA, (0, 1), None), {"a": [1]})
    assert row == (0, "there is no rule", {}, ())


@pytest.mark.parametrize("seed", range(20))
def test_predictions_are_those_of_predict(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_rule_list(rng)
    columns = random_columns(rules, 100, rng)
    assert [row.prediction for row in explain(rules, columns)] == rules.predict(columns)


@pytest.mark.parametrize("seed", range(40))
def test_the_points_of_the_lines_add_up_to_the_total_that_decides(seed: int) -> None:
    """Scored as a person would, from what is printed alone."""
    rng = np.random.default_rng(seed)
    atoms = (*SCHEMA.atoms, Equals("odor", "none"), IsTrue("smoker"), OneOf("odor", ("a", "b")))
    labels = ["no", "yes", "perhaps"][: 2 + seed % 2]
    rules = random_point_table(Schema(atoms), labels, rng)
    columns = random_columns(rules, 50, rng)
    for row in explain(rules, columns):
        *said, chance = row.reason.split("; ")
        margins = {}
        for label, text in zip(row.fired, said, strict=True):
            total = sum(float(line.rpartition(": ")[2]) for line in row.fired[label])
            found = re.fullmatch(rf"{label}: (\S+) (?:points, |[-+] )(-?\d+).*", text)
            assert found and float(found[1]) == total
            enough = float(found[2]) * (-1 if " + " in text else 1)
            margins[label] = total - enough
        if len(labels) == 2:
            margins["no"] = -1 - margins["yes"]
        assert margins[row.prediction] == max(margins.values())
        assert chance.startswith(f"probability of {row.prediction} ")
    assert [row.prediction for row in explain(rules, columns)] == rules.predict(columns)
