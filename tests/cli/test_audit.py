"""`gnri audit`."""

import json
from pathlib import Path

import pytest

from gnri.symmetry.transforms import TRANSFORMS
from tests.cli.commands import run


def test_the_rule_follows_every_change_of_the_table(table: Path) -> None:
    result = run("audit", table, "--target", "class")
    assert result.exit_code == 0, result.output
    for words in ("rows shuffled", "columns reordered and renamed", "columns negated", "labels"):
        assert words in result.stdout
    assert "gnri: in 13 trials the rule followed every time" in result.stdout
    assert "followed 0" not in result.stdout


def test_json_holds_the_whole_report(table: Path) -> None:
    found = json.loads(run("audit", table, "--target", "class", "--json").stdout)
    assert found["exact"] is True
    assert [one["transform"] for one in found["transforms"]] == list(TRANSFORMS)


@pytest.mark.parametrize("learner", ["tree", "greedy"])
def test_other_learners_are_seen_to_change(tmp_path: Path, learner: str) -> None:
    path = tmp_path / "copies.csv"  # columns that tell the class equally well: which one is taken?
    path.write_text("a,b,c,d,class\n" + "1,1,1,1,x\n0,0,0,0,y\n" * 4)
    result = run("audit", path, "--target", "class", "--learner", learner)
    assert f"{learner}: in 13 trials the rule became another one" in result.stdout
    assert (
        "gnri: in 13 trials the rule followed every time"
        in run("audit", path, "--target", "class").stdout
    )


def test_three_classes_are_three_tasks(tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text("a,class\n" + "1,low\n2,low\n5,mid\n6,mid\n9,high\n8,high\n" * 2)
    found = json.loads(run("audit", path, "--target", "class", "--json").stdout)
    assert found["total"]["pairs"] == 3 * len(TRANSFORMS)
