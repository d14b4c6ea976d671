"""RuleClassifier on tables as people have them."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.data.target import MOST_CLASSES
from gnri.episode import Episode
from gnri.errors import CheckpointError, GnriError
from gnri.estimator.multiclass import class_weights
from gnri.induction import induce, quick_rules
from gnri.rules.documents import from_json
from tests.estimator.tables import mushrooms, sizes


@pytest.fixture(scope="module")
def learnt() -> RuleClassifier:
    return RuleClassifier().fit(*mushrooms(300, seed=1))


@pytest.fixture(scope="module")
def learnt_sizes() -> RuleClassifier:
    return RuleClassifier().fit(*sizes(300, seed=1))


def test_it_learns_a_rule_of_a_mixed_table(learnt: RuleClassifier) -> None:
    table, labels = mushrooms(300, seed=2)
    assert list(learnt.rules_) == ["poisonous"] == list(learnt.classes_[1:])
    assert learnt.feature_names_in_.tolist() == list(table)
    assert learnt.atom_names_ == learnt.binarizer_.schema_.names
    assert learnt.score(table, labels) > max(np.mean(labels == "poisonous"), 0.8)


def test_the_rule_is_that_of_induce() -> None:
    table, labels = mushrooms(200, seed=3)
    learnt = RuleClassifier(binarize="median").fit(table, labels)
    values = Binarizer("median").fit_transform(table)
    episode = Episode(values, np.where(labels == "poisonous", 1, -1))
    assert learnt.rules_["poisonous"] == induce(episode).rule


def test_more_classes_are_asked_for_in_turn_each_on_the_rows_that_are_left() -> None:
    table, labels = sizes(200, seed=4)
    learnt = RuleClassifier(binarize=Binarizer(n_bins=10)).fit(table, labels)
    values, left = learnt.binarizer_.transform(table), np.ones(200, bool)
    assert list(learnt.rules_) == ["middling", "short", "tall"]
    first, second = (learnt.classes_[kind] for (kind,) in learnt.fitted_.groups)
    for label, classes in ((first, 3), (second, 2)):
        member = labels[left] == label
        weights = class_weights(int(member.sum()), len(member), classes)
        rule = induce(Episode(values[left], np.where(member, 1, -1), weights)).rule
        assert learnt.rules_[label] == rule
        left &= rule.evaluate(values) != 1
    assert learnt.rules_[learnt.classes_[learnt.rule_list_.default]] is None
    assert learnt.score(*sizes(300, seed=5)) > 0.8


def test_the_surest_class_comes_first() -> None:
    table, labels = sizes(200, seed=4)
    learnt = RuleClassifier(binarize=Binarizer(n_bins=10)).fit(table, labels)
    values = learnt.binarizer_.transform(table)
    sure = {}
    for label in learnt.classes_:
        member = labels == label
        weights = class_weights(int(member.sum()), len(member), 3)
        (rule,) = quick_rules([Episode(values, np.where(member, 1, -1), weights)])
        taken = member[rule.evaluate(values) == 1]
        sure[label] = (taken.sum() + 1) / (len(taken) + 2)
    (first,) = learnt.fitted_.groups[0]
    assert sure[learnt.classes_[first]] == max(sure.values())


@pytest.mark.parametrize("make", [mushrooms, sizes])
def test_every_answer_is_that_of_the_exported_rules(make, request) -> None:
    learnt = request.getfixturevalue("learnt" if make is mushrooms else "learnt_sizes")
    table, _ = make(200, seed=6)
    columns = {name: table[name].tolist() for name in table}
    assert from_json(learnt.to_json()).predict(columns) == learnt.predict(table).tolist()
    likeliest = learnt.predict_proba(table).argmax(axis=1)
    assert np.array_equal(learnt.classes_[likeliest], learnt.predict(table))
    assert [why.prediction for why in learnt.explain(table)] == learnt.predict(table).tolist()


def test_each_export_can_be_had(learnt: RuleClassifier) -> None:
    assert learnt.to_text().startswith("poisonous ")
    assert "AS prediction" in learnt.to_sql("forest")
    assert "def predict(" in learnt.to_python()
    assert "prediction(" in learnt.to_prolog()
    assert r"\begin" in learnt.to_latex()
    assert set(learnt.to_frame()["class"]) == {"poisonous"}


def test_an_explanation_names_the_clauses_that_fired(learnt: RuleClassifier) -> None:
    table, _ = mushrooms(50, seed=7)
    truth = learnt.rules_["poisonous"].evaluate(learnt.binarizer_.transform(table))
    fired = [bool(why.fired) for why in learnt.explain(table)]
    positive = learnt.rules_["poisonous"].positive
    assert fired == [sign == (1 if positive else -1) for sign in truth]


def test_a_row_of_missing_cells_gets_the_most_frequent_class(learnt: RuleClassifier) -> None:
    _, labels = mushrooms(300, seed=1)
    nothing = pd.DataFrame([[None] * 5], columns=learnt.feature_names_in_)
    assert learnt.predict(nothing).tolist() == [labels.mode()[0]]


def test_unseen_categories_are_answered(learnt: RuleClassifier) -> None:
    table, _ = mushrooms(20, seed=8)
    strange = table.assign(odor="fishy", spore="purple")
    assert set(learnt.predict(strange)) <= set(learnt.classes_)


def test_where_the_model_abstains_the_rule_is_none() -> None:
    """Both labels are alike here, so no symmetric model can prefer a rule."""
    learnt = RuleClassifier().fit([[0, 1], [1, 0]] * 4, [0, 1] * 4)
    assert learnt.rules_ == {1: None}
    assert learnt.predict([[1, 0]]).tolist() == [0]
    assert learnt.predict_proba([[1, 0]]).tolist() == [[0.5, 0.5]]
    assert [why.reason for why in learnt.explain([[1, 0]])] == ["there is no rule"]


def test_row_and_column_order_do_not_matter(learnt: RuleClassifier) -> None:
    table, labels = mushrooms(300, seed=1)
    order = np.random.default_rng(0).permutation(300)
    again = RuleClassifier().fit(table.iloc[order, ::-1], labels.iloc[order])
    assert np.array_equal(again.predict(table.iloc[:, ::-1]), learnt.predict(table))


def test_an_array_for_a_frame_is_one_warning() -> None:
    frame = pd.DataFrame({"a": [0, 1, 2, 3] * 10})
    classifier = RuleClassifier().fit(frame, frame["a"] > 1)
    with pytest.warns(UserWarning, match="does not have valid feature names") as caught:
        classifier.predict(frame.to_numpy())
    assert len(caught) == 1


def test_labels_of_any_type_come_back() -> None:
    table, labels = mushrooms(100, seed=9)
    for classes in ([False, True], [7, 3], [0.0, 1.0], ["b", "a"]):
        y = np.where(labels == "edible", *classes)
        learnt = RuleClassifier().fit(table, y)
        assert learnt.classes_.tolist() == sorted(classes)
        assert learnt.predict(table).dtype == y.dtype


def test_its_own_binarizer_is_used_and_left_alone() -> None:
    table, labels = sizes(100, seed=10)
    mine = Binarizer(thresholds={"length": [-0.5, 0.5]}).set_output(transform="pandas")
    learnt = RuleClassifier(binarize=mine).fit(table, labels)
    assert learnt.binarizer_.thresholds_["length"] == [-0.5, 0.5]
    assert not hasattr(mine, "schema_")


def test_the_output_set_for_transformers_does_not_matter(learnt: RuleClassifier) -> None:
    table, labels = mushrooms(300, seed=1)
    with config_context(transform_output="pandas"):
        again = RuleClassifier().fit(table, labels)
        assert again.rules_ == learnt.rules_
        assert isinstance(again.binarizer_.transform(table), np.ndarray)
        assert np.array_equal(again.predict(table), learnt.predict(table))


def test_clone_forgets_what_was_learnt(learnt: RuleClassifier) -> None:
    assert not hasattr(clone(learnt), "rule_list_")
    assert clone(learnt).get_params() == {
        "model": "guided",
        "refine": True,
        "binarize": "auto",
        "max_clauses": None,
        "max_literals": None,
        "negations": True,
        "form": "auto",
        "max_lines": None,
        "max_conditions": None,
        "keep_twins": False,
        "class_weight": None,
        "use": (),
        "objective": "accuracy",
        "min_precision": None,
        "min_recall": None,
        "costs": None,
        "forbid": None,
        "require": None,
        "monotone": None,
        "thresholds": None,
        "special": None,
        "prices": None,
        "keep": None,
    }


def test_pickle_and_joblib(learnt: RuleClassifier, tmp_path) -> None:
    table, _ = mushrooms(50, seed=11)
    joblib.dump(learnt, tmp_path / "learnt.joblib")
    for again in (pickle.loads(pickle.dumps(learnt)), joblib.load(tmp_path / "learnt.joblib")):
        assert again.rules_ == learnt.rules_
        assert np.array_equal(again.predict_proba(table), learnt.predict_proba(table))


def test_a_pickled_classifier_predicts_without_torch(learnt: RuleClassifier, tmp_path) -> None:
    table, _ = mushrooms(20, seed=12)
    path = tmp_path / "learnt.pickle"
    path.write_bytes(pickle.dumps((learnt, table)))
    code = (
        "import pickle, pathlib, sys;"
        f"learnt, table = pickle.loads(pathlib.Path({str(path)!r}).read_bytes());"
        "print(*learnt.predict(table), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == [*learnt.predict(table), "False"], done.stderr


def test_pipeline_grid_search_and_cross_validation() -> None:
    table, labels = sizes(120, seed=13)
    pipeline = make_pipeline(FunctionTransformer(), RuleClassifier(binarize=Binarizer()))
    grid = {"ruleclassifier__binarize__n_bins": [2, 6]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(table, labels)
    assert search.best_params_ == {"ruleclassifier__binarize__n_bins": 6}
    assert cross_val_score(RuleClassifier(), table, labels, cv=2).mean() > 0.7


def test_it_reads_a_public_table() -> None:
    table, labels = load_breast_cancer(return_X_y=True, as_frame=True)
    assert cross_val_score(RuleClassifier(), table, labels, cv=3).mean() > 0.88


@pytest.mark.parametrize("wrong", ["mean", None, 3, Binarizer])
def test_a_wrong_binarize_is_refused(wrong: object) -> None:
    with pytest.raises(GnriError, match="binarize must be 'auto', 'median' or a Binarizer"):
        RuleClassifier(binarize=wrong).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("wrong", [5, None, RuleClassifier])
def test_what_is_no_model_is_refused(wrong: object) -> None:
    with pytest.raises(GnriError, match="model must be the name of a bundled model, the folder"):
        RuleClassifier(wrong).fit([[1], [2]], ["a", "b"])


def test_one_class_is_named_as_python_writes_it() -> None:
    with pytest.raises(GnriError, match="got 1 class, 'a'; add"):
        RuleClassifier().fit([[1], [2]], np.array(["a", "a"]))


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(
        CheckpointError, match=r"a bundled one \(gnri, gnri-wide, guided\) or .* got 'no such"
    ):
        RuleClassifier(model="no such model").fit([[0], [1]], [0, 1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 4, "at least 2 classes, got 1 class, 'a'"),
        (["a", None, "b", "b"], "row 1 has none; drop the row"),
        (["a", "b", "b", float("nan")], "row 3 has none; drop the row"),
        ([1.0, 2.0, np.nan, 1.0], "Input y contains NaN"),
        ([0.1, 0.2, 0.3, 0.4], "Unknown label type"),
        (["a", "b"], "inconsistent numbers of samples"),
    ],
)
def test_labels_that_cannot_be_used(labels: list[object], message: str) -> None:
    series = pd.Series(labels, dtype=object if isinstance(labels[0], str) else None)
    with pytest.raises(ValueError, match=message):
        RuleClassifier().fit([[0], [1], [2], [3]], series)


def test_a_label_of_5000_values_is_refused() -> None:
    labels = np.repeat(np.arange(5_000), 2)
    with pytest.raises(GnriError, match=f"at most {MOST_CLASSES} classes, got 5000"):
        RuleClassifier().fit(labels[:, None], labels)


def test_constant_and_missing_columns_are_left_out_of_10000() -> None:
    table = np.full((40, 10_000), np.nan)
    table[:, :9_999] = 1.0
    table[:, 77] = np.arange(40)
    learnt = RuleClassifier().fit(table, np.arange(40) > 25)
    assert {atom.column for atom in learnt.schema_.atoms} == {"x77"}
    assert learnt.score(table, np.arange(40) > 25) > 0.8


@pytest.mark.slow
def test_a_table_of_10000_columns_is_read() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 10_000))
    learnt = RuleClassifier().fit(table, table[:, 5] > 0)
    assert len(learnt.atom_names_) == 10_000
    assert len(learnt.predict(table)) == 60
