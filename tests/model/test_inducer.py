"""Scores that move with the table to the last bit, and the baseline's, which do not."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.model.nri.nri import NRI, Network
from gnri.model.paper_export import canonical_export
from gnri.symmetry.audit import audit
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import TRANSFORMS
from studies.paper.baseline_networks import native_export
from tests.model.cases import (
    PAIRED,
    TIE_COMPLETE,
    awkward_episodes,
    collate,
    fair_episode,
    random_episode,
    random_inducer,
    random_network,
)
from tests.model.reference import reference
from tests.strategies import episodes, symmetries_of

EXACT = random_inducer("gnri")
DOUBLE = random_inducer("gnri", dtype=torch.float64)
DOUBLE_NETWORK = random_network("gnri")
TOLD_OF_PAIRS = NRI(
    Network(PAIRED, random_network("gnri-wide", config=PAIRED).float().arrays()), "gnri-wide"
)


def all_exact(inducer: NRI, episode: Episode, elements: list[Symmetry]) -> bool:
    """The scores of every moved episode are the moved scores, to the last bit."""
    scores = inducer(episode)
    return all(inducer(g(episode)) == g(scores) for g in elements)


def audited(episode: Episode, seed: int = 0) -> list[Symmetry]:
    rng = np.random.default_rng(seed)
    return [transform(episode, rng=rng) for transform in TRANSFORMS.values()]


@pytest.mark.parametrize("name", TIE_COMPLETE)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(("atoms", "rows"), [(12, 32), (128, 32), (12, 2000), (300, 40)])
def test_scores_are_exact_on_random_tables(name, atoms, rows, missing):
    inducer = random_inducer(name)
    episode = random_episode(atoms, rows, missing=missing, unlabelled=0.1)
    assert all_exact(inducer, episode, audited(episode))


@pytest.mark.parametrize("kind", awkward_episodes())
def test_scores_are_exact_on_awkward_tables(kind):
    episode = awkward_episodes()[kind]
    generators = Symmetry.generators(atoms=episode.atoms, rows=episode.rows)
    assert all_exact(EXACT, episode, [*generators, *audited(episode)])


@pytest.mark.parametrize("inducer", [EXACT, TOLD_OF_PAIRS])
@given(data=st.data())
def test_scores_are_exact_on_drawn_tables(inducer, data):
    episode = data.draw(episodes(max_rows=9, max_atoms=6))
    assume((episode.values[episode.labels != 0] != 0).any())
    assert all_exact(inducer, episode, [data.draw(symmetries_of(episode))])


@pytest.mark.parametrize("kind", awkward_episodes())
def test_a_network_told_of_pairs_is_exact_and_reads_the_table_as_it_comes(kind):
    """Atoms of equal counts are told apart by their pairs, and even ones turned by them."""
    episode = awkward_episodes()[kind]
    scores = TOLD_OF_PAIRS(episode)
    assert all_exact(TOLD_OF_PAIRS, episode, audited(episode))
    logits = random_network("gnri-wide", config=PAIRED)(collate([episode]).both_rails())
    wanted = torch.sigmoid(logits.literal_logits).numpy()
    assert np.abs(scores.literals - wanted).max() < 1e-4


def test_pairs_tell_the_two_literals_of_an_evenly_split_atom_apart():
    """Half of the rows of either class have the first atom; with the second it is positive."""
    first = [1, 1, -1, -1, 1, -1, 1, -1]
    second = [1, 1, -1, 1, -1, 1, -1, -1]
    episode = Episode(np.column_stack([first, second, [1] * 8]), [1] * 4 + [-1] * 4)
    literals = TOLD_OF_PAIRS(episode).literals
    assert (literals[:, :, 0, 0] != literals[:, :, 0, 1]).any()
    assert np.array_equal(*EXACT(episode).literals[:, :, 0].transpose(2, 0, 1))
    assert all_exact(
        TOLD_OF_PAIRS, episode, [g for seed in range(4) for g in audited(episode, seed)]
    )


@pytest.mark.parametrize("kind", awkward_episodes())
def test_the_scores_are_those_of_the_definition(kind):
    """Reading equal atoms once, in an order of its own, is still the same network."""
    episode = awkward_episodes()[kind]
    scores = DOUBLE(episode)
    for rail, labels in enumerate([episode.labels, -episode.labels]):
        wanted = reference(DOUBLE_NETWORK, Episode(episode.values, labels))
        assert np.abs(scores.literals[rail] - wanted.literals.numpy()).max() < 1e-9
        assert np.abs(scores.gates[rail] - wanted.gates.numpy()).max() < 1e-9


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_both_rails_are_the_network_on_both_labellings(missing):
    episode = random_episode(20, 31, missing=missing)
    scores = DOUBLE(episode)
    for rail, labels in enumerate([episode.labels, -episode.labels]):
        wanted = reference(DOUBLE_NETWORK, Episode(episode.values, labels))
        assert np.abs(scores.literals[rail] - wanted.literals.numpy()).max() < 1e-9
        assert np.abs(scores.gates[rail] - wanted.gates.numpy()).max() < 1e-9


def test_equal_columns_get_equal_scores():
    twins = awkward_episodes()["duplicate and complementary columns"]
    literals = EXACT(twins).literals
    for copy, complement in [(5, 6), (4, 7), (3, 8)]:
        original = 5 - copy
        assert np.array_equal(literals[:, :, copy], literals[:, :, original])
        assert np.array_equal(literals[:, :, complement], literals[:, :, original, ::-1])


def test_a_balanced_atom_gets_one_score_for_both_literals():
    literals = EXACT(awkward_episodes()["balanced columns"]).literals
    assert np.array_equal(literals[..., 0], literals[..., 1])
    assert (literals > 0).all()


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_what_is_not_there_leaves_no_trace(missing):
    """Columns with no observed cell, and rows with neither label nor cell."""
    episode = random_episode(9, 21, missing=missing)
    larger = Episode(np.pad(episode.values, ((0, 5), (0, 4))), np.pad(episode.labels, (0, 5)))
    scores, padded = DOUBLE(episode), DOUBLE(larger)
    assert np.array_equal(padded.literals[:, :, :9], scores.literals)
    assert np.array_equal(padded.gates, scores.gates)
    assert (padded.literals[:, :, 9:] == 0).all()
    assert canonical_export(padded, larger) == canonical_export(scores, episode)


@pytest.mark.parametrize("name", TIE_COMPLETE)
def test_unlabelled_rows_do_not_count(name):
    inducer, episode = random_inducer(name), random_episode(9, 21, missing=0.1, unlabelled=0.4)
    shown = episode.labels != 0
    assert inducer(episode) == inducer(Episode(episode.values[shown], episode.labels[shown]))


def test_the_baseline_is_not_equivariant():
    inducer = random_inducer("nri", seed=2)
    tables = [fair_episode(12, 32, seed=seed) for seed in range(4)]
    report = audit(lambda episode: native_export(inducer(episode), episode), tables)
    shares = {summary.transform: summary.rule_eq for summary in report.transforms}
    assert shares["rows 1"] == shares["rows 2"] == 1
    assert max(shares["negations 1"], shares["label"], shares["everything"]) < 0.5
    assert report.total.coverage > 0.9


@pytest.mark.parametrize("part", ["atoms", "flips"])
def test_the_scores_of_the_baseline_drift(part):
    inducer, episode = random_inducer("nri"), random_episode(12, 32)
    g = Symmetry.random(episode, rng=np.random.default_rng(0), parts=(part,))
    drift = np.abs(inducer(g(episode)).literals - g(inducer(episode)).literals).max()
    assert drift > 1e-3


@pytest.mark.parametrize(
    "episode",
    [Episode([[1, -1], [1, 1]], [0, 0]), Episode(np.zeros((3, 2)), [1, -1, 1])],
    ids=["no label", "no cell"],
)
def test_without_evidence_every_score_is_zero_and_the_export_abstains(episode):
    scores = EXACT(episode)
    assert not scores.literals.any()
    assert not scores.gates.any()
    assert canonical_export(scores, episode).rule is None
