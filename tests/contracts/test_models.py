"""Both models keep the contract of models."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.model.load import Model, load_model
from gnri.symmetry.group import Symmetry
from tests.contracts import model_contract as contract
from tests.effort import half_as_often
from tests.model.cases import awkward_episodes, fair_episode, random_episode
from tests.model.guided_cases import random_guided, tie_heavy
from tests.strategies import episodes, symmetries_of

BUNDLED = {name: load_model(name) for name in ("gnri", "gnri-wide", "guided")}
MODELS: dict[str, Model] = {
    **BUNDLED,
    "tiny gnri": load_model(Path(__file__).parents[1] / "data" / "tiny-model"),
    "random guided": random_guided(3),
}
WEIGHTS = st.sampled_from([(1, 1), (1, 1), (2, 1), (1, 3)])

every_model = pytest.mark.parametrize("name", MODELS)
every_bundled = pytest.mark.parametrize("name", BUNDLED)


def planted() -> list[Episode]:
    """Tables of several sizes with a rule that a model can find, also with missing cells."""
    fair = [fair_episode(atoms, 50, seed=atoms) for atoms in (5, 8, 8, 12)]
    return [*fair, random_episode(6, 40, missing=0.1), random_episode(9, 30, unlabelled=0.3)]


@every_bundled
def test_a_model_has_a_name_and_a_hash(name: str) -> None:
    contract.check_name(MODELS[name])
    assert MODELS[name].name == name


@every_model
@half_as_often
@given(data=st.data())
def test_the_rule_follows_every_symmetry(name: str, data: st.DataObject) -> None:
    drawn = data.draw(episodes(max_rows=9, max_atoms=5))
    episode = Episode(drawn.values, drawn.labels, data.draw(WEIGHTS))
    contract.check_follows(MODELS[name], episode, [data.draw(symmetries_of(episode))])


def audit(model: Model, seed: int, tables: int, symmetries: int) -> list[bool]:
    """Whether each table rich in ties has a rule, which follows so many symmetries of it."""
    rng = np.random.default_rng([99, seed])
    spoken = []
    for _ in range(tables):
        episode = tie_heavy(rng)
        moves = [Symmetry.random(episode, rng=rng) for _ in range(symmetries)]
        contract.check_follows(model, episode, moves)
        spoken.append(contract.both_ways(model, episode)[0].rule is not None)
    return spoken


@every_model
def test_the_rule_follows_symmetries_of_tables_rich_in_ties(name: str) -> None:
    spoken = audit(MODELS[name], 0, tables=30, symmetries=4)
    assert 0.2 < np.mean(spoken) < 0.8  # neither silence nor rules alone


@pytest.mark.slow
@every_bundled
@pytest.mark.parametrize("seed", range(10, 30))
def test_the_rule_follows_2400_symmetries_of_tables_rich_in_ties(name: str, seed: int) -> None:
    assert len(audit(MODELS[name], seed, tables=60, symmetries=2)) == 60


@every_bundled
def test_the_rule_of_larger_tables_follows(name: str) -> None:
    rng = np.random.default_rng(1)
    for episode in [*planted(), fair_episode(128, 32)]:
        moves = [Symmetry.random(episode, rng=rng) for _ in range(2)]
        contract.check_follows(MODELS[name], episode, moves)


@every_model
@pytest.mark.parametrize("kind", awkward_episodes())
def test_on_awkward_tables(name: str, kind: str) -> None:
    model, episode = MODELS[name], awkward_episodes()[kind]
    rng = np.random.default_rng(0)
    generators = Symmetry.generators(atoms=episode.atoms, rows=episode.rows)
    drawn = [Symmetry.random(episode, rng=rng) for _ in range(3)]
    contract.check_follows(model, episode, [*generators, *drawn])
    contract.check_padding(model, episode)
    contract.check_copies(model, episode)


@every_bundled
def test_padding_and_copies_where_there_is_a_rule(name: str) -> None:
    for episode in planted():
        contract.check_padding(MODELS[name], episode)
        contract.check_copies(MODELS[name], episode)


@every_model
def test_it_abstains_where_nothing_can_be_said(name: str) -> None:
    contract.check_abstains(MODELS[name])


@every_model
def test_tables_are_answered_together_as_they_are_alone(name: str) -> None:
    rng = np.random.default_rng(5)
    contract.check_batch(
        MODELS[name],
        [*planted(), *awkward_episodes().values(), *(tie_heavy(rng) for _ in range(9))],
    )
