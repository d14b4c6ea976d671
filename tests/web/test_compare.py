"""The comparison on the page tries the rule as the command line and the report do."""

from dataclasses import replace

import pytest

from gnri.estimator.cross_validation import cross_validate
from gnri.web.jobs import compare, learn
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from tests.estimator.tables import mushrooms, sizes


@pytest.mark.parametrize("make", [mushrooms, sizes])
def test_the_rule_gets_the_figures_of_cross_validation(make) -> None:
    frame, labels = make(60, seed=0)
    text = frame.assign(label=labels).to_csv(index=False).encode()
    table = read_upload(text, "t.csv", Limits())
    fit = learn(table, "label", {}, lambda *_: None)
    found = compare(table, fit, lambda *_: None)
    wanted = cross_validate(replace(fit.fitted, table=table.cast(fit.kinds)))
    assert found["learners"][0]["by_fold"] == wanted.by_fold
    assert (found["folds"], found["rows"], found["majority"]) == (5, 60, wanted.majority)
    assert len({one["name"] for one in found["learners"]}) == 4
