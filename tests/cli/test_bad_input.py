"""What a mistake is answered with: one line, exit code 2, and nothing overwritten."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from gnri.formats import FORMATS
from tests.cli.commands import csv_text, one_line, run

TEXTS = {
    "an empty table": (b"", "is empty; it must begin with a line of column names"),
    "a header alone": (b"a,class\n", "has a header and no rows"),
    "one class": (b"a,class\n1,x\n2,x\n", "at least 2 classes, got 1 class, 'x'"),
    "constant columns alone": (b"a,class\n1,x\n1,y\n", "constant or all missing"),
    "missing columns alone": (b"a,class\n,x\nNA,y\n", "constant or all missing"),
    "no other column": (b"class\nx\ny\n", "has no column besides 'class'"),
    "two columns of one name": (b"a,a,class\n1,2,x\n2,1,y\n", "got 'a' more than once"),
    "a column without a name": (b"a,,class\n1,1,x\n2,2,y\n", "column 2 has none"),
    "an index alone": (b",class\n1,x\n2,y\n", "'' is the index of the rows, which pandas writes"),
    "infinity": (b"a,class\n1,x\n-inf,y\n", "column 'a' holds -inf in row 2 below the header"),
    "a row too long": (b"a,class\n1,x\n2,y,3\n", "got 3 in line 3"),
    "a quote left open": (b'a,class\n"1,x\n2,y\n', "check its quotes"),
    "bytes that are not UTF-8": (b"a,class\ncaf\xe9,x\nb,y\n", "line 2 holds the byte 0xe9"),
    "rows without a label": (b"a,class\n1,\n2,\n", "no row has a label: column 'class' is empty"),
    "a label that is a number": (b"a,class\n1,2.5\n2,3.5\n", "holds numbers such as 2.5"),
    "text that is free": (
        b"a,class\n" + b"".join(b"note %d,%d\n" % (i, i % 2) for i in range(100)),
        "like free text or an identifier",
    ),
    "a label with 5,000 values": (
        b"a,class\n" + b"".join(b"%d,id%d\n" % (i % 7, i) for i in range(5000)),
        "holds 5000 different values in 5000 rows",
    ),
    "5,000 classes of many rows": (
        b"a,class\n" + b"".join(b"%d,id%d\n" % (i % 7, i // 3) for i in range(15000)),
        "at most 1000 classes, got 5000",
    ),
    "gzip cut short": (b"\x1f\x8b\x08\x00\x00", "is not a whole gzip file"),
    "Parquet cut short": (b"PAR1 and no more", "is not a whole Parquet file"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_table_that_cannot_be_learnt_from(name: str, tmp_path: Path) -> None:
    data, message = TEXTS[name]
    path, out, page = tmp_path / "table.csv", tmp_path / "rule.json", tmp_path / "page.html"
    path.write_bytes(data)
    out.write_text("kept")
    page.write_text("kept")
    result = run("induce", path, "--target", "class", "--out", out, "--report", page)
    line = one_line(result)
    assert message in line
    assert "Traceback" not in line
    assert (out.read_text(), page.read_text()) == ("kept", "kept")
    assert sorted(tmp_path.iterdir()) == sorted([path, out, page])


@pytest.mark.parametrize("command", [("induce",), ("audit",), ("induce", "--memory", "1GB")])
def test_columns_that_cannot_be_used_are_left_out(command: tuple[str, ...], tmp_path: Path) -> None:
    rows = [f"note {i},{i % 100} St,{i},{'yn'[i > 119]}" for i in range(200)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["my note,street,age,class", *rows]))
    words = (command[0], path, "--target", "class", *command[1:])
    found = run(*words)
    plain = run(*words, "--ignore", "my note", "--ignore", "street")
    assert found.exit_code == plain.exit_code == 0
    if command[0] == "induce":
        told = " ".join(found.stdout.split())
        assert "my note is ignored: it holds 200 different values in 200 rows" in told
        assert "street is ignored: it has 100 categories, too many or too rare" in told
    line = one_line(run(*words, "--use", "street", "--use", "my note"))
    assert "'my note' holds 200 different values" in line and "'street' has 100" in line
    assert "leave --use 'my note' and --use street out, or" in line
    assert "has no column 'notes'" in one_line(run(*words, "--use", "notes"))


def test_a_real_parquet_file_cut_short(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": list(range(99)), "class": ["x", "y", "y"] * 33}), path)
    assert run("induce", path, "--target", "class", "--no-estimate").exit_code == 0
    path.write_bytes(path.read_bytes()[:-40])
    assert "is not a whole Parquet file" in one_line(run("induce", path, "--target", "class"))


@pytest.mark.parametrize(
    "label",
    [date(2020, 1, 1), timedelta(1), b"yes", [1], {"a": 1}],
    ids=lambda label: type(label).__name__,
)
def test_labels_that_are_no_classes(label: object, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": list(range(40)), "class": [label] * 40}), path)
    line = one_line(run("induce", path, "--target", "class"))
    assert "the target must hold classes, but column 'class' holds " in line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--target", "clas"), "has no column 'clas'; did you mean 'class'?"),
        (("--target", "nothing like it"), "its columns are ['odor', 'height', 'bruises', 'class']"),
        ((), "name the column to predict with --target"),
        (("--target", "class", "--ignore", "hight"), "did you mean 'height'?"),
        (("--target", "class", "--model", "gnry"), "gnry"),
        (
            ("--target", "class", "--binarize", "often"),
            "binarize must be 'auto' or 'median', got 'often'",
        ),
        (("--target", "class", "--max-clauses", "-1"), "max_clauses"),
        (("--target", "class", "--out", "no/such/rule.json"), "there is no folder no/such"),
        (("--target", "class", "--report", "."), "is a folder; name a file"),
        (
            ("--target", "class", "--format", "sql"),
            "written with `gnri export`; leave --format out",
        ),
    ],
)
def test_a_wish_that_cannot_be_met(table: Path, words: tuple[str, ...], message: str) -> None:
    assert message in one_line(run("induce", table, *words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("induce",), "gnri: Missing argument 'file'. See `root induce --help`"),
        (("induce", "a.csv", "b.csv"), "unexpected extra argument"),
        (("induce", "a.csv", "--tarket", "class"), "No such option: --tarket"),
        (("induce", "a.csv", "--target"), "'--target' requires an argument. See"),
        (("induce", "a.csv", "--max-clauses", "many"), "Invalid value for '--max-clauses'"),
        (("indus",), "No such command 'indus'"),
        (("--loud",), "No such option: --loud. See `root --help`"),
        (("rael",), "No such command 'rael'"),
    ],
)
def test_a_command_typed_wrong(words: tuple[str, ...], message: str) -> None:
    assert message.lower() in one_line(run(*words)).lower()  # FILE, in some versions of typer


@pytest.mark.parametrize("words", [()])
def test_no_command_is_answered_with_the_help(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert "Usage: " in result.stdout
    assert result.stderr == ""


def test_a_checkpoint_that_is_not_ours(table: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["Bert"]}')
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 64)
    line = one_line(run("induce", table, "--target", "class", "--model", tmp_path))
    assert "not a gnri checkpoint" in line


@pytest.mark.parametrize("command", ["induce", "audit"])
def test_a_file_that_is_not_there(command: str, tmp_path: Path) -> None:
    line = one_line(run(command, tmp_path / "none.csv", "--target", "class"))
    assert "none.csv cannot be read: No such file or directory" in line
    line = one_line(run(command, tmp_path, "--target", "class"))
    told = {"induce": "is a folder without files", "audit": "cannot be read: Is a directory"}
    assert told[command] in line


def test_an_unknown_learner(table: Path) -> None:
    line = one_line(run("audit", table, "--target", "class", "--learner", "oracle"))
    assert "the learners are gnri, tree, greedy; got 'oracle'" in line


@pytest.mark.parametrize("learner", ["tree", "greedy"])
def test_a_learner_without_a_model_takes_no_wish_for_one(table: Path, learner: str) -> None:
    words = ["audit", table, "--target", "class", "--learner", learner, "--model", "gnri"]
    message = f"--learner {learner} has no model and no search; leave --model"
    assert f"{message} out" in one_line(run(*words))
    assert f"{message} and --refine out" in one_line(run(*words, "--no-refine"))


def test_only_a_query_names_a_table(rule: Path) -> None:
    message = "--format text reads no table; leave --table out"
    assert message in one_line(run("export", rule, "--table", "data"))
    assert "FROM" in run("export", rule, "--format", "sql", "--table", "data").stdout


def test_an_unknown_format(rule: Path) -> None:
    line = one_line(run("export", rule, "--format", "cobol"))
    assert f"{', '.join(FORMATS)}; got 'cobol'" in line


@pytest.mark.parametrize("command", [("export",), ("predict", "table.csv")])
def test_a_rule_that_is_none(command: tuple[str, ...], table: Path, tmp_path: Path) -> None:
    name, *rest = command
    for path in (tmp_path / "none.json", tmp_path, table):
        one_line(run(name, path, *rest))


PREDICTED: dict[str, tuple[str, str]] = {
    "a column that is not there": ("width\n1\n", "the rules read column 'height'"),
    "a cell of another kind": ("height\ntall\n", "must hold numbers, got 'tall' in row 1"),
    "a prediction already there": ("height,prediction\n1,good\n", "rename it"),
}


@pytest.mark.parametrize("name", PREDICTED)
def test_a_table_that_cannot_be_predicted(name: str, rule: Path, tmp_path: Path) -> None:
    text, message = PREDICTED[name]
    path, out = tmp_path / "table.csv", tmp_path / "out.csv"
    path.write_text(text)
    out.write_text("kept")
    assert message in one_line(run("predict", rule, path, "--out", out))
    assert out.read_text() == "kept"


LEARNT: dict[str, Callable[[str], str]] = {
    "a constant column": lambda text: _with_column(text, "same", lambda _: "1"),
    "a column all missing": lambda text: _with_column(text, "same", lambda _: ""),
}


@pytest.mark.parametrize("name", LEARNT)
def test_a_column_that_says_nothing_is_left_out_and_said(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(LEARNT[name](csv_text()))
    result = run("induce", path, "--target", "class", "--no-estimate")
    assert result.exit_code == 0, result.output
    assert "not used, as constant or all missing: same" in result.stdout


def test_a_row_all_missing_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(csv_text() + ",,,good\n")
    result = run("induce", path, "--target", "class", "--no-estimate")
    assert result.exit_code == 0, result.output
    assert "41 rows" in result.stdout


def test_10_000_columns_most_of_them_constant(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(_wide(vary=range(20)))
    result = run("induce", path, "--target", "class", "--no-estimate")
    assert result.exit_code == 0, result.output
    assert "10,000 columns" in result.stdout
    assert "and 9,975 more" in result.stdout


@pytest.mark.slow
def test_10_000_columns_that_vary(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(_wide(vary=range(10_000)))
    result = run("induce", path, "--target", "class", "--no-estimate")
    assert result.exit_code == 0, result.output
    assert "10,000 Boolean columns" in result.stdout


def _wide(vary: range) -> str:
    """Column i is true in the rows whose number has bit i % 5 set, if it varies at all."""
    names = ",".join(f"c{i}" for i in range(10_000))
    rows = [
        ",".join(str(row >> i % 5 & 1) if i in vary else "0" for i in range(10_000))
        for row in range(32)
    ]
    return f"{names},class\n" + "".join(f"{cells},{'yn'[i % 2]}\n" for i, cells in enumerate(rows))


def _with_column(text: str, name: str, cell: Callable[[int], str]) -> str:
    header, *rows = text.splitlines()
    return "\n".join([f"{name},{header}", *(f"{cell(i)},{row}" for i, row in enumerate(rows))])
