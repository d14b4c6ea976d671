"""`gnri audit`."""

import json
from pathlib import Path

import pytest

from gnri.data.sources import TableSource, read_table
from gnri.estimator.baselines import cart
from gnri.estimator.fitting import fit
from gnri.estimator.settings import FitSettings
from gnri.induction import induce
from gnri.symmetry.audit import audit
from gnri.symmetry.transforms import TRANSFORMS
from tests.cli.commands import one_line, run
from tests.estimator.tables import sizes
from tests.estimator.test_point_tables import mixed_table
from tests.estimator.test_targets import rare


def test_the_rule_follows_every_change_of_the_table(table: Path) -> None:
    result = run("audit", table, "--target", "class")
    assert result.exit_code == 0, result.output
    for words in ("rows shuffled", "columns reordered and renamed", "columns negated", "labels"):
        assert words in result.stdout
    assert "gnri: in 13 trials the rule followed every time" in result.stdout
    assert "followed 0" not in result.stdout and "belongs to a class" not in result.stdout


@pytest.mark.parametrize("form", ["scorecard", "auto"])
@pytest.mark.parametrize("classes", [2, 3])
def test_points_follow_every_change_of_the_table(tmp_path: Path, form: str, classes: int) -> None:
    frame, labels = mixed_table(3, classes)
    frame.assign(label=labels).to_csv(tmp_path / "mixed.csv", index=False)
    result = run("audit", tmp_path / "mixed.csv", "--target", "label", "--form", form, "--json")
    found = json.loads(result.stdout)
    assert len(found["gaps"]) == 13 and found["exact"] and found["total"]["coverage"] == 1
    assert all(gap["identical"] for gap in found["gaps"])
    words = "audit", tmp_path / "mixed.csv", "--target", "label", "--learner", "tree"
    assert "--form" in one_line(run(*words, "--form", form))


def test_a_floor_moves_with_its_class_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped = {name: one for name, one in TRANSFORMS.items() if name == "label"}
    monkeypatch.setattr("gnri.estimator.trials.TRANSFORMS", swapped)
    frame, labels = rare(40)
    frame.assign(kind=labels).to_csv(tmp_path / "rare.csv", index=False)
    words = ["audit", tmp_path / "rare.csv", "--target", "kind", "--form", "dnf"]
    result = run(*words, "--min-recall", "rare=0.5")
    assert "in 1 trials the rule followed every time" in result.stdout
    assert "a floor or a cost belongs to a class" in result.stdout


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


@pytest.mark.parametrize("learner", ["gnri", "tree"])
def test_of_several_classes_the_tasks_that_were_solved_are_audited(
    tmp_path: Path, learner: str
) -> None:
    path = tmp_path / "three.csv"
    frame, labels = sizes(80, seed=0)
    frame.assign(size=labels).to_csv(path, index=False)
    words = ["audit", path, "--target", "size", "--learner", learner, "--json"]
    words += ["--form", "dnf"] if learner == "gnri" else []
    found = fit(TableSource.of(read_table(path)), "size", FitSettings(form="dnf"))
    episodes = list(found.episodes().values())
    assert [episode.rows for episode in episodes] == [80, 58]
    wanted = audit(induce if learner == "gnri" else cart(), episodes)
    assert json.loads(run(*words).stdout) == json.loads(wanted.to_json())


def test_where_no_class_has_a_rule_there_is_none_to_compare(tmp_path: Path) -> None:
    path = tmp_path / "chance.csv"
    path.write_text("a,class\n" + "1,x\n1,y\n1,z\n2,x\n2,y\n2,z\n" * 3)
    assert "chance.csv has a rule" in one_line(
        run("audit", path, "--target", "class", "--form", "dnf")
    )
