"""CSV files that several runs add to."""

import re
from pathlib import Path

import pytest

from gnri.bench import render
from gnri.bench.results import append, provenance, read

COMMITTED = Path(__file__).parents[2] / "results"


def test_rows_are_added_under_one_header(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "table.csv"
    append(path, [{"a": 1, "b": "x, y"}])
    append(path, [{"a": 2, "b": 'say "no"'}])
    assert path.read_text().count("a,b") == 1
    assert read(path) == [{"a": "1", "b": "x, y"}, {"a": "2", "b": 'say "no"'}]


def test_a_file_that_is_not_there_has_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path / "none.csv") == []


def test_provenance_says_where_a_figure_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    found = provenance("cpu")
    assert set(found) == {"commit", "machine", "date"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(found["date"]))
    monkeypatch.setenv("GNRI_COMMIT", "abc")
    assert provenance("cpu")["commit"] == "abc"


@pytest.mark.parametrize(
    ("name", "draw"), [("scaling", render.scaling), ("rule_eq", render.rule_eq)]
)
def test_the_committed_tables_are_drawn_from_the_committed_figures(name, draw) -> None:
    rows = read(COMMITTED / f"{name}.csv")
    assert rows
    assert (COMMITTED / f"{name}.md").read_text(encoding="utf-8") == draw(rows)
    for row in rows:
        assert row["commit"] and row["machine"] and row["date"]


def test_only_an_exact_one_reads_as_one() -> None:
    row = {"model": "m", "training": "", "atoms": "3", "transform": "label", "pairs": "9"}
    shares = {"rule_eq": "0.99999", "rule_eq_ne": "", "coverage": "1.0", "jaccard": "0.5"}
    assert "| 0.999 | - | 1.000 | 0.500 |" in render.rule_eq([row | shares])
