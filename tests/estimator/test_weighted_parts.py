"""Weights of rows in parts give what the same weights give in memory, with every form of rule."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from gnri.errors import GnriError
from gnri.estimator.weighting import find_scale, round_weights
from tests.estimator.parts import TARGET, assert_same, in_memory, table, write_parts

ROWS = 120
CLASSES = {
    "mushrooms": {"edible": 1, "poisonous": 2.5},
    "sizes": {"tall": 3, "middling": 1, "short": 2.5},
}


def draw_weights(kind: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if kind == "whole":
        return rng.integers(0, 4, ROWS)
    # of all sizes: the smallest are left out by rounding
    return rng.choice([0, 0.5, 1.0, 2.25], ROWS) if kind == "real" else rng.pareto(0.5, ROWS)


def weighted(table_kind: str, weights: str | None, seed: int) -> pd.DataFrame:
    frame = table(table_kind, ROWS, seed)
    return frame if weights is None else frame.assign(times=draw_weights(weights, seed))


def check(frame: pd.DataFrame, folder: Path, pieces: int, form: str, classes: Any, **more) -> None:
    weight = "times" if "times" in frame else None
    classifier = RuleClassifier(form=form, class_weight=classes)
    expected = in_memory(frame, folder, weight=weight, classifier=classifier)
    classifier = RuleClassifier(form=form, class_weight=classes)
    found = classifier.fit_files(write_parts(frame, folder, pieces), TARGET, weight=weight, **more)
    assert_same(found, expected)
    assert (
        found.fitted_.total_copies == expected.fitted_.total_copies == expected.fitted_.copies.sum()
    )
    assert found.fitted_.profiles == expected.fitted_.profiles  # each row once
    assert found.summary() == expected.summary()


@pytest.mark.parametrize(
    ("kind", "weights", "form", "classes"),
    [
        ("mushrooms", "whole", "dnf", None),
        ("mushrooms", "real", "scorecard", "balanced"),
        ("mushrooms", "pareto", "auto", "given"),
        ("mushrooms", None, "dnf", "balanced"),
        ("sizes", "whole", "scorecard", "given"),
        ("sizes", "real", "dnf", "balanced"),
        ("sizes", "pareto", "checklist", None),
        ("noisy", "real", "auto", None),
    ],
)
def test_parts_give_what_memory_gives(
    kind: str, weights: str | None, form: str, classes: Any, tmp_path: Path
) -> None:
    given_weights = CLASSES[kind] if classes == "given" else classes
    check(weighted(kind, weights, seed=4), tmp_path, 5, form, given_weights)


def test_a_cluster_too(tmp_path: Path, workers: LocalCluster) -> None:
    address = workers.scheduler_address
    check(weighted("mushrooms", "real", 3), tmp_path, 3, "dnf", "balanced", scheduler=address)


def test_text_that_only_rows_without_copies_have(tmp_path: Path) -> None:
    """Whether a column holds numbers, all rows decide; which cells are missing, too."""
    frame = table("noisy", ROWS, 0).assign(times=1.0)
    frame["n0"] = frame["n0"].map(str).where(frame["n0"].notna(), "-")
    frame.loc[0, ["n0", "times"]] = "many", 1e-12
    frame.loc[1, ["n1", "times"]] = np.nan, 1e-12
    frame["times"] = frame["times"] * 1.7
    frame.loc[2:40, "times"] = 1.1
    with pytest.warns(UserWarning, match="'n0' holds 93 different values"):
        check(frame, tmp_path, 3, "dnf", None)


def test_weights_of_0_are_no_rows(tmp_path: Path) -> None:
    """They may lack a label, have one of their own, or be all that a part holds."""
    frame = table("noisy", ROWS, 1).assign(times=1)
    odd = frame.iloc[:20].assign(times=0, label="neither")
    parts = write_parts(pd.concat([frame, odd]), tmp_path, 4)
    odd.to_parquet(tmp_path / "4-odd.parquet", index=False)
    found = RuleClassifier().fit_files(parts, TARGET, weight="times")
    assert_same(found, in_memory(frame.drop(columns="times"), tmp_path))


def test_repeated_rows_of_a_class_count_once_if_balanced(tmp_path: Path) -> None:
    frame = table("noisy", ROWS, 2)
    yes = frame[frame[TARGET] == "yes"]
    more = pd.concat([frame, *[yes] * 2])
    often = frame["label"].map({"yes": 4, "no": 1})
    with pytest.raises(GnriError, match="'yes' occurs a multiple of 3 times; in parts such"):
        RuleClassifier(class_weight="balanced").fit_files(write_parts(more, tmp_path, 3), TARGET)
    check(frame.assign(times=often), tmp_path, 2, "dnf", "balanced")


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 2, -3], "a weight must be a number from 0 up, got -3.0 in column 'times' of .*csv"),
        ([1, 2, ""], "got nan in column 'times' of .*csv"),
        ([1, 2, "many"], "column 'times' must hold numbers"),
        ([0, 0, 0], "at least one weight must not be zero"),
    ],
)
def test_a_wrong_weight_is_refused(weights: list[Any], said: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], TARGET: ["x", "y", "y"], "times": weights})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(GnriError, match=said):
        RuleClassifier().fit_files(tmp_path / "t.csv", TARGET, weight="times")
    with pytest.raises(GnriError, match="did you mean 'times'"):
        RuleClassifier().fit_files(tmp_path / "t.csv", TARGET, weight="time")


numbers = st.one_of(
    st.integers(1, 50).map(float), st.floats(1e-300, 1e300), st.sampled_from([0.5, 1.5, 2.25])
)


@given(st.lists(numbers, min_size=1, max_size=20), st.data())
def test_sums_over_parts_give_the_copies_of_the_whole(weights: list[float], data: Any) -> None:
    """However the weights are cut and in whatever order, the scale is the same."""
    whole = np.array(weights)
    cut = data.draw(st.integers(0, len(weights)))
    order = np.array(data.draw(st.permutations(range(len(weights)))))
    parts = [np.unique(part, return_counts=True) for part in np.split(whole[order], [cut])]
    scale = find_scale(lambda measure: measure(*parts[0]).merge(measure(*parts[1])))
    once = np.ones(len(weights), int)
    assert np.array_equal(scale.copies(whole), round_weights(whole, once))


@settings(max_examples=50)
@given(st.lists(st.sampled_from([0.3, 0.5, 1.1, 7.0]), min_size=1, max_size=9), st.integers(1, 5))
def test_so_many_rows_of_a_weight(weights: list[float], times: int) -> None:
    each = round_weights(np.repeat(weights, times), np.ones(times * len(weights), int))
    found = round_weights(np.array(weights), np.full(len(weights), times))
    assert np.array_equal(np.repeat(found, times), each)
