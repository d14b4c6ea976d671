"""The figures by width, on learners whose figures are known beforehand."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.audit_report import jaccard
from gnri.symmetry.group import Symmetry
from studies.paper import PUBLISHED
from studies.paper import episodes as invariance
from studies.paper import networks as reading
from studies.paper import scaling as anchors
from studies.paper.baseline_networks import CONDITIONS, ConditionInducer, export_of
from studies.paper.episodes import (
    Moves,
    Reply,
    answer,
    figures,
    moves_of,
    network_figures,
    rule_replies,
    synthetic_episodes,
)
from studies.study import load_protocol
from studies.training.batch import Batch
from studies.training.coin_tables import rules
from tests.studies.paper.networks import network

SETTINGS = load_protocol(tiny=True).section("scaling")


def test_the_same_episodes_every_time() -> None:
    first = synthetic_episodes(7, 5, 10)
    synthetic_episodes.cache_clear()
    second = synthetic_episodes(7, 5, 10)
    assert torch.equal(first[0].batch.values, second[0].batch.values)
    assert all(torch.equal(*pair) for pair in zip(first[1:], second[1:], strict=True))


def test_the_hidden_rule_itself_is_never_wrong() -> None:
    hidden = rules(synthetic_episodes(8, 6, 50)[0])

    def replies(batch: Batch) -> Iterator[Reply]:
        for index, rule in enumerate(hidden):
            yield rule, rule.evaluate(batch.episode(index).values)

    found = figures(replies, 8, 6, 50)
    assert (found["support_accuracy"], found["fresh_fidelity"], found["coverage"]) == (1, 1, 1)


def test_abstaining_answers_with_the_majority() -> None:
    episode = Episode([[1], [1], [-1]], [-1, -1, 1])
    assert answer(None, episode, episode.values).tolist() == [-1, -1, -1]
    assert answer(SignedDNF([[(0, True)]]), episode, episode.values).tolist() == [1, 1, -1]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_condition_can_be_measured(condition: str) -> None:
    found = network_figures(network(condition), 6, SETTINGS, SETTINGS.draws)
    assert all(0 <= float(figure) <= 1 for figure in found.values())
    if CONDITIONS[condition].canonical_export:
        assert found["label_jaccard"] == 1
        assert float(found["bn_max_dev"]) < 1e-6 and float(found["g_max_dev"]) < 1e-6
    else:
        assert float(found["g_max_dev"]) > 1e-3


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = network_figures(network("gnri").double(), 6, SETTINGS, SETTINGS.draws)
    monkeypatch.setattr(reading, "CELLS", 1)
    parts = network_figures(network("gnri").double(), 6, SETTINGS, SETTINGS.draws)
    assert parts.keys() == whole.keys()
    assert all(parts[key] == pytest.approx(whole[key], abs=1e-12) for key in whole)


def test_the_batched_reading_is_the_inducer_s() -> None:
    batch = synthetic_episodes(6, 4, 10)[0].batch
    for condition in ("nri", "gnri"):
        net = network(condition).double()
        for index, scores in enumerate(reading.scores_of(net, batch)):
            slow = ConditionInducer(net, condition)(batch.episode(index))
            assert np.allclose(scores.literals, slow.literals, atol=1e-9)
            assert np.allclose(scores.gates, slow.gates, atol=1e-9)


def test_moves_are_symmetries() -> None:
    batch = synthetic_episodes(6, 3, 10)[0].batch
    moves = moves_of(batch, generator=torch.Generator().manual_seed(0))
    moved = moves(batch)
    for index in range(3):
        g = symmetry_of(moves, index)
        assert g(batch.episode(index)) == moved.episode(index)


def symmetry_of(moves: Moves, index: int) -> Symmetry:
    """The same element as the group has it: where each atom goes, signs by the source."""
    atoms, signs = moves.atoms[index].tolist(), moves.signs[index].tolist()
    flips = [False] * len(atoms)
    for place, atom in enumerate(atoms):
        flips[atom] = signs[place] < 0
    rows = np.argsort(moves.rows[index].numpy())
    return Symmetry(tuple(np.argsort(atoms).tolist()), tuple(flips), tuple(rows.tolist()))


@pytest.mark.parametrize("condition", ["nri", "eqarch", "gnri"])
def test_drifts_are_those_of_the_plain_definition(condition: str) -> None:
    net, batch = network(condition).double(), synthetic_episodes(6, 3, 10)[0].batch
    before = reading.predictions_of(net, batch)
    found = invariance.max_devs(net, batch, before, 2)
    generator = invariance.seeded("moves", 6)
    kept, swapped = [], []
    for _ in range(2):
        moves = moves_of(batch, generator=generator)
        for index in range(3):
            episode, g = batch.episode(index), symmetry_of(moves, index)
            swap = Symmetry(g.atoms, g.flips, g.rows, label=True)
            old = soft(net, episode)[episode.labels != 0]
            for move, devs, expected in ((g, kept, old), (swap, swapped, 1 - old)):
                new = soft(net, move(episode))[list(g.rows)][episode.labels != 0]
                devs.append(float(np.abs(new - expected).max()))
    assert found["bn_max_dev"] == pytest.approx(np.mean(kept), abs=1e-9)
    assert found["g_max_dev"] == pytest.approx(np.mean(swapped), abs=1e-9)


def soft(net, episode: Episode) -> np.ndarray:
    batch = Batch(torch.tensor(episode.values)[None], torch.tensor(episode.labels)[None])
    return reading.predictions_of(net, batch).of(net.condition)[0].numpy()


@pytest.mark.parametrize("condition", ["nri", "gnri"])
def test_the_label_jaccard_is_that_of_swapped_tables(condition: str) -> None:
    net, batch = network(condition).double(), synthetic_episodes(6, 4, 10)[0].batch
    scores, export = reading.scores_of(net, batch), export_of(net.condition)
    plain = []
    for index, other in enumerate(reading.scores_of(net, batch.swapped())):
        rule = export(scores[index], batch.episode(index)).rule
        found = export(other, batch.swapped().episode(index)).rule
        plain.append(jaccard(None if rule is None else ~rule, found))
    assert invariance.label_jaccard(net, scores, batch) == pytest.approx(np.mean(plain))


def test_the_best_literal() -> None:
    episode = Episode([[1, -1], [1, 1], [-1, 1], [-1, -1]], [-1, -1, 1, 1])
    assert anchors.best_literal(episode) == SignedDNF([[(0, False)]])
    constant = Episode([[1], [-1], [1]], [1, 1, 1])
    assert anchors.best_literal(constant) is None


def test_anchors_are_ordered_as_they_should_be() -> None:
    def support(name: str) -> float:
        found = figures(lambda batch: rule_replies(anchors.ANCHORS[name], batch), 6, 12, 10)
        return float(found["support_accuracy"])

    found = [support(name) for name in ("majority", "best literal", "cart")]
    assert found == sorted(found)
    assert found[-1] == 1.0


def test_the_paper_s_differences_are_those_of_its_means() -> None:
    for table in PUBLISHED["headline"].values():
        assert list(map(int, table)) == list(load_protocol().section("scaling").atoms)
        for row in table.values():
            gap = row["gnri"][0] - row["baseline"][0]
            assert row["difference"][0] == pytest.approx(gap, abs=0.0011)
            assert row["difference"][1] <= row["difference"][0] <= row["difference"][2]
