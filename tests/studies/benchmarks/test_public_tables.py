"""The benchmarks on tables, on two small ones."""

from pathlib import Path

import numpy as np
import pytest

from studies.benchmarks import public_tables, reports, user_tables
from studies.datasets import encode, load
from studies.results import read
from studies.study import Context
from tests.studies.benchmarks.tables import data_folder

COMMITTED = Path(__file__).parents[3] / "results"
SETS = ("two", "three")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    folder = tmp_path / "data"
    folder.mkdir()
    public_tables.table.cache_clear()
    return Context(tmp_path / "results", data_folder(folder))


def test_the_folds_share_no_row_and_cover_the_table(context: Context) -> None:
    encoded = encode(load("three", context.data_dir))
    hidden = []
    for fold in range(5):
        shown, other = public_tables.split(encoded.codes, fold)
        assert sorted([*shown, *other]) == list(range(80))
        assert np.array_equal(other, public_tables.split(encoded.codes, fold)[1])
        hidden += list(other)
    assert sorted(hidden) == list(range(80))


def test_a_row_for_each_set_fold_and_learner(context: Context) -> None:
    rows = public_tables.measure_folds(["majority", "flat:1"], context, sets=SETS, folds=(0, 3))
    assert len(rows) == 8
    assert {(row["set"], row["fold"], row["learner"]) for row in rows} == {
        (name, fold, learner)
        for name in SETS for fold in "03" for learner in ("majority", "flat:1")
    }  # fmt: skip
    learnt = [row for row in rows if row["learner"] == "flat:1"]
    assert {row["accuracy"] for row in learnt} == {"1.0"}
    assert all(row["commit"] and row["machine"] and row["date"] and row["data"] for row in rows)


def test_the_report_of_real(context: Context) -> None:
    rows = public_tables.measure_folds(["flat:1", "majority"], context, sets=SETS)
    rows += public_tables.measure_folds(["cart"], context, sets=["two"])[-5:]
    text = reports.real(rows)
    assert "| set | majority | cart | flat:1 |" in text
    assert "| two | 75.0 | 100.0 | 100.0 |" in text
    assert "| **mean** | 62.5 | 100.0 (1 of 2) | 100.0 |" in text
    assert "majority:\n\n- none" in text
    assert "Not measured whole:\n\n- cart: three (0 of 5 folds)\n" in text
    assert "| set | flat:1 |\n|---|---:|\n| two | 2.0 |" in text


def test_the_report_names_sets_below_the_majority() -> None:
    row = {"fold": "0", "clauses": "", "literals": "", "distinct_literals": "", "seconds": "0.1"}
    rows = [
        row | {"set": name, "learner": learner, "accuracy": accuracy}
        for name, learner, accuracy in [
            ("car", "majority", "0.7"), ("car", "cart", "0.69"),
            ("vote", "majority", "0.6"), ("vote", "cart", "0.6"),
        ]
    ]  # fmt: skip
    assert "- cart: car\n" in reports.real(rows)


def test_no_committed_figure_stands_twice() -> None:
    rows = read(COMMITTED / "real.csv")
    assert rows
    keys = [(row["set"], row["fold"], row["learner"]) for row in rows]
    assert len(set(keys)) == len(keys)


def test_few_rows_are_of_two_classes_and_not_scored_on(context: Context) -> None:
    encoded = encode(load("two", context.data_dir))
    rng = np.random.default_rng(0)
    for _ in range(50):
        shown, hidden = public_tables.draw_rows(encoded.codes, 3, rng=rng)
        assert len(shown) == 3 and len(hidden) == 77
        assert not set(shown) & set(hidden)
        assert set(encoded.codes[shown]) == {0, 1}


def test_few_rows_leave_out_what_is_too_small(context: Context) -> None:
    rows = public_tables.measure_few_rows(
        ["cart", "flat:1"], context, sets=SETS, sizes=(10, 30, 31), draws=2
    )
    assert {row["rows"] for row in rows} == {"10", "30"}
    assert len(rows) == 16
    text = reports.few_rows(rows)
    assert "| rows | sets | cart | flat:1 |" in text
    assert "## 30 rows" in text


def test_every_learner_meets_the_same_draw(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def score(name, shown, hidden):
        seen.append((name, shown[0].tobytes(), hidden[0].tobytes()))
        return {"accuracy": 1.0}

    monkeypatch.setattr(public_tables, "learner_named", lambda name, _: name)
    monkeypatch.setattr(public_tables, "fit_and_score", score)
    public_tables.measure_few_rows(["cart", "forest"], context, sets=["two"], sizes=(10,), draws=2)
    tables = {name: [parts for learner, *parts in seen if learner == name] for name, *_ in seen}
    assert tables["cart"] == tables["forest"]
    assert tables["cart"][0] != tables["cart"][1]


def test_raw_numbers(tmp_path: Path) -> None:
    rows = user_tables.measure_numbers(
        Context(tmp_path), sets=["iris"], learners=["dnf, median", "cart"]
    )
    assert len(rows) == 10
    assert all(float(row["accuracy"]) > 0.6 for row in rows)
    assert {row["literals"] == "" for row in rows if row["learner"] == "cart"} == {True}
    assert "| iris |" in reports.numeric(rows)
