"""The comparison on the page tries the rule as the command line and the report do."""

from dataclasses import replace
from importlib.util import find_spec
from random import Random

import pytest

from gnri.estimator.cross_validation import cross_validate
from gnri.web import jobs
from gnri.web.jobs import compare, learn
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from tests.estimator.tables import mushrooms, sizes
from tests.web.serving import table_text


@pytest.mark.parametrize(("make", "form"), [(mushrooms, "dnf"), (sizes, "scorecard")])
def test_the_rule_gets_the_figures_of_cross_validation(make, form: str) -> None:
    frame, labels = make(60, seed=0)
    text = frame.assign(label=labels).to_csv(index=False).encode()
    table = read_upload(text, "t.csv", Limits())
    fit = learn(table, "label", {}, None, {"form": form}, lambda *_: None)
    found = compare(table, fit, lambda *_: None)
    wanted = cross_validate(replace(fit.fitted, table=table.cast(fit.kinds)))
    assert found["learners"][0]["by_fold"] == wanted.by_fold
    assert (found["folds"], found["rows"], found["majority"]) == (5, 60, wanted.majority)
    assert list(found["left_out"]) == ([] if find_spec("wittgenstein") else ["RIPPER"])
    assert len({one["name"] for one in found["learners"]}) == 6 - len(found["left_out"])
    assert all(one["accuracy"] > wanted.majority for one in found["learners"])
    units = {one["name"]: one["unit"] for one in found["learners"] if one["size"] is not None}
    assert units.pop("RIPPER", "clauses") == "clauses"
    assert list(units.values()) == ["clauses or lines", "leaves", "leaves"]


def test_a_large_table_is_sampled_in_any_order_of_rows_and_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = [line.split(",") for line in table_text(300).splitlines()]
    rows = [
        ["age", "smoker", "dose", "ill"],
        *([cells[0][:1], *cells[1:3], cells[4]] for cells in text[1:]),
    ]
    monkeypatch.setattr(jobs, "COMPARED_CELLS", 1_000)
    monkeypatch.setattr(jobs, "LEAST_ROWS", 100)
    monkeypatch.setattr(jobs, "COMPARED", {})
    samples = []
    for seed in range(4):
        chance = Random(seed)
        columns = chance.sample(range(4), 4)
        moved = [rows[0], *chance.sample(rows[1:], 300)]
        data = "\n".join(",".join(row[i] for i in columns) for row in moved)
        table = read_upload(data.encode(), "t.csv", Limits())
        fit = learn(table, "ill", {}, None, {"form": "dnf"}, lambda *_: None)
        taken = table.take(jobs.sample_rows(table, fit.fitted.rows()[1], 100))
        samples.append(sorted(zip(*(taken[name].texts() for name in rows[0]), strict=True)))
        found = compare(table, fit, lambda *_: None)
        assert (found["rows"], found["of"]) == (taken.rows, 300)
    assert all(one == samples[0] for one in samples)
    assert 98 <= len(samples[0]) <= 102
    assert len(set(samples[0])) > 25  # equal rows are not all in it, or all out
