"""Rules on other columns, and rules of each size: as symmetric as the rule, and as claimed."""

import io
import pickle
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from gnri.classifier import RuleClassifier
from gnri.data.sources import TableSource, read_table
from gnri.data.target import TargetCut
from gnri.errors import GnriError
from gnri.estimator.alternatives import (
    Alternative,
    _refit,
    find_alternatives,
    learn_path,
    split_by_content,
)
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.settings import FitSettings
from tests.estimator.tables import mushrooms, sizes

few = settings(max_examples=settings.default.max_examples // 100)
"""Each example takes a hundred fits."""


def tied_table(seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Few columns, of which some say the same or nearly so, and many equal rows."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(10, 25)), int(rng.integers(2, 5))
    flags = rng.random((rows, columns)) < 0.5
    flags = flags[:, rng.integers(0, columns, columns + 1)] ^ (rng.random(columns + 1) < 0.5)
    flags[rng.random(flags.shape) < 0.03] ^= True
    label = flags[:, 0] & flags[:, 1] if rng.random() < 0.5 else flags[:, 0] | flags[:, -1]
    label = label ^ (rng.random(rows) < rng.choice([0.0, 0.1]))
    label[:4] = [True, False, True, False]
    frame = pd.DataFrame(flags, columns=[f"f{i}" for i in range(columns + 1)])
    frame["colour"] = rng.choice(["red", "green", "blue"], rows)
    frame["size"] = rng.integers(0, 4, rows) * 1.0
    frame["rare"] = (rng.random(rows) < 0.4) * 1.0
    frame.loc[rng.random(rows) < 0.1, "rare"] = np.nan
    frame.loc[rng.random(rows) < 0.1, "size"] = np.nan
    copies = rng.integers(1, 4, rows)
    return (
        frame.loc[frame.index.repeat(copies)].reset_index(drop=True),
        pd.Series(np.where(label, "yes", "no").repeat(copies)),
    )


def change(frame: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, dict[str, str], np.ndarray]:
    """The columns negated at times, renamed and reordered; their new names; an order of rows."""
    rng = np.random.default_rng(seed)
    flags = [name for name in frame.select_dtypes("bool") if rng.random() < 0.5]
    called = dict(zip(frame, (f"z{i}" for i in rng.permutation(len(frame.columns))), strict=True))
    moved = frame.assign(**{name: ~frame[name] for name in flags}, rare=1 - frame["rare"])
    changed = moved.rename(columns=called)
    return changed[rng.permutation(changed.columns)], called, rng.permutation(len(frame))


def every_row(frame: pd.DataFrame) -> pd.DataFrame:
    """Each combination of values that the columns have, or some of too many."""
    rows = list(product(*(frame[name].drop_duplicates() for name in frame)))
    picked = np.random.default_rng(0).permutation(len(rows))[:2000]
    cells = pd.DataFrame([rows[i] for i in picked], columns=frame.columns)
    return cells.astype(frame.dtypes)


MOST = 2
"""Conditions of a rule; more take longer."""

SWAPPED = {"yes": "no", "no": "yes"}
forms = st.sampled_from(["dnf", "auto", "scorecard"])
seeds = st.integers(0, 2**20)


def name_twins(frame: pd.DataFrame) -> dict[str, str]:
    """One name for all flags that say the same; which of them is learnt from, names decide."""
    flags = frame.select_dtypes("bool")
    names = {one: str(min(map(tuple, (flags[one], ~flags[one])))) for one in flags}
    return {name: names.get(name, name) for name in frame}


def follow_every_change(
    seed: int, form: str, keep_twins: bool, rng: np.random.Generator | None = None
) -> bool:
    """Whether a changed table has the alternatives changed so; `rng` draws weights and a target."""
    frame, labels = tied_table(seed)
    changed, called, order = change(frame, seed)
    options = {"form": form, "keep_twins": keep_twins, "max_conditions": MOST}
    floors, weights = [{}, {}], np.ones(len(frame))
    if rng is not None:
        weights = rng.integers(1, 4, len(frame)).astype(float)
        share = float(rng.choice([0.3, 0.6]))
        if rng.random() < 0.5:
            floors = [{"min_recall": {name: share}} for name in ("yes", "no")]
    old = RuleClassifier(**options, **floors[0]).fit(frame, labels, sample_weight=weights)
    new = RuleClassifier(**options, **floors[1])
    new.fit(changed.iloc[order], labels.map(SWAPPED).iloc[order], sample_weight=weights[order])
    same = {name: name for name in frame} if keep_twins else name_twins(frame)
    grid = every_row(frame) if keep_twins else frame
    moved, back = change(grid, seed)[0], {name: old for old, name in called.items()}

    def describe(one: Alternative, columns: dict[str, str], answers: list[str]) -> tuple:
        names = ({same[columns[name]] for name in part} for part in (one.columns, one.without))
        figures = one.right, one.lost, one.conditions, one.clauses, one.balanced_accuracy
        return (*map(frozenset, names), figures, tuple(answers))

    found = old.alternatives(k=2, within=0.3)
    answers = [[SWAPPED[word] for word in one.classifier.predict(grid)] for one in found]
    expected = [
        describe(one, {name: name for name in frame}, said)
        for one, said in zip(found, answers, strict=True)
    ]
    again = [
        describe(one, back, one.classifier.predict(moved))
        for one in new.alternatives(k=2, within=0.3)
    ]
    return set(again) == set(expected) and len(again) == len(expected)


@few
@given(seeds, forms, st.booleans())
def test_alternatives_follow_every_change_of_names_and_order(
    seed: int, form: str, keep_twins: bool
) -> None:
    assert follow_every_change(seed, form, keep_twins)


@few
@given(seeds, forms)
def test_a_path_follows_every_change_of_names_and_order(seed: int, form: str) -> None:
    frame, labels = tied_table(seed)
    changed, _, order = change(frame, seed)
    old = RuleClassifier(form=form).fit(frame, labels).path(2)
    new = RuleClassifier(form=form).fit(changed.iloc[order], labels.map(SWAPPED).iloc[order])
    figures = ["conditions", "held_out", "training", "majority"]
    assert old[figures].equals(new.path(2)[figures])


@settings(max_examples=settings.default.max_examples // 20)
@given(seeds)
def test_folds_hold_the_same_rows_after_every_change(seed: int) -> None:
    frame, labels = tied_table(seed)
    changed, _, order = change(frame, seed)
    old = RuleClassifier(form="dnf", max_conditions=1).fit(frame, labels).fitted_
    new = RuleClassifier(form="dnf", max_conditions=1)
    new.fit(changed.iloc[order], labels.map(SWAPPED).iloc[order])
    rows = frame.assign(label=labels).map(str).agg(" ".join, axis=1)
    for one, other in zip(split_by_content(old), split_by_content(new.fitted_), strict=True):
        assert sorted(rows.iloc[one[1]]) == sorted(rows.iloc[order[other[1]]])


def noisy(rows: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    """Mushrooms of which one in ten has a wrong label."""
    frame, labels = mushrooms(rows, seed=3)
    wrong = np.random.default_rng(3).random(rows) < 0.1
    return frame, labels.where(~wrong, labels.iloc[0])


@pytest.fixture(scope="module")
def learnt() -> tuple[RuleClassifier, list[Alternative]]:
    """A rule of noisy rows, and all rules on other columns."""
    rule = RuleClassifier(form="dnf", max_clauses=2).fit(*noisy())
    return rule, rule.alternatives(k=20, within=0.99)


def count_right(frame: pd.DataFrame, labels: pd.Series, fitted: Fitted, **options: object) -> int:
    """Plain cross-validation with scikit-learn's methods alone."""
    right = 0
    for shown, hidden in split_by_content(fitted):
        learner = RuleClassifier(keep_twins=True, **options)
        learner.fit(frame.iloc[shown], labels.iloc[shown])
        right += int((learner.predict(frame.iloc[hidden]) == labels.iloc[hidden]).sum())
    return right


def test_they_are_those_of_a_plain_search(learnt) -> None:
    (frame, labels), (rule, every) = noisy(), learnt
    read = rule.rule_list_.columns
    drops = [set(drop) for n in (1, 2) for drop in combinations(read, n)] + [set(read)]
    assert len(read) >= 3
    expected: dict[tuple[str, ...], int] = {}
    for drop in drops:
        left = frame.drop(columns=[*drop])
        columns = RuleClassifier(form="dnf", max_clauses=2).fit(left, labels).rule_list_.columns
        if columns:
            right = count_right(left, labels, rule.fitted_, form="dnf", max_clauses=2)
            names = tuple(sorted(columns))
            expected[names] = max(right, expected.get(names, 0))
    assert {one.columns: one.right for one in every} == expected
    own = count_right(frame, labels, rule.fitted_, form="dnf", max_clauses=2)
    assert {one.right + one.lost for one in every} == {own}
    assert [one.key for one in every] == sorted(one.key for one in every)


def test_they_keep_to_their_bound_and_can_be_used(learnt) -> None:
    (frame, labels), (rule, every) = noisy(), learnt
    lost = sorted({one.lost for one in every})
    assert len(lost) > 1, "a table with rules that are worse"
    near = rule.alternatives(k=20, within=max(lost[0] + 0.5, 0) / len(labels))
    assert [one.columns for one in near] == [
        one.columns for one in every if one.lost <= max(lost[0], 0)
    ]
    first = every[0]
    assert set(first.columns) != set(rule.rule_list_.columns)
    assert not set(first.without) & set(first.columns)
    assert first.accuracy == first.right / len(labels)
    answers = first.classifier.predict(frame)  # of rows with all columns
    assert (answers == first.fitted.classes[first.fitted.answers]).all()
    assert first.classifier.to_text() != rule.to_text()
    assert len(first.classifier.feature_importances_) == len(frame.columns)
    assert rule.fitted_.rule_list == rule.rule_list_


def test_twins_are_no_alternative() -> None:
    frame, labels = mushrooms(100, seed=1)
    frame["smell"] = frame["odor"].str.upper()
    frame["stinks"] = frame["odor"].map({"foul": 1, "none": 0, "almond": 0})  # as the rule asks
    for keep_twins in (False, True):
        rule = RuleClassifier(form="dnf", max_clauses=2, keep_twins=keep_twins).fit(frame, labels)
        assert set(rule.rule_list_.columns) & {"odor", "smell", "stinks"}
        found = rule.alternatives(k=20, within=0.99)
        assert found
        for one in found:
            assert not {"odor", "smell"} & set(one.columns) or "spore" not in one.columns
            assert not ("stinks" in one.columns and "spore" in one.columns)


def test_weights_stay() -> None:
    frame, labels = noisy()
    weights = 1 + np.arange(len(labels)) % 3
    rule = RuleClassifier(form="dnf", max_conditions=2, class_weight="balanced")
    rule.fit(frame, labels, sample_weight=weights)
    (one, *_) = rule.alternatives(k=1, within=0.5)
    assert np.array_equal(one.fitted.copies, rule.fitted_.copies)
    assert one.rows == len(labels)


def test_weights_of_classes_stay_at_a_target() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(400, 3)).round(2), columns=["a", "b", "c"])
    score = frame["a"] + frame["b"] + 0.8 * rng.normal(size=400)
    labels = np.where(score > 1.8, "rare", "usual")
    rule = RuleClassifier(form="dnf", max_clauses=2, objective="f1")
    rules = [
        one.fit(frame, labels).fitted_
        for one in (rule, clone(rule).set_params(class_weight={"rare": 7, "usual": 1}))
    ]
    assert rules[0].rule_list != rules[1].rule_list
    assert [_refit(one).rule_list for one in rules] == [one.rule_list for one in rules]


def test_columns_that_were_asked_for_may_be_left_out() -> None:
    frame, labels = noisy()
    rule = RuleClassifier(form="dnf", max_conditions=2).fit(frame, labels)
    asked = RuleClassifier(form="dnf", max_conditions=2, use=list(frame)).fit(frame, labels)
    found, expected = (one.alternatives(k=3, within=0.5) for one in (asked, rule))
    assert found and [one.as_dict() for one in found] == [one.as_dict() for one in expected]


@pytest.mark.parametrize(
    "option",
    [
        {"prices": {"income": 2}},
        {"monotone": {"income": 1}},
        {"thresholds": {"income": [30, 40]}},
        {"special": {"income": [-9]}},
        {"use": ["income"]},
    ],
    ids=lambda option: next(iter(option)),
)
def test_what_is_said_of_a_column_does_not_hold_without_it(option: dict) -> None:
    frame = pd.read_csv(Path(__file__).parents[2] / "examples" / "credit.csv")
    labels = frame.pop("granted")
    rule = RuleClassifier(form="dnf", **option).fit(frame, labels)
    assert "income" in rule.rule_list_.columns
    assert any("income" in one.without for one in rule.alternatives(k=9, within=0.9))


def test_of_a_target_that_was_cut() -> None:
    path = str(Path(__file__).parents[2] / "examples" / "credit.csv")
    source, settings = TableSource.of(read_table(path)), FitSettings(form="dnf")
    rule = fit(source, TargetCut("income", threshold=40), settings)
    assert find_alternatives(rule, 1, 0.9)
    assert learn_path(rule, 1)


def test_of_three_classes() -> None:
    frame, labels = sizes(60, seed=0)
    rng = np.random.default_rng(0)
    frame = frame.assign(weight=frame["length"].fillna(0) + rng.normal(size=60) / 9)
    rule = RuleClassifier(form="dnf", max_conditions=2).fit(frame, labels)
    (first, *_) = rule.alternatives(within=0.5)
    assert len(set(first.classifier.predict(frame))) == 3


def test_a_path_is_what_the_limits_learn() -> None:
    frame, labels = noisy()
    rule = RuleClassifier(form="dnf").fit(frame, labels)
    path = rule.path()
    assert list(path) == ["conditions", "clauses", "held_out", "training", "majority", "rule"]
    assert path["rule"].iloc[-1] == rule.to_text()
    assert path["rule"].is_unique and len(path) > 2
    for row in path.iloc[:2].itertuples():
        learner = RuleClassifier(form="dnf", max_conditions=row.conditions).fit(frame, labels)
        assert learner.to_text() == row.rule
        assert row.training == (learner.predict(frame) == labels).mean()
        options = {"form": "dnf", "max_conditions": row.conditions}
        assert row.held_out == count_right(frame, labels, rule.fitted_, **options) / len(labels)
    assert len(rule.path(1)) == 2


def test_without_a_rule_there_is_nothing() -> None:
    frame = pd.DataFrame({"a": [0, 1] * 8, "b": [0, 0, 1, 1] * 4})
    rule = RuleClassifier(form="dnf").fit(frame, frame["a"] ^ frame["b"])
    assert not rule.rule_list_.steps
    assert rule.alternatives() == [] and len(rule.path()) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"within": 1}, "within must be a share of the rows from 0 up and below 1"),
        ({"within": "much"}, "within must be a share of the rows"),
        ({"k": 0}, "k must be a whole number from 1 up"),
    ],
)
def test_wrong_wishes_are_refused(options: dict[str, object], said: str) -> None:
    frame, labels = mushrooms(30, seed=0)
    rule = RuleClassifier(form="dnf").fit(frame, labels)
    with pytest.raises(GnriError, match=said):
        rule.alternatives(**options)
    with pytest.raises(GnriError, match="most must be a whole number from 1 up"):
        rule.path(0)


