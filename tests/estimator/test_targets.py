"""Objectives, floors and costs are met on rows held out, and move with their class."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gnri.classifier import RuleClassifier
from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.errors import GnriError
from gnri.estimator.aims import Aim
from gnri.estimator.cross_validation import cross_validate
from gnri.estimator.point_tables import sample_codes
from gnri.estimator.settings import FitSettings
from gnri.estimator.targets import (
    Point,
    Setup,
    TargetLearner,
    choose,
    copy_classes,
    list_setups,
)
from gnri.estimator.trials import find_trials, learn_task
from gnri.report.facts import check_symmetry
from gnri.rules.row_expression import sample_of
from gnri.symmetry.group import Symmetry
from gnri.symmetry.table_task import TableTask, negate_columns
from tests.estimator.tables import mushrooms, sizes

FORMS = ("dnf", "scorecard", "checklist", "auto")
SMALL: dict[str, dict[str, Any]] = {
    "dnf": {"form": "dnf", "max_clauses": 1, "max_literals": 2},
    "scorecard": {"form": "scorecard", "max_literals": 1, "max_lines": 3},
}
"""What is learnt quickly."""
TARGETS: tuple[dict[str, Any], ...] = (
    {"objective": "balanced_accuracy"},
    {"objective": "f1"},
    {"min_precision": {"a": 0.6}},
    {"min_recall": {"b": 0.9}, "min_precision": {"a": 0.3}},
    {"costs": {("a", "b"): 5}, "class_weight": {"a": 1, "b": 2}},
)
few = settings(max_examples=max(2, settings.default.max_examples // 30))
"""Each example takes many fits."""


def rare(rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of which an eighth is rare, with missing cells and wrong labels."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, 3)).round(1)
    score = numbers[:, 0] + numbers[:, 1] + rng.normal(size=rows) * 0.4
    frame = pd.DataFrame(numbers, columns=["x", "y", "z"]).mask(rng.random((rows, 3)) < 0.05)
    return frame, np.where(score > np.quantile(score, 0.875), "rare", "usual")


def draw_task(seed: int) -> TableTask:
    """A small table full of ties, of classes of unequal size."""
    rng = np.random.default_rng(seed)
    values = rng.choice([-1, -1, 0, 1, 1], size=(18, 3)).astype(np.int8)
    values = np.repeat(values, rng.integers(1, 3, 18), axis=0)
    codes = ((values[:, 0] > 0) & (values[:, 1] >= 0)).astype(np.intp)
    codes[rng.random(len(codes)) < 0.1] ^= 1
    codes[:3] = 1, 0, 0
    schema = Schema(tuple(IsTrue(f"c{i}") for i in range(3)))
    return TableTask(schema, values, codes, 2, ("a", "b"))


@few
@given(st.integers(0, 2**16), st.sampled_from(FORMS), st.sampled_from(TARGETS))
@example(34, "dnf", TARGETS[2])
@example(7, "scorecard", TARGETS[4])
def test_rules_follow_when_a_floor_moves_with_its_class(
    seed: int, form: str, target: dict[str, Any]
) -> None:
    task = draw_task(seed)
    if len(set(np.bincount(task.codes))) == 1:
        return  # only names can tell two equal classes apart
    g = negate_columns(Symmetry.random)(task, rng=np.random.default_rng(seed))  # type: ignore[arg-type]
    options = FitSettings(form=form, **target)
    image = g(task)
    assert image.names == (("b", "a") if g.label else ("a", "b"))
    assert g(learn_task(task, options)) == learn_task(image, options)


def test_points_that_tie_go_to_the_larger_class_whatever_its_weight() -> None:
    """With full weights all classes are equally large; then a name must not decide."""
    counts = np.array([[3, 0, 2], [0, 0, 2], [6, 6, 2]])  # of each cell, by class
    values = np.repeat([-1, 0, 1], counts.sum(axis=1)).astype(np.int8)[:, None]
    codes = np.concatenate([np.repeat(np.arange(3), row) for row in counts])
    task = TableTask(Schema((IsTrue("c0"),)), values, codes, 3, ("a", "b", "c"))
    turned = replace(task, codes=2 - codes, names=("c", "b", "a"))
    options = FitSettings(
        form="scorecard", min_precision={"a": 0.3}, min_recall={"b": 0.9}, max_lines=3
    )
    rules, image = (learn_task(one, options).rule_of for one in (task, turned))
    assert image == {2 - kind: rule for kind, rule in rules.items()}


@pytest.mark.parametrize("form", ["dnf", "scorecard"])
def test_points_are_counted_on_rows_held_out(form: str) -> None:
    """The slow version: a rule of each part, asked row by row."""
    task = draw_task(3)
    counter = Counter.from_values(task.values, task.codes, 2)
    options = FitSettings(form=form, objective="balanced_accuracy")
    names = np.array(task.names)
    learner = TargetLearner(options, task.schema, names, counter, options.learner())
    setups = list_setups(options, Aim.read(options, names, counter.rows.tolist()), names)
    setups = setups[:2]
    points = learner.measure(setups)
    codes = sample_codes(counter, 3)
    wanted: dict[tuple[Setup, int], Any] = {}
    for setup in setups:
        for part in range(5):
            sample = sample_of(codes, 5, part)
            hidden = counter.without(~sample).table()
            shown = counter.without(sample)
            if not sum(shown.rows) or hidden is None or not len(hidden[1]):
                continue
            rules = learner.learn([setup], shown)[setup].rules
            for point in points:
                if point.setup != setup:
                    continue
                answers = rules.choose(hidden[0])
                if point.shift:
                    margins = rules.margins(hidden[0])[:, 0] if rules.steps else 0 * answers
                    answers = np.where(
                        margins == point.shift, rules.default, margins > point.shift
                    ).astype(int)
                counts = wanted.setdefault((setup, point.shift), np.zeros((2, 2), int))
                np.add.at(counts, (hidden[1], answers), 1)
    assert len(points) == len(wanted) > 1
    for point in points:
        assert np.array_equal(point.counts, wanted[point.setup, point.shift])


@pytest.mark.parametrize("form", SMALL)
def test_the_chosen_point_meets_its_floor(form: str) -> None:
    frame, labels = rare()
    fitted = RuleClassifier(**SMALL[form], min_recall=0.7).fit(frame, labels)
    (chosen,) = (one for one in fitted.fitted_.points if one["chosen"])
    assert chosen["recall"] >= 0.7
    met = [one for one in fitted.fitted_.points if one["recall"] >= 0.7 and one["precision"]]
    assert chosen["precision"] == max(one["precision"] for one in met)
    by_name = RuleClassifier(**SMALL[form], min_recall={"rare": 0.7}).fit(frame, labels)
    assert by_name.rule_list_ == fitted.rule_list_


@pytest.mark.parametrize("form", SMALL)
@pytest.mark.parametrize("weights", [None, {"rare": 3, "usual": 1}])
def test_a_fold_is_learnt_at_the_same_target(form: str, weights: dict[str, int] | None) -> None:
    frame, labels = rare()
    given = {**SMALL[form], "min_recall": {"rare": 0.7}, "class_weight": weights}
    fitted = RuleClassifier(**given).fit(frame, labels).fitted_
    rows = np.arange(len(labels))
    found = cross_validate(fitted, parts=[(rows, rows)])
    assert np.array_equal(found.answers, fitted.answers)
    plain = RuleClassifier(**SMALL[form]).fit(frame, labels).fitted_
    assert weights is not None or not np.array_equal(found.answers, plain.answers)
    (rules,) = found.rules
    assert rules is not None and rules.predict(frame) == fitted.minimized.predict(frame)


@pytest.mark.parametrize("form", SMALL)
def test_the_audit_learns_at_the_same_target(form: str) -> None:
    frame, labels = mushrooms(40, 1)
    name = str(pd.Series(labels).value_counts().index[-1])
    fitted = RuleClassifier(**SMALL[form], min_recall={name: 0.6}).fit(frame, labels).fitted_
    trials = find_trials(fitted)
    task, found = trials.tasks[0]
    assert task.names == tuple(fitted.classes.tolist())
    assert trials.learn(task) == found
    assert all(check_symmetry(trials).values())


def test_rows_of_a_weight_are_copies_at_a_target() -> None:
    frame, labels = rare(80)
    weights = np.random.default_rng(0).integers(1, 3, len(labels))
    places = np.repeat(np.arange(len(labels)), weights)
    one, other = (RuleClassifier(**SMALL["scorecard"], objective="f1") for _ in range(2))
    one.fit(frame, labels, sample_weight=weights)
    other.fit(frame.iloc[places].reset_index(drop=True), labels[places])
    assert one.rule_list_ == other.rule_list_
    assert one.fitted_.points == other.fitted_.points


def test_copies_of_a_class_are_no_evidence() -> None:
    counter = Counter.from_values(np.ones((4, 1), np.int8), np.array([0, 0, 0, 1]), 2)
    copied = copy_classes(counter, (1, 3))
    assert copied.rows.tolist() == [3, 3] and copied.row_copies == 2
    assert copy_classes(counter, (2, 2)).row_copies == 1


def test_several_classes_and_cross_validation() -> None:
    frame, labels = sizes(40, 0)
    name = sorted(set(labels))[0]
    costs = {(name, other): 4 for other in set(labels) - {name}}
    for target in ({"objective": "f1"}, {"costs": costs}, {"min_recall": {name: 0.5}}):
        classifier = RuleClassifier(**SMALL["dnf"], **target).fit(frame, labels)
        assert classifier.score(frame, labels) > 0.5
        assert not classifier.fitted_.points
    assert cross_validate(classifier.fitted_, folds=2).accuracy > 0.4
    with pytest.raises(GnriError, match="of two classes, and there are 3"):
        classifier.operating_points()


def test_operating_points_of_plain_rules() -> None:
    frame, labels = rare()
    classifier = RuleClassifier(**SMALL["scorecard"]).fit(frame, labels)
    assert not classifier.fitted_.points
    points = classifier.operating_points()
    assert list(points) == ["total", "precision", "recall", "cost", "rows", "chosen"]
    assert points["total"].is_monotonic_increasing and points["rows"].is_monotonic_increasing
    (chosen,) = points["total"][points["chosen"]]
    assert f"from {chosen:g} points on" in classifier.to_text()
    clauses = RuleClassifier(**SMALL["dnf"]).fit(frame, labels).operating_points()
    assert clauses["weight"][clauses["chosen"]].tolist() == [1.0]


@pytest.mark.parametrize("form", ["dnf", "scorecard"])
@pytest.mark.parametrize("copies", [{"rare": 9, "usual": 1}, {"rare": 2, "usual": 3}])
def test_operating_points_count_each_row_once(form: str, copies: dict[str, int]) -> None:
    frame, labels = rare()
    plain = RuleClassifier(**SMALL[form]).fit(frame, labels, [copies[one] for one in labels])
    for fitted in (plain, RuleClassifier(**SMALL[form], class_weight=copies).fit(frame, labels)):
        points = fitted.operating_points()
        assert points["rows"].max() <= len(labels)
        right, of_class = points["rows"] * points["precision"].fillna(0), np.sum(labels == "rare")
        assert np.allclose(points["recall"] * of_class, right)
    if form == "dnf":
        assert points["weight"][points["chosen"]].tolist() == [copies["rare"] / copies["usual"]]


def test_operating_points_of_weighted_rules_are_those_of_such_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame, labels = rare()
    weighted = RuleClassifier(form="dnf", class_weight={"rare": 9, "usual": 1}).fit(frame, labels)
    learnt, measure = [], TargetLearner.measure

    def learn_first(learner: TargetLearner, setups: Any) -> list[Point]:
        learnt.append(learner.learn(setups[:1], learner.counter)[setups[0]].rules)
        return measure(learner, setups[:1])

    monkeypatch.setattr(TargetLearner, "measure", learn_first)
    assert weighted.operating_points()["chosen"].tolist() == [True]
    assert learnt[0].rules == weighted.fitted_.learnt.rules


def test_operating_points_are_drawn() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    frame, labels = rare()
    ax = RuleClassifier(**SMALL["scorecard"]).fit(frame, labels).plot_operating_points()
    assert ax.get_xlabel() == "recall on rows held out"
    assert [text.get_text().split()[0] for text in ax.texts] == ["total"]


def point(*counts: tuple[int, int], shift: int = 0, distance: int = 0, form: str = "dnf") -> Point:
    return Point(Setup(form, (1, 1), None, distance), shift, counts, counts)


def aim(**options: Any) -> Aim:
    return Aim.read(FitSettings(**options), np.array(["no", "yes"]), [90, 10])


def test_ties_go_to_the_plain_point_and_never_to_the_first() -> None:
    same = (80, 10), (2, 8)
    plain = point((85, 5), (5, 5))
    low, high = point(*same, shift=-2), point(*same, shift=2)
    assert choose([plain, low, high], aim(objective="balanced_accuracy")) == plain
    assert choose([high, low, plain], aim(objective="balanced_accuracy")) == plain
    near = point(*same, distance=1)
    assert choose([near, point(*same, distance=2), plain], aim(objective="f1")) == near


def test_points_must_be_better_than_clauses() -> None:
    clauses = point((81, 9), (1, 9))
    equal = point((81, 9), (1, 9), form="scorecard")
    better = point((85, 5), (1, 9), form="scorecard")
    assert choose([equal, clauses], aim(objective="balanced_accuracy")) == clauses
    assert choose([better, clauses], aim(objective="balanced_accuracy")) == better


def test_scores_are_exact_shares() -> None:
    counts = (80, 10), (2, 8)
    assert aim(objective="balanced_accuracy").rank(counts, counts)[1] == Fraction(
        8, 10
    ) / 2 + Fraction(4, 9)
    assert aim(objective="f1").rank(counts, counts)[1] == Fraction(16, 28)
    assert aim(costs={("yes", "no"): 5}).cost(counts) == 20
    # Of 9 answers 8 are right, and one more false one is counted: 8 of 10.
    answered = (89, 1), (2, 8)
    assert aim(min_precision=0.8).rank(answered, answered)[0] == 1
    assert aim(min_precision=0.81).rank(answered, answered)[0] == Fraction(80, 81)


def test_the_best_of_many_thresholds_is_not_believed() -> None:
    """What thresholds near by say decides, and a floor for precision must hold there too."""
    plain, lucky = point((90, 0), (10, 0)), point((88, 2), (2, 8), shift=4, distance=1)
    lucky = lucky._replace(near=point((80, 10), (6, 4)).counts)
    steady = point((84, 6), (3, 7), shift=-4, distance=1)
    assert choose([plain, lucky, steady], aim(objective="balanced_accuracy")) == steady
    said = aim(min_precision=0.7).explain(lucky.counts, lucky.near)
    assert said is not None and "precision 0.27 at recall 0.80 (8 of 10 such" in said
    assert aim(min_precision=0.7).explain(lucky.counts, lucky.counts) is None


@pytest.mark.parametrize("target", [{"objective": "balanced_accuracy"}, {"min_precision": 0.5}])
def test_thresholds_near_by_are_a_point_apart(target: dict[str, Any]) -> None:
    task = draw_task(5)
    counter = Counter.from_values(task.values, task.codes, 2)
    options, names = FitSettings(form="scorecard", **target), np.array(task.names)
    learner = TargetLearner(options, task.schema, names, counter, options.learner())
    setups = list_setups(options, Aim.read(options, names, counter.rows.tolist()), names)
    points = learner.measure(setups)
    assert len(setups) == 3
    for setup in setups:
        own = {one.shift: np.array(one.counts) for one in points if one.setup == setup}
        for one in points:
            if one.setup == setup:
                beside = [
                    own[min(max(one.shift + 2 * i, min(own)), max(own))] for i in range(-2, 3)
                ]
                wanted = sum(w * n for w, n in zip((1, 2, 3, 2, 1), beside, strict=True))
                assert (9 * np.array(one.near) == wanted).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"objective": "auc"}, "objective must be one of accuracy, balanced_accuracy, f1"),
        ({"min_precision": 0.999}, "precision 0.999 of 'rare' cannot be reached on rows held out"),
        ({"min_recall": 1.5}, "min_recall must be above 0 and at most 1"),
        ({"min_recall": {"none": 0.5}}, "min_recall names the class 'none'"),
        ({"costs": {"rare": 1}}, "costs must be such as"),
        ({"costs": {("rare", "rare"): 1}}, "a right answer has no cost"),
        ({"costs": {("rare", "usual"): -1}}, "a cost must be 0 or more"),
        ({"costs": {("rare", "usual"): 2}, "objective": "f1"}, "both say what is best"),
        ({"objective": "f1", "class_weight": "unbalanced"}, "class_weight must be"),
    ],
)
def test_what_cannot_be_is_one_line(options: dict[str, Any], said: str) -> None:
    frame, labels = rare(60)
    with pytest.raises(GnriError, match=said) as caught:
        RuleClassifier(**SMALL["scorecard"], **options).fit(frame, labels)
    assert "\n" not in str(caught.value)


def test_a_plain_floor_needs_a_rarer_class(tmp_path: Any) -> None:
    frame, _ = rare(60)
    with pytest.raises(GnriError, match=r"but both are equally large; name the class: min_recall="):
        RuleClassifier(min_recall=0.5).fit(frame, np.arange(60) % 2)
    with pytest.raises(GnriError, match="but there are more than two"):
        RuleClassifier(min_recall=0.5).fit(frame, np.arange(60) % 3)
    with pytest.raises(GnriError, match="may depend on the actual class only"):
        RuleClassifier(costs={(0, 1): 3}).fit(frame, np.arange(60) % 3)
    path = tmp_path / "table.csv"
    frame.assign(y=np.arange(60) % 2).to_csv(path, index=False)
    with pytest.raises(GnriError, match="need the table in memory"):
        RuleClassifier(objective="f1").fit_files(path, "y")


def test_without_a_target_nothing_changes() -> None:
    assert not FitSettings().has_target
    options = FitSettings(objective="f1", min_recall=0.5, class_weight="balanced", max_lines=3)
    assert options.has_target and options.copied_weight is None
    assert options.without_target() == replace(FitSettings(), max_lines=3)
