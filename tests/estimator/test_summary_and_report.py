"""What a fitted classifier says about itself: statistics, short rules, a report."""

import html
import json
import pickle
import re
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_predict

from gnri.classifier import RuleClassifier
from gnri.counts.counter import Counter
from gnri.data.binarizer import Binarizer
from gnri.data.frames import from_frame
from gnri.errors import GnriError
from gnri.estimator.cross_validation import deal_rows
from gnri.estimator.statistics import measure_rules
from gnri.model.load import load_model
from gnri.report.coverage import measure_lines
from gnri.rules.documents import from_json
from tests.estimator.tables import mushrooms, sizes
from tests.formats.hostile import HOSTILE
from tests.report.pages import Page

TINY = Path(__file__).parents[1] / "data" / "tiny-model"


@pytest.fixture(scope="module")
def learnt() -> RuleClassifier:
    return RuleClassifier().fit(*mushrooms(300, seed=1))


@pytest.fixture(scope="module")
def learnt_sizes() -> RuleClassifier:
    return RuleClassifier().fit(*sizes(150, seed=1))


def text_of(learnt: RuleClassifier, folder: Path, **options: object) -> str:
    found = Page(learnt.report(folder / "report.html", **options).read_text(encoding="utf-8"))
    assert found.faults == []
    return found.text


def test_cards_are_of_the_training_rows(learnt: RuleClassifier) -> None:
    table, labels = mushrooms(300, seed=1)
    values, codes = learnt.binarizer_.transform(table), np.searchsorted(learnt.classes_, labels)
    counter = Counter.from_values(values, codes, len(learnt.classes_))
    assert learnt.statistics_ == measure_rules(counter, learnt.fitted_.minimized)
    (foul,) = [
        one for card in learnt.statistics_ for one in card.clauses if one.text == "odor = foul"
    ]
    assert foul.rows.tolist() == np.flatnonzero(table["odor"] == "foul").tolist()
    assert "odor = foul" in learnt.summary()
    json.dumps([card.as_dict() for card in learnt.statistics_], allow_nan=False)


def test_what_is_printed_is_short_and_what_is_saved_is_whole() -> None:
    """Two columns that agree on all rows stay both; what one column says twice is said once."""
    rng = np.random.default_rng(0)
    age, noise = rng.integers(0, 100, 200), rng.integers(0, 9, 200)
    table = pd.DataFrame({"age": age, "months": age * 12, "noise": noise})
    learnt = RuleClassifier(keep_twins=True).fit(table, age > 50)
    assert from_json(learnt.to_json()) == learnt.rule_list_
    assert learnt.fitted_.minimized.rules[0].size <= learnt.rule_list_.rules[0].size
    assert "age" in learnt.to_text()
    assert "months" in learnt.to_text()
    assert learnt.fitted_.minimized.choose(learnt.binarizer_.transform(table)).tolist() == (
        learnt.rule_list_.choose(learnt.binarizer_.transform(table)).tolist()
    )


def test_a_report_says_all_of_it(learnt: RuleClassifier, tmp_path: Path) -> None:
    fresh, labels = mushrooms(40, seed=9)
    text = text_of(learnt, tmp_path, test=(fresh, labels))
    right = int(np.sum(learnt.predict(fresh) == labels))
    assert f"Right on {right} of 40 rows" in text
    assert "On rows kept out" in text
    assert "On unseen rows, in 5-fold cross-validation" in text
    assert "On the training rows" in text
    assert text.count("✓ exactly that") == 5
    assert "odor = foul" in text
    assert "RuleClassifier()" in text


def test_a_report_of_three_classes(learnt_sizes: RuleClassifier, tmp_path: Path) -> None:
    text = text_of(learnt_sizes, tmp_path, folds=2)
    assert "in 2-fold cross-validation" in text
    assert text.count("✓ exactly that") == 5
    for label in ("short", "tall", "middling"):
        assert f"answered {label}" in text


