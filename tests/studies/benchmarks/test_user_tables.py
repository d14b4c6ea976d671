"""Tables of a folder, raw, as a user has them."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.data.frames import from_frame
from gnri.errors import GnriError
from studies.__main__ import app
from studies.benchmarks.learners import learner_named
from studies.benchmarks.public_tables import split
from studies.benchmarks.user_tables import measure_folder, numbers, read_columns, tables
from studies.results import read
from studies.study import Context
from tests.web.serving import table_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "tables"
    place.mkdir()
    rows = [line.split(",") for line in table_text(150).splitlines()]
    lines = [",".join([*cells[:3], cells[4]]) for cells in rows]  # without the identifier
    (place / "ill.csv").write_text("\n".join(lines) + "\n")
    three = [f"{i},{'abc'[i % 3]},{'pqr'[i % 3 if i % 7 else 0]}" for i in range(90)]
    (place / "three.tsv").write_text("\n".join(["n,c,k", *three]).replace(",", "\t") + "\n")
    return place


def test_each_table_fold_and_learner_is_a_row_and_none_is_measured_twice(folder: Path) -> None:
    context = Context(folder.parent)
    rows = measure_folder(["majority", "cart", "flat:1"], folder, context)
    assert len(rows) == 2 * 5 * 3 and {row["set"] for row in rows} == {"ill", "three"}
    assert measure_folder(["majority", "cart", "flat:1"], folder, context) == rows
    found = {(row["set"], row["learner"]): float(row["accuracy"]) for row in rows}
    assert found["three", "flat:1"] > 0.8 > 0.6 > found["three", "majority"]


def test_another_table_of_the_same_name_is_measured_and_shown_alone(folder: Path) -> None:
    context, words = Context(folder.parent), ["majority"]
    before = measure_folder(words, folder, context)
    (folder / "three.tsv").write_text("n\tk\n" + "".join(f"{i}\t{i % 2}\n" for i in range(50)))
    read_columns.cache_clear()  # as another process would read it
    after = measure_folder(words, folder, context)
    assert len(before) == len(after) == 10 and len(read(folder.parent / "own.csv")) == 15
    assert [row["labels"] for row in after if row["set"] == "three"] == ["2"] * 5
    (folder / "ill.csv").unlink()
    assert {row["set"] for row in measure_folder(words, folder, context)} == {"three"}


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    (folder / "ill.tsv").write_text("n\tk\n1\t0\n")
    with pytest.raises(GnriError, match=r"has ill.csv and ill.tsv; rename one of them"):
        tables(folder)


def test_new_rows_stand_in_the_columns_of_the_committed_ones(folder: Path, tmp_path: Path) -> None:
    kept = Path(__file__).parents[3] / "results" / "own.csv"
    (tmp_path / "own.csv").write_bytes(kept.read_bytes())
    measure_folder(["majority"], folder, Context(tmp_path))
    rows = read(tmp_path / "own.csv")
    assert rows[: len(read(kept))] == read(kept)
    assert all(len(row["data"]) == 12 for row in rows)


def test_rules_are_those_of_the_classifier(folder: Path) -> None:
    frame, codes = read_columns(tables(folder)["ill"])
    shown, hidden = split(codes, 0)
    encode = Binarizer().fit(frame.take(shown)).transform
    fitted = learner_named("guided+refine")(encode(frame.take(shown)), codes[shown])
    model = RuleClassifier().fit(frame.take(shown), codes[shown])
    learnt = model.fitted_.learnt  # before thresholds move
    assert fitted.rules == learnt.rules
    values = encode(frame.take(hidden))
    assert fitted.predict(values).tolist() == learnt.choose(values).tolist()


@pytest.mark.parametrize(("learner", "settings"), [("dnf", {}), ("scorecard:2", {"max_lines": 2})])
def test_forms_are_learnt_from_raw_columns(learner: str, settings: dict, folder: Path) -> None:
    context = Context(folder.parent)
    (row,) = measure_folder([learner], folder, context, sets=["ill"], folds=[1])
    frame, codes = read_columns(tables(folder)["ill"])
    shown, hidden = split(codes, 1)
    model = RuleClassifier(form=learner.partition(":")[0], **settings)
    model.fit(frame.take(shown), codes[shown])
    right = model.predict(frame.take(hidden)) == codes[hidden]
    assert float(row["accuracy"]) == pytest.approx(right.mean(), abs=1e-6)
    assert int(row["columns"]) == len(model.rule_list_.columns)


def test_numbers_are_centred_and_scaled_by_the_rows_shown() -> None:
    shown = from_frame([[0.0, "a"], [np.nan, "b"], [4.0, None]])
    later = from_frame([[np.nan, "c"], [6.0, "b"]])
    found = numbers(shown)(later)
    assert found[:, 0].tolist() == [0.0, 2.0]
    assert found[0, 1] == found[0, 2] < 0 < found[1, 2]
    empty = from_frame(np.array([[np.nan], [np.nan]]))
    assert numbers(empty)(empty).tolist() == [[0.0], [0.0]]


def test_few_rows_of_raw_columns(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    lines = [f"{i % 7},{i % 3},{'ab'[i % 7 > 3]}" for i in range(80)]
    (tmp_path / "raw" / "own.csv").write_text("\n".join(["x,y,class", *lines]))
    words = ["bench", "few", "--raw", str(tmp_path / "raw"), "--learners", "cart,scorecard"]
    done = CliRunner().invoke(app, [*words, "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    rows = read(tmp_path / "few_raw.csv")
    assert {(row["set"], row["rows"]) for row in rows} == {("own", "10"), ("own", "20")}
    assert "Few rows of raw columns" in done.output


def test_the_command(folder: Path, tmp_path: Path) -> None:
    words = ["bench", "own", str(folder), "--learners", "majority,cart", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "| three |" in done.output and (tmp_path / "own.md").read_text() + "\n" == done.output


def test_a_folder_without_tables_and_a_table_of_one_column(tmp_path: Path) -> None:
    with pytest.raises(GnriError, match="has no table; put files there"):
        measure_folder(["majority"], tmp_path, Context(tmp_path))
    (tmp_path / "one.csv").write_text("k\na\nb\n")
    with pytest.raises(GnriError, match="has one column; the last is the class"):
        measure_folder(["majority"], tmp_path, Context(tmp_path))


@pytest.mark.parametrize("text", ["a,class\n1,x\ninf,y\n", "a,class\n1,x\n2\n"])
def test_a_bad_table_is_named_once(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(GnriError) as caught:
        measure_folder(["majority"], tmp_path, Context(tmp_path))
    assert str(caught.value).count("bad.csv") == 1
