"""Thresholds move to where they make the fewest errors, wherever the rows are."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from gnri.counts.counter import Counter
from gnri.data.binarizer import Binarizer
from gnri.data.encode import encode
from gnri.data.frames import from_frame
from gnri.data.schema import Above, Schema
from gnri.data.value_counts import count_values
from gnri.estimator.thresholds import move_thresholds
from gnri.rules.rule_list import RuleList
from tests.effort import half_as_often
from tests.estimator.parts import TARGET, assert_same, in_memory, write_parts


def numbers(rows: int, seed: int = 0, classes: int = 2) -> pd.DataFrame:
    """A label that depends on places which no decile is near, with missing cells."""
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(0, 100, rows).round(1), rng.integers(0, 40, rows).astype(float)
    label = np.where((x > 37.3) & (z <= 33), "a", "b")
    if classes == 3:
        label = np.where(x > 87.4, "c", label)
    z[rng.random(rows) < 0.05] = np.nan
    return pd.DataFrame({"x": x, "z": z, "flag": rng.random(rows) < 0.5, TARGET: label})


def fit(frame: pd.DataFrame, **options: object) -> RuleClassifier:
    return RuleClassifier(**options).fit(frame.drop(columns=TARGET), frame[TARGET])


def right(found: RuleClassifier, frame: pd.DataFrame) -> int:
    return int((found.predict(frame.drop(columns=TARGET)) == frame[TARGET]).sum())


def slow_right(found: RuleClassifier, frame: pd.DataFrame) -> list[int]:
    """The rows that are right with each threshold of the rule at each place, one at a time."""
    values, codes = found.fitted_.rows()
    counts = []
    for i in found.rule_list_.atoms:
        atom = found.schema_.atoms[i]
        if isinstance(atom, Above):
            for cut in np.unique(frame[atom.column].dropna()):
                tried = values.copy()
                tried[:, i] = np.sign(np.where(frame[atom.column] > cut, 1, -1))
                tried[frame[atom.column].isna().to_numpy(), i] = 0
                counts.append(int((found.rule_list_.choose(tried) == codes).sum()))
    return counts


@pytest.mark.parametrize("classes", [2, 3])
def test_no_other_place_of_one_threshold_gains_two_rows(classes: int) -> None:
    frame = numbers(150, classes=classes)
    found = fit(frame)
    assert found.rule_list_ != found.fitted_.learnt
    assert right(found, frame) + 1 >= max(slow_right(found, frame))
    before = found.fitted_.learnt.predict({name: frame[name].tolist() for name in frame})
    assert right(found, frame) > (np.array(before) == frame[TARGET]).sum()


@half_as_often
@given(st.randoms(use_true_random=False), st.integers(2, 3))
def test_the_order_of_rows_and_columns_the_names_and_the_labels_do_not_matter(
    random, classes: int
) -> None:
    frame = numbers(60, seed=random.randrange(100), classes=classes)
    moved = frame.sample(frac=1, random_state=random.randrange(1 << 30))
    moved = moved[random.sample([*frame], len(frame.columns))]
    names = {"x": "z", "z": "x", "flag": "FLAG"}
    moved = moved.assign(flag=~moved["flag"]).rename(columns=names)
    moved[TARGET] = moved[TARGET].map({"a": "b", "b": "a", "c": "c"})
    found, expected = fit(moved), fit(frame)
    answers = expected.predict(frame.drop(columns=TARGET))
    renamed = frame.assign(flag=~frame["flag"]).rename(columns=names)[[*found.feature_names_in_]]
    assert [{"a": "b", "b": "a", "c": "c"}[a] for a in found.predict(renamed)] == answers.tolist()
    cuts = {(names[a.column], a.cut) for a in expected.schema_.atoms if isinstance(a, Above)}
    assert {(a.column, a.cut) for a in found.schema_.atoms if isinstance(a, Above)} == cuts


@pytest.mark.parametrize("where", ["parts", "cluster"])
def test_parts_and_a_cluster_give_what_memory_gives(
    where: str, tmp_path: Path, workers: LocalCluster
) -> None:
    frame = numbers(300)
    scheduler = workers.scheduler_address if where == "cluster" else None
    found = RuleClassifier().fit_files(write_parts(frame, tmp_path, 4), TARGET, scheduler=scheduler)
    assert_same(found, in_memory(frame, tmp_path))
    assert found.fitted_.passes is not None and found.fitted_.passes[0] == 4
    assert found.rule_list_ != found.fitted_.learnt


@pytest.mark.parametrize(
    "options",
    [
        {"refine": False},
        {"binarize": "median"},
        {"binarize": Binarizer(n_bins=10)},
        {"binarize": Binarizer(thresholds={"x": [30, 60], "z": [20]})},
    ],
    ids=str,
)
def test_thresholds_that_were_asked_for_stay(options: dict[str, object]) -> None:
    found = fit(numbers(150), **options)
    assert found.rule_list_ == found.fitted_.learnt


def moved(frame: pd.DataFrame, times: int, told: bool) -> RuleList:
    """The learnt rule with thresholds moved on so many copies of each row."""
    fitted = fit(frame, form="dnf").fitted_
    codes = fitted.rows()[1]
    assert fitted.table is not None
    numbers = {name: count_values(fitted.table[name]).numbers for name in ("x", "z")}

    def pack(schema: Schema) -> nullcontext[Counter]:
        values = np.repeat(encode(schema, from_frame(frame)), times, axis=0)
        counter = Counter.from_values(values, np.repeat(codes, times), 2)
        counter.row_copies = times if told else 1.0
        return nullcontext(counter)

    return move_thresholds(fitted.learnt, numbers, pack)[0]


def test_copies_are_no_more_evidence_than_their_rows() -> None:
    frames = [numbers(60, seed) for seed in range(8)]
    plain = [moved(frame, 1, False) for frame in frames]
    assert [moved(frame, 9, True) for frame in frames] == plain
    assert [moved(frame, 9, False) for frame in frames] != plain
