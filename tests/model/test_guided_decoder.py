"""The decoder writes what a slow, obvious one writes, and breaks no tie by the order of columns."""

import numpy as np
import pytest

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.model.guided import inference as reader
from gnri.model.guided.inference import propose
from gnri.model.guided.rule_decoder import (
    CLAUSES,
    LITERALS,
    PATIENCE,
    STOP_BIASES,
    Draft,
    _best,
    round_logits,
)
from gnri.model.load import load_model
from gnri.rules.dnf import Literal
from tests.model.cases import fair_episode, random_episode
from tests.model.guided_cases import identity, random_guided, tie_heavy
from tests.model.guided_slow import slow_read

FREE = np.array([5, 9, 7], np.uint64)


def written(network, episode: Episode) -> list[list]:
    proposals = propose(network, Problem.from_episode(episode).rails)
    return [list(proposal.rules) for proposal in proposals]


def check(network, episode: Episode) -> int:
    """The number of clauses of all rules."""
    if not Problem.from_episode(episode).is_learnable:
        return 0
    found = written(network, episode)
    assert found == [proposal.rules for proposal in slow_read(network, episode)]
    return sum(len(clauses) for rail in found for clauses in rail)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_slow_one_on_tables_rich_in_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    guided = random_guided(seed) if seed % 2 else load_model("guided")
    assert sum(check(guided.network, tie_heavy(rng)) for _ in range(15)) > 5


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_the_slow_one_on_larger_tables(seed: int) -> None:
    """Long rules, several clauses, missing cells and rows without labels."""
    episode = random_episode(8, 70, seed=seed, missing=0.1, unlabelled=0.1)
    assert check(random_guided(seed + 1).network, episode) > 0
    assert check(load_model("guided").network, episode) > 0
    assert check(load_model("guided").network, fair_episode(6, 50, seed=seed)) > 8


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 8])
def test_agrees_with_the_slow_one_where_it_may_choose_from_few(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(reader, "CHOICES", most)
    rng = np.random.default_rng(most)
    network = load_model("guided").network
    tables = [fair_episode(6, 50), *(tie_heavy(rng) for _ in range(4))]
    found = [
        written(network, episode)
        for episode in tables
        if Problem.from_episode(episode).is_learnable
    ]
    assert sum(check(network, episode) for episode in tables) > 0 or most == 0
    for rail in (rail for rails in found for rail in rails):
        assert len({x for clauses in rail for clause in clauses for x in clause}) <= most


def test_each_bias_writes_a_rule_of_its_own() -> None:
    found = written(load_model("guided").network, fair_episode(6, 60))
    assert [len(rail) for rail in found] == [len(STOP_BIASES)] * 2
    assert len({clauses for rail in found for clauses in rail}) > 2


@pytest.mark.parametrize("seed", range(6))
def test_no_rule_is_longer_than_the_decoder_goes(seed: int) -> None:
    """A network that hardly wants to end, on noise: patience and the limits stop it."""
    guided = random_guided(100 + seed)
    episode = random_episode(10, 120, seed=seed)
    guided.network.policy.end[2].bias = guided.network.policy.end[2].bias - 1e3
    check(guided.network, episode)
    rules = written(guided.network, episode)
    for clauses in (rule for rail in rules for rule in rail):
        assert len(clauses) <= CLAUSES
        assert all(1 <= len(clause) <= LITERALS for clause in clauses)


def test_a_rule_is_broken_off_after_clauses_that_tell_nothing() -> None:
    table = Problem.from_episode(
        identity(40)
    )  # a clause for each row, so that there is always one more
    draft = Draft(0, table.rails[0], 0.0)
    chosen = (table.index()[Literal(atom, True)] for atom in range(0, 40, 2))
    lengths = iter([9.0, 8.0, *range(10, 20)])
    draft._length = lambda: next(lengths)
    while not draft.done:
        draft.clause = frozenset({next(chosen)})
        draft._finish()
    assert len(draft.finished) == 2 + PATIENCE
    assert draft.rule == frozenset(draft.finished[:2])


def logits(*values: float) -> np.ndarray:
    return round_logits(np.array(values, float))


def test_the_best_literal_is_put_in() -> None:
    assert _best(logits(1, 3, 2, 0), FREE, 0.0) == 1
    assert _best(logits(1, 3, -1, 2.5), FREE, 0.0) == 1


def test_the_clause_ends_where_no_literal_is_better() -> None:
    assert _best(logits(1, 3, 2, 4), FREE, 0.0) is None
    assert _best(logits(1, 3, 2, 3), FREE, 0.0) is None
    assert _best(logits(1, 3, 2, 4), FREE, 2.0) == 1
    assert _best(logits(-np.inf, -np.inf, -np.inf, 0), FREE, 8.0) is None


def test_a_tie_goes_to_the_lower_code_and_ends_the_clause_between_equal_ones() -> None:
    twins = np.array([5, 9, 5], np.uint64)
    assert _best(logits(3, 3, 1, 0), FREE, 0.0) == 0
    assert _best(logits(1, 3, 3, 0), FREE, 0.0) == 2
    assert _best(logits(3, 1, 3, 0), twins, 0.0) is None
    assert _best(logits(3, 3, 3, 0), twins, 0.0) is None
    assert _best(logits(1, 3, 1, 0), twins, 0.0) == 1


def test_what_differs_by_rounding_alone_is_a_tie() -> None:
    noise = 1e-9
    assert _best(logits(3, 3 + noise, 1, 0), FREE, 0.0) == 0
    assert _best(logits(1, 3 + noise, 2, 3), FREE, 0.0) is None


def test_a_rule_is_cut_back_to_where_it_tells_most() -> None:
    rail = Problem.from_episode(random_episode(4, 30)).rails[0]
    draft = Draft(0, rail, 0.0)
    draft.finished = tuple(frozenset({i}) for i in range(4))
    draft.lengths = [9.0, 7.0, 8.0, 7.0]
    assert draft.rule == {frozenset({0}), frozenset({1})}
    assert Draft(0, rail, 0.0).rule == frozenset()


def test_rules_that_begin_alike_ask_the_network_once(monkeypatch: pytest.MonkeyPatch) -> None:
    network = load_model("guided").network
    asked = []
    answer = network.actions

    def counted(tokens, *given):
        asked.append(len(tokens))
        return answer(tokens, *given)

    monkeypatch.setattr(network, "actions", counted)
    rules = written(network, fair_episode(6, 60))
    assert asked[0] == 2  # one for each rail, though there are as many drafts as biases
    literals = sum(len(c) for rail in rules for clauses in rail for c in clauses)
    assert 0 < sum(asked) < literals + sum(len(clauses) for rail in rules for clauses in rail)
