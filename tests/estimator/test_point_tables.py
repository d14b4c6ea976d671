"""Point tables as classifiers: symmetry, several classes, files in parts, probabilities."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from gnri import RuleClassifier
from gnri.data.samples import read_sample
from gnri.errors import GnriError
from gnri.estimator.point_tables import count_margins
from gnri.rules.scorecard import Scorecard


def mixed_table(seed: int, classes: int = 2, rows: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(float),
            "color": rng.choice(["red", "green", "blue"], rows),
            "smoker": rng.choice([True, False], rows),
            "weight": rng.normal(70, 10, rows).round(1),
        }
    )
    risk = (
        table["age"] / 20 + 2 * table["smoker"] + (table["color"] == "red") + rng.normal(0, 1, rows)
    )
    labels = np.digitize(risk, np.quantile(risk, np.linspace(0, 1, classes + 1)[1:-1]))
    table.loc[rng.random(rows) < 0.1, "age"] = np.nan
    return table, labels


def fit(table: pd.DataFrame, labels: np.ndarray, **options: object) -> RuleClassifier:
    return RuleClassifier(**{"form": "scorecard", **options}).fit(table, labels)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", ["scorecard", "auto"])
def test_rows_columns_and_labels_in_another_order(seed: int, classes: int, form: str) -> None:
    table, labels = mixed_table(seed, classes)
    first, rng = fit(table, labels, form=form), np.random.default_rng(seed)
    rows, columns = rng.permutation(len(table)), rng.permutation(table.columns)
    names = rng.permutation(classes)
    other = fit(table.iloc[rows][columns].reset_index(drop=True), names[labels][rows], form=form)
    expected = first.predict_proba(table)
    assert (other.predict(table[columns]) == names[first.predict(table)]).all()
    assert np.allclose(other.predict_proba(table[columns])[:, names], expected)


@pytest.mark.parametrize("seed", range(4))
def test_a_negated_column_and_swapped_labels_give_the_same_points(seed: int) -> None:
    table, labels = mixed_table(seed)
    first = fit(table, labels)
    turned = table.assign(smoker=~table["smoker"])
    other = fit(turned, 1 - labels)
    assert isinstance(first.rules_[1], Scorecard)
    back = other.rules_[1].map_literals(
        lambda one: one if other.atom_names_[one.atom] != "smoker" else ~one
    )
    assert ~back == first.rules_[1]


@pytest.mark.parametrize("form", ["scorecard", "auto"])
def test_parts_give_the_same_points(tmp_path: Path, form: str) -> None:
    table, labels = mixed_table(1, 3, rows=400)
    whole = fit(table, labels, form=form)
    for i in range(4):
        part = table.assign(y=labels).iloc[i::4]
        part.to_parquet(tmp_path / f"part-{i}.parquet")
    parts = RuleClassifier(form=form).fit_files(str(tmp_path / "part-*.parquet"), "y")
    assert parts.rule_list_ == whole.rule_list_


def test_the_likeliest_class_is_predicted() -> None:
    data = load_iris(as_frame=True)
    classifier = fit(data.data, data.target)
    assert classifier.score(data.data, data.target) > 0.95
    chances = classifier.predict_proba(data.data)
    assert (chances.argmax(axis=1) == classifier.predict(data.data)).all()
    assert np.allclose(chances.sum(axis=1), 1)


def test_clauses_become_lines_where_columns_interact() -> None:
    table = pd.read_csv(BytesIO(read_sample("tic-tac-toe")))
    labels = table.pop("class")
    assert fit(table, labels).score(table, labels) == 1.0


@pytest.mark.parametrize("labels", [(0, 0, 0, 1), (1, 1, 1, 0)])
def test_auto_takes_the_same_form_whatever_the_classes_are_called(labels: tuple[int, ...]) -> None:
    """The rows held out leave two equally large classes without a rule; names decide nothing."""
    table = pd.DataFrame({"a": [False, False, True, True], "b": [False, True, False, True]})
    found = fit(table, np.array(labels), form="auto")
    assert found.rule_list_.unit is None
    assert str(found.rules_[1]) == ("x0 & x1" if labels[3] else "~(x0 & x1)")


def test_limits_are_kept_and_checked() -> None:
    table, labels = mixed_table(2)
    card = fit(table, labels, max_lines=2).rules_[1]
    columns = {fit(table, labels).schema_.atoms[atom].column for atom in card.atoms}
    assert len(columns) <= 4 and len({line for line, _ in card.points if len(line) > 1}) <= 2
    for options in ({"form": "tree"}, {"form": "scorecard", "max_lines": 0}):
        with pytest.raises(GnriError, match=r"form must be|max_lines must be"):
            RuleClassifier(**options).fit(table, labels)


def test_scikit_learn_takes_it() -> None:
    check_estimator(RuleClassifier(form="scorecard"))


def test_auto_takes_points_where_columns_add_up_and_rules_where_they_do_not() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.choice([True, False], (300, 9)), columns=list("abcdefghi"))
    many = fit(table, (table.sum(axis=1) > 4).to_numpy(), form="auto")
    few = fit(table, (table["a"] & table["b"]).to_numpy(), form="auto")
    assert many.rule_list_.unit is not None and few.rule_list_.unit is None


@pytest.mark.parametrize("classes", [2, 3])
def test_margins_are_counted_and_the_worth_of_a_point_is_tried_on_rows_held_out(
    classes: int,
) -> None:
    table, labels = mixed_table(5, classes)
    found = fit(table, labels)
    values = found.binarizer_.transform(table)
    for card, margins in zip(
        found.rule_list_.rules, found.rule_list_.margins(values).T, strict=True
    ):
        counts = count_margins(card, found.fitted_.counter, found.schema_)
        middle = counts.shape[1] // 2
        for kind in range(classes):
            own, sizes = np.unique(margins[labels == kind], return_counts=True)
            assert counts[kind].sum() == sizes.sum()
            assert (counts[kind][middle + own] == sizes).all()
    # By chance: points that were learnt are worth little. By the labels: much.
    chance = np.random.default_rng(0).integers(0, classes, len(labels))
    noisy, clear = fit(table, chance), fit(table.assign(known=labels.astype(str)), labels)
    units = [one.rule_list_.unit or 0 for one in (noisy, found, clear)]
    assert units[0] < units[1] < units[2]
