"""Rows that were held out are answered as if they had never been there."""

from collections import Counter as Count
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from gnri import processes
from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.data.frames import from_frame
from gnri.estimator.cross_validation import (
    count_answers,
    cross_validate,
    deal_rows,
    estimate,
    fold_count,
    split_folds,
)
from tests.estimator.tables import mushrooms, sizes


def answer_slowly(learner: RuleClassifier, table: Any, labels: Any, folds: int) -> list[Any]:
    """The answers of classifiers fitted on the rows shown, which is all that they see."""
    answers = np.empty(len(labels), object)
    for shown, hidden in StratifiedKFold(folds, shuffle=True, random_state=0).split(table, labels):
        learnt = clone(learner).fit(table.iloc[shown], labels[shown])
        answers[hidden] = learnt.predict(table.iloc[hidden])
    return answers.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_cut_points_are_learnt_from_the_rows_shown_alone(seed: int) -> None:
    """Of few rows with long tails: where a column is cut depends on which of them are there."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(np.exp(2 * rng.normal(size=(40, 2))), columns=["a", "b"])
    labels = np.array((table["a"] > 1) ^ (rng.random(40) < 0.1))
    learner = RuleClassifier(binarize="median")
    found = cross_validate(clone(learner).fit(table, labels).fitted_).answers.astype(bool).tolist()
    assert found == answer_slowly(learner, table, labels, 5)
    of_all_rows = Binarizer(thresholds=Binarizer("median").fit(table).thresholds_)
    assert found != answer_slowly(RuleClassifier(binarize=of_all_rows), table, labels, 5)


@pytest.mark.parametrize("forks", [True, False], ids=["forked", "here"])
@pytest.mark.parametrize("make", [mushrooms, sizes])
@pytest.mark.parametrize("model", ["guided", "gnri"])
def test_each_row_is_answered_by_a_classifier_of_the_others(
    model: str, make: Any, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_can_fork", lambda: forks)
    table, series = make(60, seed=1)
    labels, learner = series.to_numpy(object), RuleClassifier(model)
    found = cross_validate(clone(learner).fit(table, labels).fitted_, folds=3)
    slow = np.array(answer_slowly(learner, table, labels, 3), object)
    assert found.classes[found.answers].tolist() == slow.tolist()
    assert found.accuracy == np.mean(slow == labels)
    assert found.by_fold == [np.mean(slow[fold] == labels[fold]) for fold in found.folds]
    assert found.majority == max(Count(labels).values()) / 60
    pairs = Count(zip(labels, slow, strict=True))
    counts = count_answers(found.codes, found.answers, len(found.classes))
    assert counts.tolist() == [
        [pairs[label, answer] for answer in found.classes] for label in found.classes
    ]


@given(st.lists(st.integers(0, 3), min_size=10, max_size=60), st.integers(2, 5))
def test_folds_are_those_of_scikit_learn(drawn: list[int], count: int) -> None:
    codes = np.array([*drawn, *[0, 1, 2, 3] * count])
    wanted = StratifiedKFold(count, shuffle=True, random_state=0).split(codes, codes)
    for found, expected in zip(split_folds(codes, count), wanted, strict=True):
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]


@pytest.mark.parametrize(
    ("sizes", "folds"), [((2, 7), 2), ((1, 3), 1), ((4, 4), 4), ((7, 7), 5), ((1, 9), 5)]
)
def test_a_small_class_takes_fewer_folds_of_few_rows(sizes: tuple[int, int], folds: int) -> None:
    assert fold_count(np.arange(2).repeat(sizes)) == folds


def test_rows_of_a_rare_class_are_dealt_out() -> None:
    codes = np.arange(4).repeat([11, 11, 2, 1])
    hidden = [codes[rows] for _, rows in split_folds(codes, fold_count(codes))]
    assert {len(fold) for fold in hidden} == {5}
    dealt = [sorted(int(np.sum(fold == kind)) for fold in hidden) for kind in range(4)]
    assert dealt == [[2, 2, 2, 2, 3], [2, 2, 2, 2, 3], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]


def test_a_fold_may_leave_one_class() -> None:
    table = pd.DataFrame({"a": range(15)})
    found = cross_validate(RuleClassifier().fit(table, ["x"] * 14 + ["y"]).fitted_)
    assert (found.accuracy, found.rare) == (14 / 15, ["y"])


@given(st.lists(st.integers(0, 2), min_size=12, max_size=60), st.integers(2, 5), st.data())
def test_equal_rows_are_in_one_fold_and_classes_are_balanced(
    drawn: list[int], count: int, data: st.DataObject
) -> None:
    codes = np.array([*drawn, *[0, 1, 2] * count])
    most = data.draw(st.integers(1, len(codes)))
    groups = np.array(data.draw(st.lists(st.integers(0, most), min_size=1, max_size=len(codes))))
    groups = np.unique(np.resize(groups, len(codes)), return_inverse=True)[1]
    folds = split_folds(codes, count, groups)
    assert sorted(np.concatenate([rows for _, rows in folds]).tolist()) == [*range(len(codes))]
    for shown, hidden in folds:
        assert not set(groups[shown]) & set(groups[hidden])
    alone = np.arange(len(codes))
    for found, plain in zip(
        split_folds(codes, count, alone), split_folds(codes, count), strict=True
    ):
        assert [part.tolist() for part in found] == [part.tolist() for part in plain]
    whole = all(len(set(codes[groups == group])) == 1 for group in groups)
    largest = int(np.bincount(groups).max())
    for kind in range(3):
        sizes = [int(np.sum(codes[rows] == kind)) for _, rows in folds]
        assert not whole or max(sizes) - min(sizes) <= max(largest, 1)


def test_a_table_with_each_row_twice_is_tried_on_rows_it_has_not_seen() -> None:
    rng = np.random.default_rng(0)
    once = pd.DataFrame(rng.integers(0, 9, (60, 6)))
    twice, labels = pd.concat([once, once]), np.tile(rng.integers(0, 2, 60), 2)
    folds, repeats, together = deal_rows(from_frame(twice), labels, 5)
    assert (repeats, together) == (60, True)
    for shown, hidden in folds:
        assert not set(shown % 60) & set(hidden % 60)
    assert {len(hidden) for _, hidden in folds} == {24}


def test_rows_in_another_order_of_columns_have_the_same_folds() -> None:
    table, labels = mushrooms(80, seed=0)
    table = table[["odor", "spore", "bruises"]]
    codes = np.unique(labels, return_inverse=True)[1]
    moved = table[["bruises", "odor", "spore"]].rename(columns={"odor": "a", "spore": "b"})
    moved["bruises"] = ~moved["bruises"]
    one, other = (deal_rows(from_frame(each), codes, 5) for each in (table, moved))
    assert one[1:] == other[1:]
    assert [rows.tolist() for _, rows in one[0]] == [rows.tolist() for _, rows in other[0]]


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ([*range(8)] * 12, [0, 1] * 48),  # eight different rows, a dozen times each
        ([0] * 50 + [*range(1, 51)], [0, 1] * 50),  # half of the rows are equal
        ([0] * 10 + [*range(1, 51)], [1] * 10 + [0] * 50),  # all rows of a class are equal
    ],
)
def test_where_equal_rows_are_too_many_they_are_not_kept_together(
    cells: list[int], codes: list[int]
) -> None:
    frame, labels = pd.DataFrame({"a": cells}), np.array(codes)
    folds, repeats, together = deal_rows(from_frame(frame), labels, 5)
    assert (repeats, together) == (len(cells) - len(set(cells)), False)
    plain = split_folds(labels, 5)
    assert [rows.tolist() for _, rows in folds] == [rows.tolist() for _, rows in plain]


@given(st.lists(st.tuples(*[st.sampled_from([None, 1.5, -0.0, 0.0])] * 2), min_size=1))
def test_rows_of_equal_cells_have_one_number(rows: list[tuple[float | None, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=["a", "b"], dtype=float)
    place: dict[tuple[float | None, ...], int] = {}
    wanted = [place.setdefault(row, len(place)) for row in rows]
    assert from_frame(frame).number_rows().tolist() == wanted


def test_the_reason_is_said_where_nothing_is_measured() -> None:
    fitted = RuleClassifier().fit(*sizes(40, seed=0)).fitted_
    assert estimate(fitted, folds=0) == "not asked for"
    assert "it would take about" in str(estimate(fitted, max_seconds=0.0))
    assert estimate(replace(fitted, codes=None)).startswith("the table was read in parts")
    found = estimate(fitted)
    assert found.accuracy == cross_validate(fitted).accuracy
