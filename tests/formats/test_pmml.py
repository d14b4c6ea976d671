"""Models in PMML: what is in them; `tests/contracts` runs them where pypmml is installed."""

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from gnri import RuleClassifier
from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.errors import RuleError
from gnri.formats.pmml import to_pmml
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard
from tests.contracts.format_contract import PYPMML, in_pypmml
from tests.formats.cases import random_columns, random_point_table
from tests.formats.hostile import hostile_rules

SPACE = {"": "http://www.dmg.org/PMML-4_4"}
SCHEMA = Schema((Above("age", 30.0), Above("age", 45.0), Equals("odor", "foul"), IsTrue("sick")))


def test_a_clause_is_a_rule() -> None:
    rule = SignedDNF([[(0, True), (2, False)], [(3, True)]])
    root = ET.fromstring(to_pmml(RuleList.binary(SCHEMA, ("no", "yes"), rule)))
    (rules,) = root.iterfind("RuleSetModel/RuleSet", SPACE)
    assert rules.get("defaultScore") == "no"
    tests = [
        [tuple(test.attrib.values()) for test in one.iter() if test.get("operator")]
        for one in rules.iterfind("SimpleRule[@score='yes']", SPACE)
    ]
    assert tests == [
        [("sick", "equal", "true")],
        [("age", "greaterThan", "30.0"), ("odor", "notEqual", "foul")],
    ]


def test_points_are_a_scorecard_before_a_rule_set() -> None:
    card = Scorecard([([(0, True)], 1), ([(1, True)], 2)], 3)
    root = ET.fromstring(to_pmml(RuleList.binary(SCHEMA, ("no", "yes"), card)))
    first, last = root.iterfind("MiningModel/Segmentation/Segment", SPACE)
    lines = first.iterfind("Scorecard/Characteristics/Characteristic", SPACE)
    given = {line.get("name"): [part.get("partialScore") for part in line] for line in lines}
    assert given == {"age": ["3", "1", "0", "1.5"]}
    (rule,) = last.iterfind("RuleSetModel/RuleSet/SimpleRule/SimplePredicate", SPACE)
    assert rule.attrib == {"field": "points_0", "operator": "greaterOrEqual", "value": "3"}


@pytest.mark.parametrize("text", ["bell\a", "a\0b", "\uffff"])
def test_what_xml_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(RuleError, match="XML cannot hold"):
        to_pmml(hostile_rules(text))


@pytest.mark.skipif(not PYPMML, reason="java or pypmml is not installed")
@pytest.mark.parametrize("seed", range(20))
def test_point_tables_of_two_to_four_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_point_table(SCHEMA, ["a", "b", "c", "d"][: 2 + seed % 3], rng)
    columns = random_columns(rules, 100, rng)
    assert in_pypmml(rules, columns) == rules.predict(columns)


def test_rules_say_how_many_training_rows_they_cover() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 70, 400), "sick": rng.integers(2, size=400) == 1})
    y = np.where((X.age > 50) & X.sick | (X.age < 28), "yes", "no")
    classifier = RuleClassifier(form="dnf").fit(X, y)
    (found,) = ET.fromstring(classifier.to_pmml()).iterfind("RuleSetModel/RuleSet", SPACE)
    clauses = classifier.statistics_[0].clauses
    assert found.get("recordCount") == "400"
    assert [(one.get("recordCount"), one.get("nbCorrect")) for one in found[1:]] == [
        (str(clause.figures.covered), str(clause.figures.hits)) for clause in clauses
    ]
    assert sum(int(one.get("recordCount", "")) for one in found[1:]) == np.sum(
        classifier.predict(X) == found[1].get("score")
    )
