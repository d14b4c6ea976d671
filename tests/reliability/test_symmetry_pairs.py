"""The rules of every form follow on tables full of ties, and what does not follow is seen."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from gnri.data.schema import IsTrue, Schema
from gnri.estimator.point_tables import FORMS
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step
from gnri.symmetry.table_task import TableTask
from tests.reliability.symmetry_pairs import NAMES, check, difference, tied_tasks


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", FORMS)
def test_the_rules_follow(form: str, classes: int) -> None:
    found = check(list(islice(tied_tasks(classes, seed=7), 4)), form, images=1)
    assert found["differ"] == {} and found["pairs"] == 4


def test_what_differs_is_said() -> None:
    values = np.repeat(np.array([[1], [-1], [0]], np.int8), [1, 2, 3], axis=0)
    task = TableTask(Schema((IsTrue("a"),)), values, np.repeat(np.arange(3), [1, 2, 3]), 3)
    first, second = Step(SignedDNF([[(0, True)]]), 0), Step(SignedDNF([[(0, False)]]), 1)
    orders = [(first, second), (second, first), (first, second), (first,)]
    lists = [
        RuleList(task.schema, (0, 1, 2), steps, default)
        for steps, default in zip(orders, (2, 2, 0, 2), strict=True)
    ]
    assert [difference(task, lists[0], other) for other in lists] == ["", "order", "order", "rules"]
    alike = replace(task, values=np.ones_like(values), codes=np.arange(6) % 3)
    assert difference(alike, lists[0], lists[2]) == NAMES
