"""The smallest changes in words, and that the changed row gets the answer they promise."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnri.classifier import RuleClassifier
from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.errors import GnriError
from gnri.formats.explanation import explain
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import from_json, to_json
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import Scorecard
from tests.estimator.tables import mushrooms, sizes
from tests.formats.cases import random_columns, random_rule_list

SCHEMA = Schema(
    (
        *(Above("income", cut) for cut in (20.0, 40.0, 60.5)),
        *(Equals("debts", value) for value in ("many", "none", "some")),
        IsTrue("owner"),
    )
)
GRANT = SignedDNF([[(1, True), (3, False)], [(4, True), (6, True)]])
RULES = RuleList.binary(SCHEMA, ("denied", "granted"), GRANT)
COLUMNS = ["income", "debts", "owner"]


def words(row: list[Any], changeable: list[str], rules: RuleList = RULES) -> list[str]:
    table = {name: [cell] for name, cell in zip(COLUMNS, row, strict=True)}
    return [one.words for one in explain(rules, table, changeable)[0].changes]


@pytest.mark.parametrize(
    ("row", "changeable", "said"),
    [
        (
            [35, "some", False],
            COLUMNS,
            ["denied because income is at most 40; it would be granted if income were over 40"],
        ),
        (
            [35, "many", False],
            ["income", "debts"],
            [
                "denied because income is at most 40 and debts is many; it would be granted if "
                "income were over 40 and debts were none or some"
            ],
        ),
        ([35, "some", False], ["owner"], []),
        (
            [None, "none", None],
            ["owner"],
            ["denied because owner is missing; it would be granted if owner were true"],
        ),
        (
            [50, "none", False],
            ["income", "owner"],
            ["granted because income is over 40; it would be denied if income were at most 40"],
        ),
    ],
)
def test_the_words(row: list[Any], changeable: list[str], said: list[str]) -> None:
    assert words(row, changeable) == said


def test_a_range_and_a_value_that_nobody_named() -> None:
    schema = Schema((*SCHEMA.atoms[:3], Equals("debts", "many")))
    rule = SignedDNF([[(0, True), (2, False), (3, False)]])
    rules = RuleList.binary(schema, ("no", "yes"), rule)
    table = {"income": [70], "debts": ["many"]}
    (change,) = explain(rules, table, changeable=["income", "debts"])[0].changes
    assert change.words == (
        "no because income is over 60.5 and debts is many; it would be yes if income were over 20 "
        "and at most 60.5 and debts were not many"
    )
    assert change.cells == {"income": (60,), "debts": ("other",)}
    assert change.movement == Fraction(4, 3)
    assert change.prediction == "yes"


def test_points_and_the_same_from_json() -> None:
    card = Scorecard({(0, True): 1, (1, True): 2, (3, False): 1, (6, True): 2}, 4)
    table = RuleList(SCHEMA, ("no", "yes"), RuleList.binary(SCHEMA, (0, 1), card).steps, 0, 0.5)
    rows = {"income": [30, 50, None], "debts": ["many", "some", "none"], "owner": [False] * 3}
    found = explain(table, rows, changeable=COLUMNS)
    assert explain(from_json(to_json(table)), rows, changeable=COLUMNS) == found
    assert [one.words for one in found[0].changes] == [
        "no because income is at most 40 and debts is many; it would be yes if income were over 40 "
        "and debts were none or some",
        # another value of debts and another truth of owner are equally far
        "no because income is at most 40 and owner is false; it would be yes if income were over "
        "40 and owner were true",
    ]


@pytest.mark.parametrize("form", ["dnf", "scorecard"])
@pytest.mark.parametrize("make", [mushrooms, sizes])
def test_the_changed_row_is_predicted_so(form: str, make: Any) -> None:
    """For learnt rules, with missing cells and every value that is offered."""
    frame, labels = make(120, seed=3)
    learnt = RuleClassifier(form=form, max_lines=6 if form == "scorecard" else None)
    learnt.fit(frame, labels)
    rows = frame.head(25)
    found, some = learnt.explain(rows, list(frame)), 0
    wished = learnt.explain(rows, list(frame), towards=learnt.classes_[-1])
    for explained in (found, wished):
        for i, one in enumerate(explained):
            for change in one.changes:
                cells = list(product(*change.cells.values()))
                changed = pd.concat([rows.iloc[[i]].astype(object)] * len(cells), ignore_index=True)
                for name, values in zip(change.cells, zip(*cells, strict=True), strict=True):
                    changed[name] = pd.Series(values, dtype=object)
                changed = changed.infer_objects()
                assert set(learnt.predict(changed)) == {change.prediction}
                assert change.prediction != one.prediction
                some += 1
    assert some > 40
    assert all(change.prediction == learnt.classes_[-1] for one in wished for change in one.changes)


def test_what_cannot_be_is_said_in_one_line(tmp_path: Path) -> None:
    frame, labels = mushrooms(60, seed=1)
    learnt = RuleClassifier().fit(frame, labels)
    for options, said in (
        ({"changeable": ["odour"]}, "did you mean 'odor'?"),
        ({"changeable": "odor"}, "changeable must be a list of columns, got 'odor'"),
        ({"towards": "edible"}, "towards needs changeable"),
        ({"changeable": ["odor"], "towards": "good"}, "towards must be one of the classes"),
    ):
        with pytest.raises(GnriError, match=said):
            learnt.explain(frame, **options)
    assert all(one.changes == () for one in learnt.explain(frame))
    assert all(one.changes == () for one in learnt.explain(frame, []))
    assert np.array_equal([one.prediction for one in learnt.explain(frame)], learnt.predict(frame))


@pytest.mark.parametrize("seed", range(12))
def test_rules_that_nobody_would_learn(seed: int) -> None:
    """Thresholds and values of one column, extreme numbers, steps that never apply."""
    rng = np.random.default_rng(seed)
    rules = random_rule_list(rng)
    columns = random_columns(rules, 8, rng)
    for i, one in enumerate(explain(rules, columns, changeable=rules.columns)):
        row = {name: cells[i] for name, cells in columns.items()}
        assert one.prediction == rules.predict({name: [cell] for name, cell in row.items()})[0]
        for change in one.changes:
            for cells in product(*change.cells.values()):
                changed = row | dict(zip(change.cells, cells, strict=True))
                found = rules.predict({name: [cell] for name, cell in changed.items()})
                assert found == [change.prediction] != [one.prediction]
