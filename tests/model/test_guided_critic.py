"""What the critic sees of a rule, and how it reads it."""

from math import comb, exp, log

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.problem import Problem
from gnri.model.guided.candidates import Scorer
from gnri.model.guided.critic import (
    FEATURES,
    FEW,
    MANY,
    Facts,
    critic_features,
    description_length,
    label_nats,
    literal_price,
    predict_shares,
    rule_nats,
    share_of,
)
from gnri.model.layers import perceptron
from gnri.model.load import load_model
from studies.training.modules import CriticModule
from tests.model.cases import random_episode
from tests.search.slow import covered

COUNTS = st.integers(0, 400)
SIZES = st.integers(0, 40)
NUMBERS = st.floats(0, 50)


@st.composite
def facts(draw: st.DrawFn) -> dict[str, float]:
    """Facts of a rule on a table of some rows and literals."""
    found = {name: draw(COUNTS) for name in ("hits", "false_alarms", "misses", "rejections")}
    found["rejections"] += 1
    found |= {name: draw(SIZES) for name in ("clauses", "literals", "distinct", "longest")}
    found |= {name: draw(NUMBERS) for name in ("surprise", "surprise_distinct", "expected")}
    found |= {name: draw(st.floats(0, 1)) for name in ("noise", "other_noise")}
    return found | {"logits": draw(st.floats(-50, 50)), "all_literals": draw(st.integers(1, 600))}


def features(rule: dict[str, float]) -> list[float]:
    """The same, a number at a time."""
    hits, alarms = rule["hits"], rule["false_alarms"]
    misses, rejections = rule["misses"], rule["rejections"]
    rows, errors, covered_rows = hits + alarms + misses + rejections, alarms + misses, hits + alarms
    return [
        errors / rows,
        (errors + 1) / (rows + 2),
        min(hits + misses, alarms + rejections) / rows,
        log(rows),
        log(rule["all_literals"]),
        rule["clauses"],
        rule["literals"],
        rule["distinct"],
        rule["surprise"],
        rule["surprise_distinct"],
        rule["logits"],
        rule["noise"],
        rule["other_noise"],
        (log(rows + 1) + log(comb(rows, errors))) / rows,
        rule["literals"] / rows,
        rule["surprise"] / rows,
        (hits + 1) / (covered_rows + 2),
        (rejections + 1) / (misses + rejections + 2),
        (hits + misses) / rows,
        rule["longest"],
        rule["expected"],
        covered_rows / rows,
        rule["clauses"] / rows,
        *(log(1 + count) for count in (hits, alarms, misses, rejections)),
    ]


def tensors(rules: list[dict[str, float]]) -> Facts:
    columns = ([rule[name] for rule in rules] for name in Facts._fields)
    return Facts(*(torch.tensor(column, dtype=torch.float64) for column in columns))


@given(st.lists(facts(), min_size=1, max_size=3))
def test_features_are_what_they_say(rules) -> None:
    found = critic_features(tensors(rules))
    assert found.shape == (len(rules), FEATURES)
    np.testing.assert_allclose(found, [features(rule) for rule in rules], rtol=1e-9, atol=1e-9)


@given(
    st.integers(0, 500),
    st.integers(0, 500),
    st.lists(st.integers(0, 8), max_size=5),
    st.integers(8, 300),
)
def test_a_description_is_as_long_as_its_binomials_say(right, errors, sizes, literals) -> None:
    rows = right + errors
    labels = log(rows + 1) + log(comb(rows, errors))
    counts = torch.tensor([errors, rows], dtype=torch.float64)
    assert label_nats(*counts).item() == pytest.approx(labels, abs=1e-9)
    rule = sum(log(comb(literals, size)) for size in sizes)
    assert rule_nats(sizes, literals, 0.3) == pytest.approx(0.3 * rule, abs=1e-9)
    found = description_length(errors, rows, sizes, literals)
    assert found == pytest.approx(labels + FEW * rule, abs=1e-9)
    found = description_length(errors, rows, sizes, literals, 0.9)
    assert found == pytest.approx(labels + 0.9 * rule, abs=1e-9)


