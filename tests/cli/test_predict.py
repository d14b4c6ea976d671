"""`gnri predict`."""

import csv
import io
import subprocess
import sys
from pathlib import Path

from gnri.rules.documents import load_rules
from tests.cli.commands import ROWS, one_line, run


def predictions(text: str) -> list[str]:
    return [row["prediction"] for row in csv.DictReader(io.StringIO(text))]


def test_the_column_prediction_is_added_and_no_cell_is_changed(table: Path, rule: Path) -> None:
    result = run("predict", rule, table)
    assert result.exit_code == 0, result.output
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[0] == ["odor", "height", "bruises", "class", "prediction"]
    assert [tuple(row[:-1]) for row in rows[1:]] == ROWS
    known = [row for row in rows[1:] if row[1]]
    assert all(row[-1] == row[-2] for row in known)


def test_only_the_columns_of_the_rule_are_needed(rule: Path, tmp_path: Path) -> None:
    needed = load_rules(rule).columns
    assert needed == ["height"]
    path = tmp_path / "few.csv"
    path.write_text("height\n1\n20\n\n")
    assert predictions(run("predict", rule, path).stdout) == ["good", "bad"]


def test_a_column_that_is_not_there_may_be_added_without_cells(rule: Path) -> None:
    line = one_line(run("predict", rule, "-", given="odor\nfoul\n"))
    assert line.endswith("does not have; add it, with empty cells where it is unknown")
    assert run("predict", rule, "-", given="odor,height\nfoul,\n").exit_code == 0


def test_a_column_that_looks_otherwise_is_read_as_the_rule_reads_it(
    rule: Path, tmp_path: Path
) -> None:
    path = tmp_path / "zero-one.csv"
    path.write_text("height\n0\n1\n")
    assert predictions(run("predict", rule, path).stdout) == ["good", "good"]


def test_a_category_never_seen_is_none_of_the_known_ones(tmp_path: Path) -> None:
    path, saved = tmp_path / "odors.csv", tmp_path / "rule.json"
    path.write_text("odor,class\n" + "foul,bad\nnone,good\nalmond,good\n" * 5)
    assert run("induce", path, "--target", "class", "--no-estimate", "--out", saved).exit_code == 0
    path.write_text("odor\nfoul\nburnt\n")
    assert predictions(run("predict", saved, path).stdout) == ["bad", "good"]


def test_no_rows_are_answered_with_a_header(rule: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    assert run("predict", rule, "-", given="height,odor\n").stdout == "height,odor,prediction\n"
    parquet.write_table(pa.table({"height": pa.array([], pa.float64())}), tmp_path / "t.parquet")
    assert run("predict", rule, tmp_path / "t.parquet").stdout == "height,prediction\n"


def test_a_dash_among_numbers_is_missing_and_stays(rule: Path) -> None:
    found = run("predict", rule, "-", given="height,odor\n-,a\n20,b\n").stdout
    assert found == "height,odor,prediction\n-,a,good\n20,b,bad\n"


def test_one_file_is_predicted_at_a_time(rule: Path, tmp_path: Path) -> None:
    for path, what in ((tmp_path, "a folder"), (tmp_path / "part-*.csv", "a pattern")):
        assert f"is {what}; name each file" in one_line(run("predict", rule, path))


def test_out_and_standard_input(rule: Path, tmp_path: Path) -> None:
    out = tmp_path / "predicted.csv"
    result = run("predict", rule, "-", "--out", out, given="height\n1\n")
    assert (result.exit_code, result.stdout) == (0, "")
    assert out.read_text() == "height,prediction\n1,good\n"


def test_labels_are_written_as_they_were_read(tmp_path: Path) -> None:
    for pair in (("0", "1"), ("true", "false"), ("007", "008")):
        path, saved = tmp_path / "table.csv", tmp_path / "rule.json"
        path.write_text("a,class\n" + "".join(f"{i},{pair[i > 7]}\n" for i in range(20)))
        words = ("--target", "class", "--no-estimate", "--out", saved)
        assert run("induce", path, *words).exit_code == 0
        assert set(predictions(run("predict", saved, path).stdout)) == set(pair)


def test_neither_torch_nor_scikit_learn_is_loaded(rule: Path, table: Path) -> None:
    code = f"""
import sys
from gnri.cli import app
app(["predict", {str(rule)!r}, {str(table)!r}], standalone_mode=False)
heavy = {{"torch", "sklearn", "scipy", "pandas"}}
sys.exit(f"loaded {{heavy & set(sys.modules)}}" if heavy & set(sys.modules) else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
