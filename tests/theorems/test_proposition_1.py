"""Proposition 1: the score map (p+, p-) is B_N-equivariant when its hypotheses hold.

They are: literal sign zeroed, content keys off, tie-complete pair selection, polarity-averaged
pair embeddings and no atom-indexed parameter; and, which the paper does not list, a mutual
exclusion that takes no side on a tie. The statement is about the network itself, literal by
literal in the order given, and holds in exact arithmetic: here within 1e-9 in float64. That the
`NRI` makes it hold to the last bit is tested in tests/model/test_inducer.py.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.scores import Scores
from gnri.symmetry.group import Symmetry
from studies.paper.baseline_networks import CONDITIONS, Condition, ConditionNetwork
from tests.model.cases import awkward_episodes, collate, random_episode, random_network
from tests.strategies import episodes, symmetries_of

pytestmark = pytest.mark.theorem("Proposition 1")

EQUIVARIANT = CONDITIONS["gnri"]
TOLERANCE, BREAK = 1e-9, 1e-3


def score_map(network: ConditionNetwork, episode: Episode) -> np.ndarray:
    """(p+, p-) of the positive rail, (slots, atoms, 2)."""
    return torch.sigmoid(network(collate([episode])).literal_logits[0]).numpy()


def drift(network: ConditionNetwork, episode: Episode, g: Symmetry) -> float:
    """How far the scores of g(episode) are from the moved scores of the episode."""
    rail = score_map(network, episode)
    moved = g(Scores([rail, rail], np.zeros((2, len(rail))))).literals[0]  # on a grid of 2^-32
    return float(np.abs(score_map(network, g(episode)) - moved).max())


def signed_permutation(episode: Episode, seed: int, *parts: str) -> Symmetry:
    rng = np.random.default_rng(seed)
    return Symmetry.random(episode, rng=rng, parts=parts or ("atoms", "flips"))


def saturated(network: ConditionNetwork, factor: float) -> ConditionNetwork:
    """The same network with its pair scores driven into the flat ends of the sigmoid.

    Each literal gets the same query and key, so that a pair of like literals scores high.
    """
    pairs = network.decoder.pairs
    pairs.query.weight.mul_(factor)
    pairs.key.weight.copy_(pairs.query.weight)
    return network


def all_pairs_tied(condition: Condition) -> ConditionNetwork:
    """A network whose pair scores are all exactly 1/2."""
    return saturated(random_network(condition), 0.0)


NETWORKS = {
    "plain": random_network(EQUIVARIANT),
    "saturated": saturated(random_network(EQUIVARIANT), 10.0),
    "flat": saturated(random_network(EQUIVARIANT), 100.0),
    "all pairs tied": all_pairs_tied(EQUIVARIANT),
}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """The tensors are small, and a test may share the machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@given(data=st.data())
def test_the_score_map_is_equivariant(data):
    kind, episode = data.draw(st.sampled_from(sorted(NETWORKS))), data.draw(episodes())
    assume((episode.values[episode.labels != 0] != 0).any())
    drawn = data.draw(symmetries_of(episode))
    g = Symmetry(drawn.atoms, drawn.flips, drawn.rows)  # the labels stay
    assert drift(NETWORKS[kind], episode, g) < TOLERANCE


@pytest.mark.parametrize("kind", ["plain", "all pairs tied"])
@pytest.mark.parametrize("table", awkward_episodes())
def test_on_the_generators_of_the_signed_permutations(kind, table):
    episode = awkward_episodes()[table]
    one = Symmetry.identity(atoms=episode.atoms, rows=episode.rows)
    for g in Symmetry.generators(atoms=episode.atoms, rows=episode.rows):
        if g.rows == one.rows and not g.label:
            assert drift(NETWORKS[kind], episode, g) < TOLERANCE


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize(("atoms", "missing"), [(12, 0.0), (12, 0.2), (128, 0.0), (128, 0.2)])
def test_on_random_elements(kind, atoms, missing):
    episode = random_episode(atoms, 33, missing=missing)
    for seed in range(5):
        assert drift(NETWORKS[kind], episode, signed_permutation(episode, seed)) < TOLERANCE


def test_the_saturated_network_ties_more_pairs_than_it_asks_for():
    """Otherwise the cases above would say nothing about ties: fewer pairs, another answer."""
    network, episode = saturated(random_network(EQUIVARIANT), 100.0), random_episode(12, 33)
    whole = score_map(network, episode)
    network.config = replace(network.config, pairs=network.config.pairs + 1)
    assert np.array_equal(score_map(network, episode), whole)  # the ninth pair was in already
    plain = random_network(EQUIVARIANT)
    whole = score_map(plain, episode)
    plain.config = network.config
    assert np.abs(score_map(plain, episode) - whole).max() > BREAK / 10


def worst_drift(network: ConditionNetwork, *parts: str) -> float:
    episode = random_episode(12, 33)
    return max(drift(network, episode, signed_permutation(episode, s, *parts)) for s in range(5))


def test_the_literal_sign_breaks_it():
    with_sign = Condition(literal_sign=True, content_keys=False, tie_complete=True)
    network = random_network(with_sign)
    assert worst_drift(network, "flips") > BREAK
    assert worst_drift(network, "atoms") < TOLERANCE


def test_content_keys_break_it():
    with_keys = Condition(literal_sign=False, content_keys=True, tie_complete=True)
    network = random_network(with_keys)
    assert worst_drift(network, "atoms") > BREAK
    assert worst_drift(network, "flips") > BREAK


def test_a_pair_selection_that_cuts_ties_by_index_breaks_it():
    network = all_pairs_tied(CONDITIONS["eqarch"])
    assert worst_drift(network, "atoms") > BREAK


def test_without_ties_the_native_selection_commutes():
    """At initialisation, says the paper: random pair scores do not tie."""
    network = random_network("eqarch")
    assert worst_drift(network, "atoms") < TOLERANCE
    assert worst_drift(network, "flips") < TOLERANCE


def test_positive_first_exclusion_breaks_it_on_a_balanced_column():
    """The break beside the three that the paper lists."""
    table = random_episode(6, 16)
    values, labels = np.array(table.values), np.repeat([1, -1], 8)
    values[:, 0] = np.tile([1, -1], 8)
    episode = Episode(values, labels)
    negate = Symmetry(tuple(range(6)), (True, *[False] * 5), tuple(range(16)))
    assert drift(random_network("eqarch"), episode, negate) > BREAK
    assert drift(random_network(EQUIVARIANT), episode, negate) < TOLERANCE


@pytest.mark.parametrize("name", ["nri", "eqarch"])
def test_row_order_never_mattered(name):
    assert worst_drift(random_network(name), "rows") < TOLERANCE
