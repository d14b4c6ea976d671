"""CSV files that several runs add to."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from studies.results import append, provenance, read, replace_rows


def test_rows_are_added_under_one_header(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "table.csv"
    append(path, [{"a": 1, "b": "x, y"}])
    append(path, [{"a": 2, "b": 'say "no"'}])
    assert path.read_text().count("a,b") == 1
    assert read(path) == [{"a": "1", "b": "x, y"}, {"a": "2", "b": 'say "no"'}]


def test_a_row_is_added_in_the_columns_that_the_file_has(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    append(path, [{"a": 1, "b": 2}])
    append(path, [{"b": 4, "a": 3}])
    assert path.read_text() == "a,b\n1,2\n3,4\n"


def test_a_file_that_is_not_there_has_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path / "none.csv") == []


def test_unwanted_rows_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    replace_rows(path, lambda _: True)
    append(path, [{"a": a, "b": "é"} for a in range(4)])
    replace_rows(path, lambda row: row["a"] in "13")
    append(path, [{"a": 9, "b": ""}])
    assert [row["a"] for row in read(path)] == ["0", "2", "9"]
    replace_rows(path, lambda _: True)
    assert path.read_text() == ""


def test_rows_that_cannot_be_dropped_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    append(path, [{"a": a} for a in range(4)])
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no room"):
        replace_rows(path, lambda row: row["a"] == "1")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


ADDING = """
import sys
from pathlib import Path
from studies.results import append
for number in range(300):
    append(Path(sys.argv[1]), [{"a": number}])
"""


def test_no_row_is_lost_that_is_added_while_others_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    append(path, [{"a": "unwanted"}])
    with subprocess.Popen([sys.executable, "-c", ADDING, str(path)]) as adding:
        while adding.poll() is None:
            replace_rows(path, lambda row: row["a"] == "unwanted")
            append(path, [{"a": "unwanted"}])
    assert adding.returncode == 0
    numbers = [int(row["a"]) for row in read(path) if row["a"] != "unwanted"]
    assert numbers == list(range(300))


def test_provenance_says_where_a_figure_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    found = provenance("cpu")
    assert set(found) == {"commit", "machine", "date"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(found["date"]))
    monkeypatch.setenv("GNRI_COMMIT", "abc")
    assert provenance("cpu")["commit"] == "abc"
