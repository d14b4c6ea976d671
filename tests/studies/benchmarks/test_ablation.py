"""Variants of guided + refine: each is a learner of its own, and takes away what it says."""

import numpy as np
import pytest

from gnri import Episode
from gnri.induction import candidates
from gnri.model.guided.candidates import Guided
from gnri.model.load import load_model
from gnri.symmetry.group import Symmetry
from studies.benchmarks.ablation import LEARNERS, VARIANTS, rule_of
from studies.benchmarks.learners import learner_named, weights_of


@pytest.fixture(scope="module")
def episode() -> Episode:
    rng = np.random.default_rng(4)
    values = rng.choice([-1, 1], (80, 7))
    hidden = (values[:, 0] > 0) & (values[:, 1] < 0) | (values[:, 2] > 0) & (values[:, 3] > 0)
    flipped = rng.random(80) < 0.05
    return Episode(values, np.where(hidden ^ flipped, 1, -1))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_finds_a_rule_and_keeps_the_guarantee(name: str, episode: Episode) -> None:
    rule = rule_of(name, episode)
    assert rule is not None
    assert np.mean(rule.evaluate(episode.values) == episode.labels) > 0.85
    g = Symmetry.random(episode, rng=np.random.default_rng(1))
    assert rule_of(name, g(episode)) == g(rule)


def test_without_the_critic_the_shortest_description_is_taken(episode: Episode) -> None:
    from gnri.counts.problem import Problem

    guided = load_model("guided")
    assert isinstance(guided, Guided)
    scorer = guided.scorer(Problem.from_episode(episode))
    (taken,) = {(c.rail, c.clauses) for c in VARIANTS["no critic"](scorer, episode)}
    shortest = min(candidate.length for candidate in candidates(scorer))
    assert scorer.score([taken])[0].length == shortest


def test_every_variant_is_measured_and_has_the_weights_of_guided() -> None:
    assert set(VARIANTS) < set(LEARNERS)
    assert {weights_of(name) for name in VARIANTS} == {weights_of("guided")}
    rows = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]] * 4, np.int8)
    fitted = learner_named("no decoder")(rows, np.array([1, 0, 0, 0] * 4))
    assert fitted.predict(rows[:4]).tolist() == [1, 0, 0, 0]
