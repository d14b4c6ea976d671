"""Decision tables: what is in them; `tests/contracts` evaluates them where feelin is installed."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.formats.dmn import to_dmn
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.rules.scorecard import Scorecard
from tests.contracts.format_contract import FEELIN, NODE, in_feelin
from tests.formats.cases import random_columns, random_point_table

SPACE = {"": "https://www.omg.org/spec/DMN/20191111/MODEL/"}
SCHEMA = Schema((Above("age", 30.0), Above("age", 45.0), Equals("odor", "foul"), IsTrue("sick")))


def table(rules: RuleList, decision: str = "prediction") -> tuple[list[str], list[list[str]]]:
    """The inputs of a decision, and its rows."""
    root = ET.fromstring(to_dmn(rules))
    (found,) = root.iterfind(f"decision[@id='{decision}']/decisionTable", SPACE)
    inputs = [one.text or "" for one in found.iterfind("input/inputExpression/text", SPACE)]
    rows = [
        [one.text or "" for one in rule.iterfind("*/text", SPACE)]
        for rule in found.iterfind("rule", SPACE)
    ]
    return inputs, rows


def test_a_clause_is_a_row() -> None:
    rule = SignedDNF([[(0, True), (1, False), (2, False)], [(3, True)]])
    inputs, rows = table(RuleList.binary(SCHEMA, ("no", "yes"), rule))
    assert inputs == ["age", "odor", "sick"]
    assert rows == [
        ["-", "-", "true", '"yes"'],
        ["(30..45]", 'not(null, "foul")', "-", '"yes"'],
        ["-", "-", "-", '"no"'],
    ]


def test_a_rule_that_must_be_false() -> None:
    rule = SignedDNF([[(0, True), (2, False)], [(3, True)]])
    rules = RuleList(SCHEMA, (0, 1), (Step(rule, 0, -1),), default=1)
    assert table(rules) == (["holds_0"], [["true", "0"], ["-", "1"]])
    inputs, rows = table(rules, "holds_0")
    assert inputs == ["age", "odor", "sick"]
    assert rows == [
        ["-", "-", "null, true", "false"],
        ["null, > 30", 'not("foul")', "-", "false"],
        ["-", "-", "-", "true"],
    ]


def test_points_add_up() -> None:
    card = Scorecard([([(0, True)], 1), ([(1, True)], 2), ([(2, True), (3, True)], 3)], 3)
    rules = RuleList.binary(SCHEMA, ("no", "yes"), card)
    assert table(rules) == (["points_0"], [[">= 3", '"yes"'], ["-", '"no"']])
    inputs, rows = table(rules, "points_0")
    assert inputs == ["age", "odor", "sick"]
    assert rows == [
        ["-", "-", "-", "0"],
        ["> 45", "-", "-", "3"],
        ["(30..45]", "-", "-", "1"],
        ["null", "-", "-", "1.5"],
        ["-", 'null, "foul"', "null, true", "1.5"],
        ["-", '"foul"', "true", "1.5"],
    ]
    assert 'hitPolicy="COLLECT" aggregation="SUM"' in to_dmn(rules)


@pytest.mark.parametrize("name", ["my age", "it's", "in", "points_0", "prediction", "é", "a\x07\n"])
def test_a_name_that_feel_could_misread_is_the_label(name: str) -> None:
    rules = RuleList.binary(Schema((Above(name, 1.5),)), (0, 1), SignedDNF([[(0, True)]]))
    (data,) = ET.fromstring(to_dmn(rules)).iterfind("inputData", SPACE)
    assert (data.get("name"), data.get("label")) == ("column_0", name.replace("\x07", "\\U000007"))
    assert table(rules)[0] == ["column_0"]


@pytest.mark.skipif(not (NODE and FEELIN), reason="node or feelin is not installed")
@pytest.mark.parametrize("seed", range(20))
def test_point_tables_of_two_to_four_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_point_table(SCHEMA, ["a", "b", "c", "d"][: 2 + seed % 3], rng)
    columns = random_columns(rules, 100, rng)
    assert in_feelin(rules, columns) == rules.predict(columns)
