"""`gnri induce --weight` and `--class-weight`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnri import RuleClassifier
from gnri.rules.documents import from_json
from tests.cli.commands import one_line, run
from tests.estimator.tables import mushrooms


@pytest.fixture
def weighted(tmp_path: Path) -> tuple[Path, pd.DataFrame]:
    frame, labels = mushrooms(120, seed=2)
    table = frame[["height", "rings"]].assign(times=np.arange(120) % 4, kind=labels)
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    return path, table


def test_they_are_those_of_the_classifier(weighted: tuple[Path, pd.DataFrame]) -> None:
    path, table = weighted
    options = ("--weight", "times", "--class-weight", "edible=1,poisonous=3")
    result = run("induce", path, "--target", "kind", *options, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    classifier = RuleClassifier(class_weight={"edible": 1, "poisonous": 3})
    classifier.fit(table[["height", "rings"]], table["kind"], sample_weight=table["times"])
    assert from_json(json.dumps(found["rule_list"])) == classifier.rule_list_
    assert found["rows"] == 90
    assert found["copies"] == classifier.fitted_.copies.sum()
    assert {"balanced_accuracy", "rarest", "precision", "recall"} <= set(found["held_out"])


def test_a_wrong_weight_is_named_by_its_row_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,times,kind\n1,1,x\n2,,y\n3,1,y\n")
    said = one_line(run("induce", path, "--target", "kind", "--weight", "times"))
    assert "got nan in row 2 below the header" in said


@pytest.mark.parametrize("weight", [["--weight", "times"], []])
def test_in_parts_too(weight: list[str], weighted: tuple[Path, pd.DataFrame]) -> None:
    options = (*weight, "--class-weight", "balanced", "--json", "--no-estimate")
    plain, parts = (
        run("induce", weighted[0], "--target", "kind", *options, *more)
        for more in ((), ("--memory", "2GB"))
    )
    expected, found = json.loads(plain.stdout), json.loads(parts.stdout)
    assert [found[key] for key in ("rule_list", "rows", "copies")] == (
        [expected[key] for key in ("rule_list", "rows", "copies")]
    )
    assert found["passes"][0] > 2


def test_the_figures_of_the_rarer_class_are_printed(weighted: tuple[Path, pd.DataFrame]) -> None:
    result = run("induce", weighted[0], "--target", "kind", "--class-weight", "balanced")
    assert result.exit_code == 0, result.output
    assert "learnt with weights" in result.stdout
    assert "balanced accuracy" in result.stdout
    plain = run("induce", weighted[0], "--target", "kind")
    assert "balanced accuracy" not in plain.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--weight", "time"], "did you mean 'times'?"),
        (["--weight", "kind"], "column 'kind' must hold numbers"),
        (["--class-weight", "even"], "must be balanced, or such as yes=10,no=1"),
        (["--class-weight", "edible=2,edible=3"], "got two values for 'edible'"),
        (["--monotone", "rings=+1", "--monotone", "rings=-1"], "got two values for 'rings'"),
        (["--class-weight", "edible=2"], "no weight for the class 'poisonous'"),
        (["--weight", "height", "--memory", "2GB"], "got nan in column 'height' of"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    options: list[str], said: str, weighted: tuple[Path, pd.DataFrame]
) -> None:
    result = run("induce", weighted[0], "--target", "kind", *options)
    assert result.exit_code != 0
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
