"""`guided` as a user has it: one pass, abstentions and limits."""

from collections.abc import Iterator

import numpy as np
import pytest

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.induction import induce
from gnri.model.guided.candidates import Guided, choose
from gnri.model.load import load_model
from gnri.search.limits import Limits
from tests.contracts.model_contract import HOPELESS
from tests.model.cases import awkward_episodes, fair_episode, random_episode
from tests.model.guided_cases import identity, random_guided, tie_heavy
from tests.search.slow import hard_tables, truth

GUIDED = load_model("guided")
assert isinstance(GUIDED, Guided)


@pytest.mark.parametrize("name", HOPELESS)
def test_one_pass_abstains_where_nothing_can_be_said(name: str) -> None:
    found = induce(HOPELESS[name], GUIDED, refine=False)
    assert (found.rule, found.rail) == (None, None)


def test_columns_that_look_the_same_by_the_hundred_are_no_error() -> None:
    for refine in (True, False):
        assert induce(identity(140), GUIDED, refine).rule is None
    values = np.column_stack([identity(200).values, identity(200).labels])
    values[:20:2, -1] *= -1
    assert str(induce(Episode(values, identity(200).labels), GUIDED).rule) == "x200"


def shown() -> Iterator[Episode]:
    """Tables of every kind, on which most have a rule."""
    rng = np.random.default_rng(0)
    yield from (tie_heavy(rng) for _ in range(12))
    yield from (random_episode(6, 40, seed=seed, missing=0.1) for seed in range(2))
    yield from (fair_episode(8, 50, seed=seed) for seed in range(2))
    yield from awkward_episodes().values()
    yield from hard_tables().values()


@pytest.mark.parametrize("guided", [GUIDED, random_guided(3)], ids=["shipped", "random"])
def test_one_pass_returns_the_best_rule_that_was_written(guided: Guided) -> None:
    spoken = 0
    for episode in shown():
        found = induce(episode, guided, refine=False)
        table = Problem.from_episode(episode)
        written = guided.scorer(table).written if table.is_learnable else []
        best, lead = choose(written) if written else (None, 0.0)
        if best is None or not best.clauses:
            assert (found.rule, found.rail) == (None, None)
        else:
            assert (found.rule, found.rail) == (table.to_rule(best.rail, best.clauses), best.rail)
            spoken += 1
        assert found.margin == (0.0 if best is None else lead) >= 0
    assert spoken > 10


@pytest.mark.parametrize("seed", range(4))
def test_limits_are_kept_on_larger_tables(seed: int) -> None:
    episode = random_episode(7, 80, seed=seed, missing=0.1)
    free = induce(episode, GUIDED).rule
    for clauses, literals in [(1, 8), (2, 1), (24, 1), (3, 2), (0, 8), (24, 0)]:
        limits = Limits(max_clauses=clauses, max_literals=literals)
        rule = induce(episode, GUIDED, limits=limits).rule
        if rule is None:
            continue
        assert 1 <= len(rule.clauses) <= clauses
        for clause in rule.clauses:  # what is true on the same rows counts once
            assert 1 <= len({truth(episode, literal) for literal in clause}) <= literals
    monotone = induce(episode, GUIDED, limits=Limits(negations=False)).rule
    assert monotone is None or all(x.positive for clause in monotone.clauses for x in clause)
    assert free is not None


def test_limits_that_leave_no_room_leave_no_rule() -> None:
    episode = fair_episode(6, 60)
    assert induce(episode, GUIDED).rule is not None
    assert induce(episode, GUIDED, limits=Limits(max_clauses=0)).rule is None
    assert induce(episode, GUIDED, limits=Limits(max_literals=0)).rule is None
