"""What the network reads: whole groups of anchors, and the same whoever is shown first."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.model.guided import inference as reader
from gnri.model.guided.candidates import Guided
from gnri.model.guided.inference import Proposal, _anchors, _likeliest, propose
from gnri.model.load import load_model
from gnri.symmetry.group import Symmetry
from tests.model.cases import random_episode
from tests.model.guided_cases import identity, random_guided, tie_heavy
from tests.model.guided_slow import slow_anchors, slow_first, slow_rails, slow_read
from tests.search.slow import hard_tables
from tests.strategies import episodes


def anchors(table: Problem, number: int, most: int) -> list[int]:
    rail = table.rails[number]
    target, rest = (part[0] for part in rail.count(rail.everything[None]))
    return _anchors(rail, target, rest, most).tolist()


def slow_places(episode: Episode, number: int, most: int) -> list[int]:
    rail = slow_rails(episode)[number]
    return [rail.places[i] for i in slow_anchors(rail, most)]


@given(episodes(max_rows=9, max_atoms=6), st.integers(1, 12))
def test_anchors_are_whole_groups_the_most_telling_first(episode, most) -> None:
    table = Problem.from_episode(episode)
    for number in (0, 1):
        found = anchors(table, number, most)
        codes = table.rails[number].codes
        assert set(found) == set(slow_places(episode, number, most))
        assert len(found) <= most
        inside, outside = codes[found], np.delete(codes, found)
        assert not np.isin(inside, outside).any()


@given(episodes(max_rows=9, max_atoms=6), st.integers(1, 12), st.data())
def test_the_decoder_may_choose_whole_groups_the_likeliest_first(episode, most, data) -> None:
    """Literals that look the same are believed the same."""
    rail = Problem.from_episode(episode).rails[0]
    grid = {code: data.draw(st.sampled_from([-1.0, 0.0, 1.0])) for code in set(rail.codes.tolist())}
    beliefs = np.array([grid[code] for code in rail.codes.tolist()])
    order = np.argsort(rail.codes, kind="stable")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "CHOICES", most)
        places = _likeliest(rail, order, beliefs)
    assert places.tolist() == sorted(places.tolist())
    wanted = slow_first(beliefs.tolist(), rail.codes.tolist(), most)
    assert set(order[places].tolist()) == set(wanted)


def test_where_all_literals_fit_all_are_anchors() -> None:
    table = Problem.from_episode(random_episode(5, 40))
    assert sorted(anchors(table, 0, 10)) == list(range(10))
    assert len(anchors(table, 0, 9)) == 9


def moved(proposal: Proposal, table: Problem, g: Symmetry) -> dict:
    """What is read, by literals that g has moved."""
    return {
        "beliefs": {
            g(literal): belief
            for members, belief in zip(table.classes, proposal.beliefs.tolist(), strict=True)
            for literal in members
        },
        "noise": proposal.noise,
        "rules": [
            {frozenset(map(g, clause)) for clause in table.to_rule(0, rule).clauses}
            for rule in proposal.rules
        ],
    }


def check_moves(guided: Guided, episode: Episode, symmetries: Iterable[Symmetry]) -> None:
    table = Problem.from_episode(episode)
    if not table.is_learnable:
        return
    found = propose(guided.network, table.rails)
    for g in symmetries:
        image = Problem.from_episode(g(episode))
        proposals = propose(guided.network, image.rails)
        same = Symmetry.identity(atoms=episode.atoms, rows=episode.rows)
        for number, proposal in enumerate(found):
            wanted = moved(proposals[number ^ g.label], image, same)
            assert moved(proposal, table, g) == wanted


@pytest.mark.parametrize("seed", range(4))
def test_readings_move_with_every_symmetry_on_tables_rich_in_ties(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for all literals, and with few anchors and few literals to choose from."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        monkeypatch.setattr(reader, "CHOICES", 5)
    guided = random_guided(seed) if seed % 2 else load_model("guided")
    for _ in range(20):
        episode = tie_heavy(rng)
        check_moves(guided, episode, [Symmetry.random(episode, rng=rng) for _ in range(2)])


@pytest.mark.parametrize("name", hard_tables())
def test_readings_move_on_hard_tables(name: str) -> None:
    episode, rng = hard_tables()[name], np.random.default_rng(0)
    check_moves(load_model("guided"), episode, [Symmetry.random(episode, rng=rng)])


@pytest.mark.parametrize("seed", range(3))
def test_a_label_swap_exchanges_the_rails(seed: int) -> None:
    episode = random_episode(6, 40, seed=seed, missing=0.2)
    swapped = Episode(episode.values, -episode.labels)
    first, second = (
        propose(load_model("guided").network, Problem.from_episode(e).rails)
        for e in (episode, swapped)
    )
    for proposal, other in zip(first, second[::-1], strict=True):
        assert (proposal.beliefs == other.beliefs).all()
        assert (proposal.noise, proposal.rules) == (other.noise, other.rules)
    assert first[0].noise != first[1].noise


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_counts_taken_from_the_rows(seed: int) -> None:
    episode = random_episode(7, 50, seed=seed, missing=0.1, unlabelled=0.1)
    for guided in (random_guided(seed), load_model("guided")):
        found = propose(guided.network, Problem.from_episode(episode).rails)
        for proposal, slow in zip(found, slow_read(guided.network, episode), strict=True):
            assert proposal.beliefs.tolist() == slow.beliefs
            assert proposal.noise == slow.noise


def test_beliefs_and_noise_lie_on_a_grid() -> None:
    for proposal in propose(
        load_model("guided").network, Problem.from_episode(random_episode(6, 40)).rails
    ):
        assert (proposal.beliefs * 2**20 % 1 == 0).all()
        assert proposal.noise * 2**20 % 1 == 0
        assert 0 <= proposal.noise <= 1


def test_a_table_without_anchors_can_be_read() -> None:
    """140 columns that look the same in each half are more than there is room for."""
    table = Problem.from_episode(identity(140))
    assert anchors(table, 0, 64) == []
    for proposal in propose(load_model("guided").network, table.rails):
        assert np.isfinite(proposal.beliefs).all()
        assert 0 <= proposal.noise <= 1


@pytest.mark.parametrize("at_once", [1, 7, 30])
def test_literals_read_a_few_at_a_time_say_the_same(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = load_model("guided").network
    table = Problem.from_episode(random_episode(40, 90))
    expected = propose(network, table.rails)
    monkeypatch.setattr(reader, "AT_ONCE", at_once)
    for one, other in zip(propose(network, table.rails), expected, strict=True):
        np.testing.assert_array_equal(one.beliefs, other.beliefs)
        assert (one.noise, one.rules) == (other.noise, other.rules)
