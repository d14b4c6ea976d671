"""`gnri induce`."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnri import RuleClassifier
from gnri.data.sources import read_table
from gnri.estimator.settings import FitSettings
from gnri.rules.documents import from_json, load_rules
from tests.cli.commands import ROWS, csv_text, run
from tests.columns import read_labels
from tests.estimator.tables import sizes
from tests.report.pages import Page

QUICK = ("--target", "class", "--no-estimate")


def test_the_rule_its_card_and_the_facts_are_printed(table: Path) -> None:
    result = run("induce", table, "--target", "class")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    for words in (
        f"{table}: 40 rows, 3 columns",
        "class: bad 20, good 20",
        "height",
        "precision",
        "otherwise",
        "of unseen rows right (5 folds",
        "the largest class is 50.0 %",
        "guided, then refined by search",
        "s for the rule",
        "1 numeric column compared with thresholds",
        "1 Boolean column used as is",
        "1 text column compared with each value",
        "5 missing cells in height: unknown",
    ):
        assert words in result.stdout, words


@pytest.mark.parametrize(
    ("labels", "mirrored"), [("nnnnnnyyyyyy", True), ("ynnnnnynnnnn", False)], ids=["even", "rare"]
)
def test_why_there_is_no_rule(labels: str, mirrored: bool, tmp_path: Path) -> None:
    """The upper half of a range is its own mirror image; two rows of twelve tell nothing."""
    (tmp_path / "t.csv").write_text(
        "a,class\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels))
    )
    printed = run("induce", tmp_path / "t.csv", *QUICK).stdout
    assert "There is no rule: compared with" in printed
    assert ("with its two classes swapped" in printed) == mirrored


def test_without_a_rule_no_figure_is_that_of_other_rules(tmp_path: Path) -> None:
    """The table is its own mirror image, and its folds are not."""
    rows = "".join(f"{i},{'nu'[i < 60]}\n" for i in range(120))
    (tmp_path / "t.csv").write_text(f"a,class\n{rows}")
    page = tmp_path / "page.html"
    words = ("induce", tmp_path / "t.csv", "--target", "class", "--estimate")
    printed = run(*words, "--report", page).stdout
    why = "The largest class is right on 60 of 120 rows."
    assert "always " in printed and " ".join(why.split()) in " ".join(printed.split())
    assert "held out  there is no rule; the largest class is 50.0 % of the rows\n" in printed
    assert "-fold cross-validation" not in page.read_text() and why in page.read_text()
    assert json.loads(run(*words, "--json").stdout)["held_out"]["accuracy"] == 0.5
    data = pd.read_csv(tmp_path / "t.csv")
    summary = RuleClassifier().fit(data[["a"]], data["class"]).summary()
    assert why in " ".join(summary.split())


def test_it_is_the_rule_of_the_classifier(table: Path) -> None:
    found = json.loads(run("induce", table, *QUICK, "--json").stdout)
    read = read_table(table)
    learnt = RuleClassifier().fit(
        read.select(["odor", "height", "bruises"]).decide(), read_labels(read, "class")
    )
    assert found["text"] == learnt.to_text()
    assert found["rule_list"] == json.loads(learnt.to_json())
    assert [card["text"] for card in found["statistics"]] == [
        card.text for card in learnt.statistics_
    ]


def test_the_settings_left_out_are_those_of_the_classifier() -> None:
    assert RuleClassifier()._settings() == FitSettings()


def test_json_is_all_that_a_program_gets(table: Path) -> None:
    result = run("induce", table, "--target", "class", "--json")
    found = json.loads(result.stdout)
    assert result.stderr == ""
    assert (found["rows"], found["target"]) == (40, "class")
    assert found["classes"] == {"bad": 20, "good": 20}
    assert len(found["held_out"]["by_fold"]) == 5
    assert 0.5 < found["held_out"]["accuracy"] <= 1
    assert set(found["seconds"]) == {"rule", "held_out"}


LOADED = """
import sys
from typer.testing import CliRunner
from gnri.cli import app
done = CliRunner().invoke(app, ["induce", sys.argv[1], "--target", "class"])
assert "of unseen rows right" in done.stdout, done.output
print(*sorted({"sklearn", "scipy", "pandas", "polars", "matplotlib"} & set(sys.modules)))
own = [name for name in sys.modules if name.split(".")[0] == "gnri"]
assert len(own) <= 75, own
"""


def test_what_takes_long_to_load_and_is_not_needed_is_not_loaded(table: Path) -> None:
    command = [sys.executable, "-c", LOADED, str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_every_way_to_give_a_table_gives_the_same_rule(tmp_path: Path) -> None:
    text = csv_text().encode()
    (tmp_path / "a.csv").write_bytes(text)
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    (tmp_path / "c.tsv").write_text(csv_text("\t"))
    (tmp_path / "d.csv").write_text(csv_text("; "))
    (tmp_path / "e.csv.gz").write_bytes(gzip.compress(text))
    _write_parquet(tmp_path / "f.parquet")
    found = {
        path.name: json.loads(run("induce", path, *QUICK, "--json").stdout)["text"]
        for path in tmp_path.iterdir()
    }
    found["-"] = json.loads(run("induce", "-", *QUICK, "--json", given=text).stdout)["text"]
    assert len(found) == 7
    assert set(found.values()) == {found["a.csv"]}


def test_out_saves_a_rule_that_predicts_as_the_classifier(table: Path, rule: Path) -> None:
    read = read_table(table)
    frame = read.select(["odor", "height", "bruises"]).decide()
    learnt = RuleClassifier().fit(frame, read_labels(read, "class"))
    assert load_rules(rule).predict(frame) == learnt.predict(frame).tolist()


def test_html_writes_a_page_with_the_figure_that_is_printed(tmp_path: Path) -> None:
    table, page = tmp_path / "sizes.csv", tmp_path / "report.html"
    frame, labels = sizes(60, seed=0)
    frame.assign(size=labels).to_csv(table, index=False)
    words = ("--target", "size", "--estimate", "--json", "--report", page)
    held_out = json.loads(run("induce", table, *words).stdout)["held_out"]
    text = Page(page.read_text()).text
    assert "Rules for size" in text and "The column size; 60 training rows" in text
    right = re.search(r"Right on (\d+) of 60 rows", text.partition("in 5-fold")[2])
    assert right is not None and held_out["accuracy"] == int(right[1]) / 60


@pytest.mark.parametrize("late", ["estimator.cross_validation.estimate", "report.page.write_page"])
def test_the_rule_is_printed_before_what_takes_longer(
    late: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"gnri.{late}", interrupt)
    result = run("induce", table, "--target", "class", "--report", tmp_path / "page.html")
    assert result.exit_code == 130
    assert "otherwise" in result.stdout


def test_limits_are_kept(table: Path) -> None:
    words = ("--max-clauses", "1", "--max-literals", "1", "--no-negations", "--json")
    found = json.loads(run("induce", table, *QUICK, *words).stdout)
    (rule,) = from_json(json.dumps(found["rule_list"])).rules
    assert rule is not None
    ((literal,),) = rule.clauses
    assert literal.positive


def test_one_pass_of_a_named_model(table: Path) -> None:
    result = run("induce", table, *QUICK, "--model", "gnri", "--no-refine", "--binarize", "median")
    assert result.exit_code == 0, result.output
    assert "gnri, one pass" in result.stdout


def test_ignored_columns_are_not_read(table: Path) -> None:
    result = run("induce", table, *QUICK, "--ignore", "height", "--ignore", "bruises")
    assert "1 text column" in result.stdout
    assert "height" not in result.stdout


def test_a_cell_that_makes_numbers_text_is_named(tmp_path: Path) -> None:
    rows = [f"{40 + i % 20},{'old' if i % 20 > 10 else 'young'}" for i in range(60)]
    rows[6] = "4O,young"
    (tmp_path / "t.csv").write_text("\n".join(["age,class", *rows]))
    found = json.loads(run("induce", tmp_path / "t.csv", *QUICK, "--json").stdout)
    assert found["columns"][-1].startswith("age is read as text, not as numbers: '4O' in row 7 ")
    rows[6] = "<NA>,young"
    (tmp_path / "t.csv").write_text("\n".join(["age,class", *rows]))
    found = json.loads(run("induce", tmp_path / "t.csv", *QUICK, "--json").stdout)
    assert "1 missing cell in age: unknown" in found["columns"]


@pytest.mark.parametrize("rare", [1, 2])
def test_a_rare_class_does_not_take_the_estimate(rare: int, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(csv_text() + "none,3,true,odd\n" * rare)
    printed = run("induce", tmp_path / "t.csv", "--target", "class").stdout
    assert "of unseen rows right (5 folds" in printed
    assert "not every fold has a row of odd" in " ".join(printed.split())


def test_a_fold_may_leave_one_class(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,class\n" + "".join(f"{i},x\n" for i in range(14)) + "20,y\n")
    found = json.loads(run("induce", tmp_path / "t.csv", "--target", "class", "--json").stdout)
    assert (len(found["held_out"]["by_fold"]), found["held_out"]["rare"]) == (5, ["y"])
    assert found["held_out"]["accuracy"] == pytest.approx(14 / 15)


def test_a_class_of_one_row_leaves_nothing_to_hold_out(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("a,class\n1,x\n2,y\n3,y\n4,y\n")
    result = run("induce", path, "--target", "class")
    assert result.exit_code == 0, result.output
    assert "not measured: a class has one row only" in result.stdout


def test_a_long_estimate_is_left_to_be_asked_for(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnri.estimator.cross_validation.MAX_SECONDS", 0.0)
    assert "ask for it with --estimate" in run("induce", table, "--target", "class").stdout
    asked = run("induce", table, "--target", "class", "--estimate")
    assert "of unseen rows right" in asked.stdout


WARNED = "-W", "always", "-m", "gnri", "induce"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_python_warns_of_no_fork(ending: str, table: Path, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / f"table.{ending}"
    frame = pd.read_csv(table)
    frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
    words = [sys.executable, *WARNED, str(path), "--target", "class", "--estimate"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "held out" in done.stdout
    assert "fork" not in done.stderr


def test_three_classes(tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text("a,class\n" + "1,low\n2,low\n5,mid\n6,mid\n9,high\n8,high\n" * 4)
    result = run("induce", path, *QUICK)
    assert result.exit_code == 0, result.output
    heads = re.findall(r"(?m)^\S.*(?: if| unless)$|^otherwise \w+$", result.stdout)
    assert re.fullmatch(
        r"(\w+) (?:if|unless)\notherwise (\w+) (?:if|unless)\notherwise (\w+)", "\n".join(heads)
    )


def _write_parquet(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    odor, height, bruises, label = zip(*ROWS, strict=True)
    columns = {
        "odor": pa.array(odor).dictionary_encode(),
        "height": [float(cell) if cell else None for cell in height],
        "bruises": [cell == "true" for cell in bruises],
        "class": label,
    }
    parquet.write_table(pa.table(columns), path)


@pytest.mark.parametrize("seed", [8, 9])
def test_rare_classes_that_no_rule_finds_get_a_hint(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 9, (150, 3))
    share = 0.05 + 0.4 * ((cells[:, 0] > 6) & (cells[:, 1] > 5))
    label = np.where(rng.random(150) < share, "yes", "no")
    rows = [",".join([*map(str, row), one]) for row, one in zip(cells, label, strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,c,class", *rows]) + "\n")
    words = ("induce", path, "--target", "class", "--form", "dnf")
    ways = (), ("--class-weight", "balanced")
    plain, weighed = (" ".join(run(*words, *more).stdout.split()) for more in ways)
    hint = "to find rows of a rare class, use --objective balanced_accuracy"
    assert hint in plain and hint not in weighed
    assert ("this is no better than always the largest class" in plain) == (seed == 8)
    assert ("held out there is no rule" in plain) == (seed == 9)


def test_large_numbers_have_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "a,class\n" + "".join(f"{i % 50},{['no', 'yes'][i % 50 > 9]}\n" for i in range(2500))
    )
    printed = run("induce", path, "--target", "class", "--no-estimate", "--form", "dnf").stdout
    assert (
        "true on 2,000 of 2,500 training rows, 2,000 of them of class yes; the class has 2,000"
        in printed
    )
