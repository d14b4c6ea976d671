"""A row of weight w is w copies of it, and balanced classes weigh the same."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score

from gnri.classifier import RuleClassifier
from gnri.errors import GnriError
from gnri.estimator.cross_validation import cross_validate, measure_classes
from gnri.estimator.trials import find_trials
from gnri.estimator.weighting import round_weights
from gnri.report.facts import check_symmetry
from tests.estimator.tables import mushrooms, sizes

TABLES = {"two classes": mushrooms, "three classes": sizes}
forms = st.sampled_from(["dnf", "scorecard", "auto"])
tables = st.sampled_from(sorted(TABLES))
seeds = st.integers(0, 2**16)
few = settings(max_examples=settings.default.max_examples // 40)
"""Each example takes several fits."""


def draw(table: str, seed: int, rows: int = 40) -> tuple[pd.DataFrame, pd.Series]:
    """A table with missing cells and some wrong labels."""
    frame, labels = TABLES[table](rows, seed)
    wrong = np.random.default_rng(seed).random(rows) < 0.1
    return frame, labels.where(~wrong, labels.iloc[0])


def take(frame: pd.DataFrame, labels: pd.Series, rows: np.ndarray) -> tuple[Any, Any]:
    return frame.iloc[rows].reset_index(drop=True), labels.iloc[rows].reset_index(drop=True)


def same_rules(one: RuleClassifier, other: RuleClassifier, frame: pd.DataFrame) -> bool:
    odds = (each.predict_proba(frame) for each in (one, other))
    return one.rule_list_ == other.rule_list_ and np.array_equal(*odds)


@few
@given(tables, forms, seeds, st.sampled_from([None, "balanced"]))
def test_whole_weights_are_copies(table: str, form: str, seed: int, classes: Any) -> None:
    frame, labels = draw(table, seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(labels))
    weights[labels.drop_duplicates().index] = 1  # each class has a row
    weighted = RuleClassifier(form=form, class_weight=classes)
    weighted.fit(frame, labels, sample_weight=weights)
    repeated = RuleClassifier(form=form, class_weight=classes)
    repeated.fit(*take(frame, labels, np.repeat(np.arange(len(labels)), weights)))
    assert same_rules(weighted, repeated, frame)
    assert sum(weighted.fitted_.sizes) == np.count_nonzero(weights)


@few
@given(tables, forms, seeds, st.integers(2, 3))
def test_repeating_a_class_changes_nothing_if_balanced(
    table: str, form: str, seed: int, times: int
) -> None:
    frame, labels = draw(table, seed)
    rows = np.repeat(np.arange(len(labels)), np.where(labels == labels.iloc[-1], times, 1))
    plain = RuleClassifier(form=form, class_weight="balanced").fit(frame, labels)
    more = RuleClassifier(form=form, class_weight="balanced").fit(*take(frame, labels, rows))
    assert same_rules(plain, more, frame)


@few
@given(tables, forms, seeds, st.booleans())
def test_the_rules_follow_every_change_of_names_and_order(
    table: str, form: str, seed: int, balanced: bool
) -> None:
    frame, labels = draw(table, seed)
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.5, 1.0, 2.25], len(labels))
    classes = sorted(set(labels))
    given: Mapping[str, float] = dict(zip(classes, (1.0, 2.5, 4.0), strict=False))
    old = RuleClassifier(form=form, class_weight="balanced" if balanced else given)
    old.fit(frame, labels, sample_weight=weights)
    rows = rng.permutation(len(labels))
    swapped = dict(zip(classes, classes[1:] + classes[:1], strict=True))
    columns = {name: f"z{i}" for i, name in enumerate(rng.permutation(frame.columns))}
    moved = {swapped[name]: weight for name, weight in given.items()}
    new = RuleClassifier(form=form, class_weight="balanced" if balanced else moved)
    changed = frame.rename(columns=columns)[list(columns.values())].assign(
        **{columns[name]: ~frame[name] for name in frame.select_dtypes("bool")},
    )
    new.fit(changed.iloc[rows], labels.map(swapped).iloc[rows], sample_weight=weights[rows])
    answers = pd.Series(old.predict(frame)).map(swapped)
    assert np.array_equal(new.predict(changed), answers)


@pytest.mark.parametrize("names", [*permutations("abc")])
def test_of_classes_that_weights_make_equal_the_larger_is_the_open_answer(names: Any) -> None:
    """Nothing else but the names tells the first class from the last."""
    large, middle, small = names
    labels = [large] * 9 + [middle] * 6 + [small] * 6
    table = pd.DataFrame({"c": ["no"] * 9 + [None] * 2 + ["yes"] * 4 + ["no"] * 6})
    weights = {large: 2, middle: 3, small: 3}
    learner = RuleClassifier(form="dnf", class_weight=weights).fit(table, labels)
    assert [str(one) for one in learner.predict(table.iloc[[0, 11]])] == [large, middle]


@pytest.mark.parametrize("form", ["dnf", "scorecard"])
@pytest.mark.parametrize("table", sorted(TABLES))
def test_the_symmetry_check_learns_from_the_copies(table: str, form: str) -> None:
    frame, labels = draw(table, 1)
    weights = 1 + np.arange(len(labels)) % 2
    fitted = RuleClassifier(form=form).fit(frame, labels, sample_weight=weights).fitted_
    trials = find_trials(fitted)
    assert trials.tasks[0][0].rows == weights.sum()
    assert all(check_symmetry(trials).values())


@pytest.mark.parametrize(
    ("weights", "copies"),
    [
        ([1, 2, 5], [1, 2, 5]),
        ([2, 4, 10], [2, 4, 10]),
        ([0.5, 1.0, 2.5], [1, 2, 5]),
        ([1.0, 1.5, 2.0], [2, 3, 4]),
        ([1.0, 1.1, 1.2], [1, 1, 1]),
        ([1e-300, 1.0, 1e300], [0, 0, 48]),
        ([2.0**52, 2.0**51, 2.0**50], [4, 2, 1]),
    ],
)
def test_weights_become_copies(weights: list[float], copies: list[int]) -> None:
    assert round_weights(np.array(weights, float), np.ones(3, int)).tolist() == copies


def test_copies_are_bounded() -> None:
    weights = np.random.default_rng(0).pareto(0.5, 1000) + 1e-3
    assert round_weights(weights, np.ones(1000, int)).sum() <= 16.5 * 1000


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 1, 1, -1], "a weight must be a number from 0 up, got -1.0 in row 3"),
        ([1, np.nan, 1, 1], "a weight must be a number from 0 up, got nan in row 1"),
        ([1, np.inf, 1, 1], "a weight must be a number from 0 up, got inf in row 1"),
        ([1, 1, 1], "there must be one weight for each of the 4 rows"),
        ([0, 0, 0, 0], "at least one weight must not be zero"),
        (["a", 1, 1, 1], "a weight must be a number"),
        ([1, 1, 0, 0], "labels must have at least 2 classes, got 1 class"),
    ],
)
def test_a_wrong_weight_is_refused(weights: list[Any], said: str) -> None:
    with pytest.raises(GnriError, match=said):
        RuleClassifier().fit([[0], [1], [2], [3]], [0, 0, 1, 1], sample_weight=weights)


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ({0: 2}, "class_weight has no weight for the class 1, only for \\[0\\]; add one"),
        ({0: 1, 1: 0}, "the weight of a class must be a number above 0, got 0 for 1"),
        ({0: 1, 1: "x"}, "the weight of a class must be a number above 0, got 'x' for 1"),
        ("even", "class_weight must be None, 'balanced' or a weight for each class"),
    ],
)
def test_a_wrong_class_weight_is_refused(classes: Any, said: str) -> None:
    with pytest.raises(GnriError, match=said):
        RuleClassifier(class_weight=classes).fit([[0], [1], [2], [3]], [0, 0, 1, 1])


def rare(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Few rows are positive, mostly where two of six columns are large."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, 6))
    odds = 1 / (1 + np.exp(6 - 2 * table[:, 0] - 2 * table[:, 1]))
    return table, (rng.random(rows) < odds).astype(int)


def test_balanced_classes_find_more_of_the_rare_one() -> None:
    (table, labels), (fresh, answers) = rare(2000, 0), rare(2000, 1)
    plain, balanced = (
        RuleClassifier(class_weight=one, max_clauses=3).fit(table, labels)
        for one in (None, "balanced")
    )
    found = [recall_score(answers, one.predict(fresh)) for one in (plain, balanced)]
    assert found[1] > found[0] + 0.2
    assert plain.fitted_.sizes == balanced.fitted_.sizes


def test_the_figures_of_the_rarer_class_are_those_of_scikit_learn(tmp_path) -> None:
    table, labels = rare(300, 3)
    learner = RuleClassifier(class_weight="balanced", max_clauses=2).fit(table, labels)
    found = cross_validate(learner.fitted_)
    shares = found.shares
    assert shares.rarest == 1
    assert shares.balanced_accuracy == pytest.approx(
        balanced_accuracy_score(found.codes, found.answers)
    )
    assert shares.recall == pytest.approx(recall_score(found.codes, found.answers))
    assert shares.precision == pytest.approx(precision_score(found.codes, found.answers))
    assert "learnt with weights" in learner.summary()
    page = learner.report(tmp_path / "r.html").read_text()
    assert "Balanced accuracy" in page
    assert f"from {learner.fitted_.copies.sum():,} copies of 300 rows" in page


def test_a_class_that_is_never_answered_has_no_precision() -> None:
    assert measure_classes(np.array([[9, 0], [1, 0]])).precision is None


def test_held_out_rows_count_once() -> None:
    frame, labels = draw("two classes", 0)
    fitted = RuleClassifier(class_weight="balanced").fit(frame, labels).fitted_
    found = cross_validate(fitted)
    assert np.array_equal(found.codes, fitted.codes)
    assert sorted(np.concatenate(found.folds).tolist()) == list(range(len(labels)))