@pytest.mark.parametrize("table", [mushrooms, sizes])
@pytest.mark.parametrize("form", ["scorecard", "auto"])
def test_a_report_of_points(table: Any, form: str, tmp_path: Path) -> None:
    learnt = RuleClassifier(form=form).fit(*table(150, seed=1))
    text = text_of(learnt, tmp_path, folds=2)
    assert text.count("✓ exactly that") == 5
    assert ("RuleClassifier()" if form == "auto" else f"RuleClassifier(form='{form}')") in text
    for lines in measure_lines(learnt.fitted_):
        assert bool(lines) == (learnt.rule_list_.unit is not None)
        for name, cells in lines:
            assert name in text
            assert sum(cell.rows for cell in cells) == 150
    if form == "scorecard":
        scaled = text_of(learnt, tmp_path, folds=0, points_scale=(600, 50, 20))
        assert "begin with" in scaled and "600 points are odds of 50 to 1" in scaled
        assert "look up the points of each line" in text and "or </span>" not in text
    again = text_of(pickle.loads(pickle.dumps(learnt)), tmp_path)
    assert "was not checked here" in again


def test_no_row_is_answered_by_rules_that_saw_it(tmp_path: Path) -> None:
    """On labels by chance a leak would show: the figures are those of classifiers of the others."""
    rng = np.random.default_rng(5)
    table, labels = rng.random((60, 8)) < 0.5, rng.integers(0, 3, 60)
    folds, repeats, together = deal_rows(from_frame(table), labels, 3)
    assert (repeats, together) == (6, True)
    right = int(np.sum(cross_val_predict(RuleClassifier(), table, labels, cv=folds) == labels))
    text = text_of(RuleClassifier().fit(table, labels), tmp_path, folds=3)
    before, _, after = text.partition("in 3-fold")
    assert f"Right on {right} of 60 rows" in after.partition("On the training rows")[0]
    assert f"{100 * right / 60:.1f} % of unseen rows right (3 folds" in " ".join(before.split())


def test_the_same_table_gives_the_same_report(tmp_path: Path) -> None:
    pages = [
        RuleClassifier().fit(*mushrooms(80, seed=2)).report(tmp_path / f"{i}.html").read_bytes()
        for i in range(2)
    ]
    assert pages[0] == pages[1]