def test_a_pickled_classifier_has_no_rows_to_learn_from() -> None:
    frame, labels = mushrooms(30, seed=0)
    rule = pickle.loads(pickle.dumps(RuleClassifier(form="dnf").fit(frame, labels)))
    for ask in (rule.alternatives, rule.path):
        with pytest.raises(GnriError, match="this needs the training rows"):
            ask()
    assert not hasattr(rule, "feature_importances_")


@pytest.mark.parametrize("form", ["dnf", "scorecard"])
@pytest.mark.parametrize("table", [mushrooms, sizes])
def test_importances_are_the_mean_over_all_draws(form: str, table) -> None:
    frame, labels = table(25, seed=2)
    rule = RuleClassifier(form=form).fit(frame, labels)
    wrong = int((rule.predict(frame) != labels).sum())
    for name, share in zip(frame, rule.feature_importances_, strict=True):
        found = 0
        for cell in frame[name]:
            changed = frame.assign(**{name: pd.Series([cell] * 25, dtype=frame[name].dtype)})
            found += int((rule.predict(changed) != labels).sum())
        assert share == (found - 25 * wrong) / 25**2
        assert (share == 0) >= (name not in rule.rule_list_.columns)
    assert rule.feature_importances_.max() > 0


def test_nothing_is_written_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    frame, labels = mushrooms(30, seed=0)
    RuleClassifier(form="dnf", max_conditions=1).fit(frame, labels).alternatives(k=1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("after", "drawn"), [(0.0, True), (60.0, False)])
def test_a_fit_that_takes_long_shows_on_a_terminal_that_it_goes_on(
    after: float, drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("gnri.classifier.LONG", after)
    RuleClassifier(form="dnf", max_conditions=1).fit(*mushrooms(30, seed=0))
    assert ("learning the rules" in terminal.getvalue()) == drawn
