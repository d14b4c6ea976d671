"""DMN and PMML documents are valid by the schemas of their standards.

dmn-moddle brings the schema of DMN, JPMML-Evaluator that of PMML; the latter runs the models too.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from gnri.formats import render
from gnri.rules.rule_list import RuleList
from tests.contracts.format_contract import JPMML, in_jpmml
from tests.formats.cases import random_columns, random_point_table, random_rule_list
from tests.formats.test_pmml import SCHEMA

etree = pytest.importorskip("lxml.etree")
DMN = Path(__file__).parents[2] / "build/web/node_modules/dmn-moddle/resources/dmn/xsd/DMN13.xsd"


@cache
def pmml_schema() -> "etree.XMLSchema":
    package = find_spec("jpmml_evaluator")
    assert package and package.origin
    (models,) = Path(package.origin).parent.glob("dependencies/pmml-model-[0-9]*.jar")
    return etree.XMLSchema(etree.fromstring(ZipFile(models).read("pmml.xsd")))


def cases() -> list[RuleList]:
    """Rule lists of all kinds: each random one, and point tables of two to four classes."""
    found = [random_rule_list(np.random.default_rng(seed)) for seed in range(100)]
    for seed in range(20):
        classes = ["a", "b", "c", "d"][: 2 + seed % 3]
        found.append(random_point_table(SCHEMA, classes, np.random.default_rng(seed)))
    return found


@pytest.mark.skipif(not DMN.is_file(), reason="dmn-moddle is not installed")
def test_decision_tables_are_valid() -> None:
    schema = etree.XMLSchema(etree.parse(DMN))
    for rules in cases():
        schema.assertValid(etree.fromstring(render(rules, "dmn").encode()))


@pytest.mark.skipif(not JPMML, reason="java or jpmml-evaluator is not installed")
def test_models_are_valid() -> None:
    for rules in cases():
        pmml_schema().assertValid(etree.fromstring(render(rules, "pmml").encode()))


@pytest.mark.skipif(not JPMML, reason="java or jpmml-evaluator is not installed")
def test_the_reference_engine_answers_as_predict() -> None:
    rng = np.random.default_rng(0)
    for rules in cases():
        columns = random_columns(rules, 50, rng)
        assert in_jpmml(rules, columns) == rules.predict(columns)
