"""Columns that no row tells apart are learnt from once, wherever the rows are."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from tests.cli.commands import run
from tests.effort import half_as_often
from tests.estimator.parts import TARGET, assert_same, in_memory, table, write_parts

TWINS = {"bruising": "bruises", "unbruised": "bruises", "height 4": "height", "smell": "odor"}


def with_twins(rows: int) -> pd.DataFrame:
    """A copy, a negation, a number in other units, and other names of the values."""
    frame = table("mushrooms", rows, seed=1)
    frame["bruising"], frame["unbruised"] = frame["bruises"], ~frame["bruises"]
    frame["height 4"], frame["smell"] = frame["height"] * 4, frame["odor"].str.upper()
    return frame


def fit(frame: pd.DataFrame, **options: bool) -> RuleClassifier:
    return RuleClassifier(**options).fit(frame.drop(columns=TARGET), frame[TARGET])


def test_the_rule_is_that_of_the_table_without_them() -> None:
    frame = with_twins(300)
    found, expected = fit(frame), fit(frame.drop(columns=[*TWINS]))
    assert found.fitted_.twins == TWINS and expected.fitted_.twins == {}
    assert found.rule_list_ == expected.rule_list_
    assert list(found.feature_names_in_) == [name for name in frame if name != TARGET]
    (statistics,) = found.statistics_
    assert statistics.twins == {"odor": ("smell",)} == statistics.as_dict()["twins"]


def test_all_are_kept_if_asked_for() -> None:
    found = fit(with_twins(300), keep_twins=True)
    assert found.fitted_.twins == {}
    assert {"odor", "smell"} <= set(found.rule_list_.columns)


@half_as_often
@given(st.randoms(use_true_random=False))
def test_they_do_not_depend_on_the_order_of_rows_and_columns(random) -> None:
    frame = with_twins(60)
    columns = random.sample([*frame], len(frame.columns))
    moved = frame.sample(frac=1, random_state=random.randrange(1 << 30))[columns]
    assert fit(moved).fitted_.twins == fit(frame).fitted_.twins == TWINS


def test_agreement_by_chance_makes_no_twins() -> None:
    """Ten rows and 20 random flags: some agree, and say different things of other rows."""
    flags = np.random.default_rng(0).random((10, 20)) < 0.5
    frame = pd.DataFrame(flags, columns=[f"f{i}" for i in range(20)])
    frame = frame.assign(f20=frame["f3"], **{TARGET: frame["f0"]})
    assert fit(frame).fitted_.twins == {}


@pytest.mark.parametrize("where", ["parts", "cluster"])
def test_parts_and_a_cluster_have_the_same_twins(
    where: str, tmp_path: Path, workers: LocalCluster
) -> None:
    frame = with_twins(300)
    scheduler = workers.scheduler_address if where == "cluster" else None
    found = RuleClassifier().fit_files(write_parts(frame, tmp_path, 4), TARGET, scheduler=scheduler)
    assert found.fitted_.twins == TWINS
    assert found.fitted_.passes is not None and found.fitted_.passes[0] == 3
    assert_same(found, in_memory(frame, tmp_path))


def test_the_command_names_them(tmp_path: Path) -> None:
    with_twins(300)[["odor", "smell", "spore", TARGET]].to_csv(tmp_path / "t.csv", index=False)
    result = run("induce", tmp_path / "t.csv", "--target", TARGET, "--no-estimate")
    assert "not used, as the same on every row: smell as odor" in result.stdout
    kept = run("induce", tmp_path / "t.csv", "--target", TARGET, "--no-estimate", "--keep-twins")
    assert "smell" in kept.stdout and "the same on every row" not in kept.stdout
