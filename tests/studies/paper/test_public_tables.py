"""The studies of public tables, on two small ones with untrained networks."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnri.episode import Episode
from gnri.model.paper_export import UNIT
from gnri.scores import Scores
from studies.benchmarks import public_tables as real
from studies.benchmarks.learners import learner_of_seed
from studies.benchmarks.one_against_rest import rule_learner
from studies.paper import capability, rule_quality, stress
from studies.paper import networks as answering
from studies.paper.baseline_networks import CONDITIONS, ConditionInducer
from studies.results import Row
from studies.study import Context, Study, measure_piece
from tests.studies.benchmarks.tables import data_folder
from tests.studies.paper.networks import context_with, network

CAPABILITY = {
    "sets": ["two", "three"],
    "folds": [0, 3],
    "conditions": ["nri", "gnri"],
    "seeds": [42, 43],
    "shipped": ["gnri"],
    "learners": ["majority", "logistic"],
    "reordered": ["cart"],
}


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    """Sections for every study, tables in a folder, untrained networks for every seed."""
    real.table.cache_clear()
    monkeypatch.setattr(
        answering, "network_of", lambda context, condition, seed: (network(condition), f"w{seed}")
    )
    sections: dict[str, dict[str, Any]] = {
        "capability": CAPABILITY,
        "stress": {"sets": ["two"], "folds": [0], "conditions": ["nri", "gnri"], "seeds": [42],
                   "draws": 3},
        "rule_examples": {"sets": ["two"], "fold": 0, "seed": 42, "conditions": ["nri", "gnri"],
                          "learners": ["flat:1"]},
        "rule_quality": {"sets": ["two", "three"], "folds": [0, 1], "seeds": [1, 2],
                         "learners": ["cart"], "slow": ["ripper"], "too_slow": ["three"],
                         "rule_lists": ["two"]},
    }  # fmt: skip
    return replace(context_with(**sections), results=tmp_path, data_dir=data_folder(tmp_path))


def measured(study: Study, context: Context, **wanted: Any) -> list[Row]:
    pieces = [
        piece
        for piece in study.pieces(context.protocol.section(study.name))
        if all(piece[key] == value for key, value in wanted.items())
    ]
    return [row for piece in pieces for row in measure_piece(study, context, piece)]


def test_a_row_for_each_table_network_seed_and_fold(context: Context) -> None:
    rows = measured(capability.STUDY, context)
    keys = {(row["set"], row["condition"], row["seed"], row["fold"]) for row in rows}
    assert len(keys) == len(rows) == 2 * 2 * (2 + 2 + 4 + 2)
    assert len({tuple(row) for row in rows}) == 1
    assert {row["checkpoint"] for row in rows if row["condition"] == "nri"} == {"w42", "w43"}
    trees = [row for row in rows if row["condition"] == "cart"]
    assert {row["accuracy"] for row in trees} == {1.0}


def test_several_classes_are_answered_by_the_highest_score(context: Context) -> None:
    encoded, _ = real.table("three", context.data_dir)
    shown, hidden = real.parts_of(encoded, *real.split(encoded.codes, 0))
    inducer = answering.inducer_of(context, "gnri", 42)
    (row,) = [
        row
        for row in measured(capability.STUDY, context, set="three", condition="gnri", seed=42)
        if row["fold"] == 0
    ]
    said = []
    for values in hidden[0]:
        signals = []
        for k in range(3):
            scores = inducer(Episode(shown[0], np.where(shown[1] == k, 1, -1)))
            signals.append(answering.signal(inducer.condition, scores, values[None])[0])
        sizes = np.bincount(shown[1])
        said.append(max(range(3), key=lambda k: (signals[k], sizes[k], -k)))
    assert row["accuracy"] == pytest.approx(np.mean(said == hidden[1]))


def test_the_signal_is_of_one_rail_or_of_both() -> None:
    literals = np.zeros((2, 1, 1, 2))
    literals[0, 0, 0, 0] = literals[1, 0, 0, 1] = 1.0  # x0 for the class, not x0 against it
    scores, values = Scores(literals, np.ones((2, 1))), np.array([[1], [-1]], np.int8)
    one = answering.signal(CONDITIONS["nri"], scores, values)
    both = answering.signal(CONDITIONS["gnri"], scores, values)
    assert abs(one[0] - UNIT) < UNIT / 1000 and abs(one[1] + UNIT) < UNIT / 1000
    assert both[0] == -both[1] > 0


def test_reordering_and_negating_never_change_gnri(context: Context) -> None:
    rows = measured(stress.STUDY, context)
    assert len(rows) == 2 * 2 * 3
    assert all(row["before"] == row["after"] for row in rows if row["condition"] == "gnri")


def test_support_accuracy_counts_rows(context: Context) -> None:
    inducer = ConditionInducer(network("gnri"), "gnri")
    episode = Episode([[1, 1], [-1, 1], [1, -1], [-1, -1]], [1, -1, 1, -1])
    positive = answering.signal(inducer.condition, inducer(episode), episode.values) >= 0
    right = sum(p == (y == 1) for p, y in zip(positive, episode.labels, strict=True))
    assert stress.support_accuracy(inducer, episode) == right / 4


def test_rules_to_read_are_written_twice(context: Context) -> None:
    rows = {row["condition"]: row for row in measured(rule_quality.EXAMPLES_STUDY, context)}
    assert set(rows) == {"nri", "gnri", "flat:1"}
    assert rows["flat:1"]["rule"] == "x0 & ~x1"
    assert rows["flat:1"]["words"] == '"a = 1" & ~"b = 1"'
    assert rows["flat:1"]["accuracy"] == 1.0


def test_slow_learners_are_asked_less(context: Context) -> None:
    pieces = rule_quality.pieces(context.protocol.section("rule_quality"))
    asked = [(p["set"], p["fold"], p["seed"]) for p in pieces if p["learner"] == "ripper"]
    assert asked == [("two", 0, 1), ("two", 1, 1), ("two", 0, 2)]
    assert sum(p["learner"] == "cart" for p in pieces) == 8
    assert [p["set"] for p in pieces if p["learner"] == rule_quality.BAYESIAN] == ["two"]


def test_trees_and_ripper_as_rules(context: Context) -> None:
    for learner in ("cart", "ripper"):
        row = measured(rule_quality.STUDY, context, learner=learner, set="two", fold=0, seed=1)[0]
        assert row["accuracy"] == 1.0
        assert row["clauses"] == 1 and row["literals"] == 2
        assert row["reads"] == '["x0 | ~x1"]'


def test_a_seed_is_an_order_and_the_rule_is_said_in_the_given_one() -> None:
    values = np.array(list(product((-1, 1), repeat=6)), np.int8)
    codes = (values[:, 0] != values[:, 1]).astype(np.intp)  # every first question is as good
    trees = [rule_learner("cart", seed)(values, codes) for seed in (1, 1, 2)]
    assert trees[0].rules == trees[1].rules != trees[2].rules
    for tree in trees:
        assert (tree.predict(values) == codes).all()
    assert (learner_of_seed("cart", 3)(values, codes).predict(values) == codes).all()


def test_logistic_regression_is_one_one_against_rest() -> None:
    values = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]] * 5, np.int8)
    codes = np.array([0, 1, 2] * 5)
    assert (learner_of_seed("logistic", "")(values, codes).predict(values) == codes).all()