def test_a_clause_costs_more_where_there_are_more_rows_of_the_rarer_class() -> None:
    assert share_of(20, 900) == share_of(900, 20) == FEW
    assert share_of(100, 900) == share_of(900, 100) == MANY * log(201)
    assert share_of(450, 450) == MANY * log(901)


def test_a_literal_costs_as_many_errors_as_are_as_long_to_tell() -> None:
    """Of 1,000 rows 99 errors: one more has 901 rows to be on, and 100 ways to be counted twice."""
    one_more = log(comb(1000, 100) / comb(1000, 99))
    assert one_more == pytest.approx(log(901 / 100))
    a_literal = 0.9 * (log(comb(40, 2)) + log(comb(40, 3))) / 5
    assert literal_price(99, 1000, [2, 3], 40, 0.9) == pytest.approx(a_literal / one_more)
    for errors in (5, 10):
        assert literal_price(errors, 10, [1], 40, 0.9) == pytest.approx(0.9 * log(40) / 0.3)


def test_features_are_cut_off_far_from_the_center() -> None:
    rules = tensors(
        [dict(zip(Facts._fields, [5, 3, 2, 9, 1, 2, 2, 2, *[1.0] * 6, 8], strict=True))]
    )
    critic = CriticModule().double()

    def score(number: float) -> torch.Tensor:
        return perceptron(critic.score, torch.full((1, FEATURES), number).double(), layers=3)[:, 0]

    critic.center.copy_(critic_features(rules)[0])
    assert torch.equal(predict_shares(critic, rules), score(0.0))
    critic.center.sub_(1.0)
    critic.spread.fill_(0.5)
    assert torch.equal(predict_shares(critic, rules), score(2.0))
    critic.spread.fill_(1e-9)
    assert torch.equal(predict_shares(critic, rules), score(6.0))


@pytest.mark.parametrize("seed", range(3))
def test_facts_are_counted_as_on_the_rows(seed: int) -> None:
    """From the rows, the rule as it is printed, and the beliefs of single literals."""
    episode = random_episode(5, 40, seed=seed, missing=0.1, unlabelled=0.1)
    guided, table = load_model("guided"), Problem.from_episode(episode)
    scorer = guided.scorer(table)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        number = int(rng.integers(2))
        sizes = rng.integers(1, 4, size=rng.integers(0, 4))
        clauses = frozenset(
            frozenset(rng.choice(len(table.classes), size, replace=False).tolist())
            for size in sizes
        )
        found = dict(zip(Facts._fields, scorer.facts(number, clauses), strict=True))
        assert found == pytest.approx(slow_facts(scorer, episode, number, clauses), abs=1e-9)


def slow_facts(scorer: Scorer, episode, number: int, clauses) -> dict[str, float]:
    target = [label == (1, -1)[number] for label in episode.labels if label]
    said = covered(episode, scorer.problem.to_rule(number, clauses))
    pairs = list(zip(said, target, strict=True))
    beliefs = scorer.proposals[number].beliefs.tolist()
    chances = [1 / (1 + exp(-belief)) for belief in beliefs]
    literals = [literal for clause in clauses for literal in clause]
    return {
        "hits": pairs.count((True, True)),
        "false_alarms": pairs.count((True, False)),
        "misses": pairs.count((False, True)),
        "rejections": pairs.count((False, False)),
        "clauses": len(clauses),
        "literals": len(literals),
        "distinct": len(set(literals)),
        "longest": max(map(len, clauses), default=0),
        "logits": sum(beliefs[i] for i in literals),
        "surprise": -sum(log(chances[i]) for i in literals),
        "surprise_distinct": -sum(log(chances[i]) for i in set(literals)),
        "noise": scorer.proposals[number].noise,
        "other_noise": scorer.proposals[1 - number].noise,
        "expected": sum(chances),
        "all_literals": len(scorer.problem.classes),
    }
