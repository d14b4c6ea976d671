"""`gnri induce --alternatives`: other rules below the rule, or in its JSON."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import HEADER, ROWS, one_line, run


@pytest.fixture
def words(tmp_path: Path) -> tuple[object, ...]:
    """The command for a table in which the weight says what the height says, where that is."""
    lines = [f"{row[0]},{row[1]},{float(row[1] or 2) / 2},{row[2]},{row[3]}" for row in ROWS]
    header = HEADER.replace("height", "height,weight")
    (tmp_path / "t.csv").write_text("\n".join([header, *lines]))
    return "induce", tmp_path / "t.csv", "--target", "class", "--form", "dnf", "--no-estimate"


def test_they_are_printed_below_the_rule(words) -> None:
    content = json.loads(run(*words, "--alternatives", "1", "--json").stdout)
    assert "height > 6 and weight > 3" in content["text"]
    height, weight = content["alternatives"]  # which tie
    assert height["columns"] == ["height"] and height["without"] == ["weight"]
    assert weight["columns"] == ["weight"] and weight["without"] == ["height"]
    assert height["accuracy"] == height["right"] / 40 and "height <= 6" in height["text"]
    shown = run(*words, "--alternatives", "1").stdout
    assert "rules on other columns, where the rule has 100 % of unseen rows right" in shown
    assert f"\n    {height['text'].splitlines()[1]}\n" in shown and "without weight" in shown


def test_there_may_be_none(words) -> None:
    shown = run(*words, "--alternatives", "1", "--ignore", "weight").stdout
    assert "no rule on other columns is nearly as good" in shown
    assert "other columns" not in run(*words).stdout
    assert "alternatives" not in json.loads(run(*words, "--json").stdout)


def test_what_cannot_be_is_refused(words) -> None:
    assert "greater than or equal to 1" in one_line(run(*words, "--alternatives", "0"))
    parts = run(*words[:-1], "--memory", "1GB", "--alternatives", "2")
    assert "alternatives need the rows in memory" in one_line(parts)