def test_parameters_are_in_the_recipe(tmp_path: Path) -> None:
    learnt = RuleClassifier(max_clauses=2, negations=False).fit(*mushrooms(80, seed=3))
    text = text_of(learnt, tmp_path, folds=0)
    assert "RuleClassifier(max_clauses=2, negations=False)" in text
    assert "nothing is promised" in text
    assert "cross-validation" not in text


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_clauses": np.int64(2), "negations": False},
        {"binarize": Binarizer(thresholds={})},
        {"binarize": Binarizer(n_bins=4, thresholds={"ring\n'age'": np.arange(1, 300) / 16})},
        {"model": load_model("gnri"), "refine": False},
        {"model": load_model(TINY)},
        {"model": TINY},
        {"form": "scorecard", "max_lines": 2},
        {"form": "scorecard", "max_conditions": 2, "keep_twins": True},
    ],
)
def test_the_recipe_runs_and_gives_the_same_page(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, labels = mushrooms(60, seed=4)
    table = table.assign(**{"ring\n'age'": np.arange(60) % 20})
    learnt = RuleClassifier(**options).fit(table, labels)
    source = learnt.report("first.html", test=(table, labels), folds=2).read_text(encoding="utf-8")
    names = {"X": table, "y": labels, "X_test": table, "y_test": labels}
    exec(recipe_in(source), names | {"model": options.get("model")})
    assert Path("report.html").read_text(encoding="utf-8") == source


def recipe_in(source: str) -> str:
    found = re.search(r"<pre>(.*?)</pre>", source, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


@pytest.mark.parametrize("way", ["pickle", "joblib"])
def test_a_saved_classifier_keeps_its_cards_and_not_the_table(
    way: str, learnt: RuleClassifier, tmp_path: Path
) -> None:
    cells = mushrooms(300, seed=1)[0].select_dtypes("number").iloc[:, 0].to_numpy().tobytes()
    if way == "pickle":
        again = pickle.loads(pickle.dumps(learnt))
    else:
        joblib.dump(learnt, tmp_path / "learnt.joblib")
        again = joblib.load(tmp_path / "learnt.joblib")
    assert learnt.fitted_.values is not None and learnt.fitted_.table is not None
    assert again.fitted_.values is None and again.fitted_.table is None
    assert cells not in pickle.dumps(learnt)
    assert again.statistics_ == learnt.statistics_
    assert (
        again.statistics_[0].clauses[0].rows.tolist()
        == learnt.statistics_[0].clauses[0].rows.tolist()
    )
    text = text_of(again, tmp_path)
    assert "was not checked here" in text
    assert "cross-validation" not in text
    assert "the same rules." in text and "this same page" not in text
    assert "On the training rows" in text


def test_a_few_rows_have_as_many_folds_as_on_the_command_line(tmp_path: Path) -> None:
    few = RuleClassifier().fit([[0], [1], [2], [3], [4], [5]], [0, 0, 0, 0, 1, 1])
    assert "in 2-fold cross-validation" in text_of(few, tmp_path)
    fewest = RuleClassifier().fit([[0], [1], [2], [3], [4], [5]], [0, 0, 0, 0, 0, 1])
    assert "not measured: a class has one row only" in text_of(fewest, tmp_path)
    assert "not measured: there are fewer rows than 7 folds" in text_of(few, tmp_path, folds=7)


def test_a_column_that_varies_in_one_fold_has_no_cross_validation(tmp_path: Path) -> None:
    learnt = RuleClassifier().fit([[0]] * 14 + [[1]], [0, 1, 1] * 5)
    assert "cross-validation" not in text_of(learnt, tmp_path)


def test_where_there_is_no_rule_there_is_still_a_report(tmp_path: Path) -> None:
    learnt = RuleClassifier(form="dnf").fit([[0, 1], [1, 0]] * 8, [0, 1] * 8)
    assert learnt.rules_ == {1: None}
    assert "no rule" in text_of(learnt, tmp_path)
    assert learnt.summary().startswith("1: no rule\n\nThere is no rule: ")


@pytest.mark.parametrize("text", HOSTILE[::6], ids=ascii)
def test_hostile_names_are_reported(text: str, tmp_path: Path) -> None:
    table = pd.DataFrame({text: [text, "b", "c"] * 8, "n": np.arange(24) % 7})
    labels = np.where(table[text] == text, text, "other")
    learnt = RuleClassifier().fit(table, labels)
    text_of(learnt, tmp_path, folds=2)
    assert all(line.isprintable() for line in learnt.summary().split("\n"))


def test_wrong_reports_are_refused(learnt: RuleClassifier, tmp_path: Path) -> None:
    fresh, _ = mushrooms(5, seed=9)
    with pytest.raises(GnriError, match="a test label must be one of the 2 classes, got 'mouldy'"):
        learnt.report(tmp_path / "report.html", test=(fresh, ["mouldy"] * 5))
    for folds in (1, -1, True, 2.5):
        with pytest.raises(GnriError, match="folds must be 0"):
            learnt.report(tmp_path / "report.html", folds=folds)
    with pytest.raises(GnriError, match="cannot be written"):
        learnt.report(tmp_path / "nowhere" / "report.html", folds=0)
    with pytest.raises(NotFittedError):
        RuleClassifier().report(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_some_classes_may_have_no_rule() -> None:
    """Whether a row is rare is chance here, so nothing is said of it; the others have rules."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (400, 3)).astype(bool)
    chance = np.where(rng.random(400) < 0.1, "rare", "common")
    labels = np.where(table[:, 2], "known", chance)
    learnt = RuleClassifier().fit(table, labels)
    assert [label for label, rule in learnt.rules_.items() if rule] == ["known"]
    assert [(card.label, len(card.clauses)) for card in learnt.statistics_] == [
        ("known", 1),
        ("rare", 0),
    ]
    expected = np.where(table[:, 2], "known", "common")
    assert learnt.predict(table).tolist() == expected.tolist()
    assert np.array_equal(
        learnt.classes_[learnt.predict_proba(table).argmax(axis=1)], learnt.predict(table)
    )
    assert [why.prediction for why in learnt.explain(table)] == learnt.predict(table).tolist()
