"""Rows that were held out are answered as if they had never been there."""

from collections import Counter as Count
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.estimator import cross_validation
from gnri.estimator.cross_validation import (
    count_answers,
    cross_validate,
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
    monkeypatch.setattr(cross_validation, "_can_fork", lambda: forks)
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
