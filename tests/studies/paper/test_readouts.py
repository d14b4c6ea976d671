"""Read-outs and the native forward, on networks and scores whose figures are known."""

from types import MethodType

import numpy as np
import pytest
import torch

from gnri.model.nri.slot_decoder import SlotDecoder
from gnri.model.paper_export import canonical_export
from gnri.scores import Scores
from gnri.symmetry.audit import audit
from studies.paper import native_forward
from studies.paper.episodes import synthetic_episodes
from studies.paper.native_forward import ARMS, Arm, pair_scores, probe
from studies.paper.networks import Predictions, model_of
from studies.paper.readouts import READ_OUTS, ranked_right, tie_shares
from studies.training.batch import Batch
from tests.model.cases import random_network
from tests.studies.paper.networks import network

TINY = 1e-12  # far below the rounding of one half in single precision


def test_rails_that_underflow_are_told_apart_only_where_they_are_compared() -> None:
    given, swapped = torch.tensor([[2 * TINY, 0.0]]).double(), torch.tensor([[0.0, TINY]]).double()
    found = Predictions(given, swapped)
    said = {name: (read.evidence(found) >= 0).tolist() for name, read in READ_OUTS.items()}
    assert said["one rail"] == [[False, False]]  # no everywhere
    assert said["average"] == [[True, True]]  # rounded to one half
    assert said["compared"] == [[True, False]]


def test_ranks_need_no_threshold() -> None:
    labels = torch.tensor([[1, 1, -1, 0], [1, 1, 1, 1]])
    evidence = torch.tensor([[-0.1, -0.3, -0.2, 9.0], [0.0, 0.0, 0.0, 0.0]])
    assert ranked_right(evidence, labels) == 0.5  # one of two pairs; the second has no pair
    assert ranked_right(torch.zeros(1, 4), labels[:1]) == 0.5


def test_empty_rails_and_atoms_without_a_sign() -> None:
    literals, gates = np.zeros((2, 1, 3, 2)), np.ones((2, 1))
    empty = Scores(literals.copy(), gates)
    literals[1, 0, 0] = 0.9, 0.1
    literals[1, 0, 1] = 0.8, 0.8
    filled = Scores(literals, gates)
    shares = {name: tie_shares(read, [empty, filled]) for name, read in READ_OUTS.items()}
    assert shares["one rail"] == {"empty": 1.0, "unsigned": 0.0}
    assert shares["compared"] == {"empty": 0.5, "unsigned": 0.5}


@pytest.mark.parametrize("arm", ARMS)
def test_only_the_tie_complete_forward_follows_negations(arm: str) -> None:
    batch = synthetic_episodes(5, 6, 10)[0].batch
    tables = [batch.episode(index) for index in range(len(batch))]
    net = probe(random_network("eqarch"), "eqarch", 0, ARMS[arm]).double()
    report = audit(model_of(net, canonical_export, plain=True), tables)
    moved = [s.max_dev for s in report.transforms if s.transform.startswith("negations")]
    assert (max(filter(None, [*moved, 0.0]), default=0.0) < 1e-9) == ARMS[arm].tie_complete


@pytest.mark.parametrize("pairs", [True, False])
def test_the_preference_for_x_is_what_breaks_negations(pairs: bool) -> None:
    """With the tie-symmetric exclusion alone the native forward follows every symmetry."""
    batch = synthetic_episodes(5, 6, 10)[0].batch
    tables = [batch.episode(index) for index in range(len(batch))]
    net = probe(random_network("eqarch"), "eqarch", 0, Arm(pairs=pairs)).double()
    net.exclude = MethodType(SlotDecoder.exclude, net)  # type: ignore[method-assign]
    report = audit(model_of(net, canonical_export, plain=True), tables)
    assert max(s.max_dev or 0.0 for s in report.transforms) < 1e-9


def test_without_pair_memory_its_weights_do_not_matter() -> None:
    batch = synthetic_episodes(6, 3, 10)[0].batch
    for arm, same in ((Arm(pairs=False), True), (Arm(), False)):
        nets = [probe(network("eqarch"), "eqarch", 0, arm) for _ in range(2)]
        for part in nets[1].decoder.pairs.parameters():
            part.data += 1
        answers = [net(batch).literal_logits for net in nets]
        assert torch.equal(*answers) == same


def test_self_pairs_that_tie_are_counted() -> None:
    batch = synthetic_episodes(6, 2, 10)[0].batch
    net = probe(network("eqarch"), "eqarch", 0, Arm())
    for part in net.decoder.pairs.parameters():
        part.data.zero_()  # all 66 pairs of 12 literals score one half, the 6 self-pairs too
    found = native_forward.pair_ties(net, batch)
    assert found["exact"] == found["near"] == 66 and found["near_self"] == 6
    assert found["last"] == found["self_low"] == found["best"] == 0.5


def test_pair_scores_are_those_that_the_network_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    net, seen = probe(network("eqarch"), "eqarch", 0, Arm()).train(), []  # looks at all pairs
    plain = type(net).choose
    monkeypatch.setattr(
        type(net), "choose", lambda self, scores, *_: seen.append(scores) or plain(self, scores, *_)
    )
    episode = synthetic_episodes(6, 1, 10)[0].batch
    net(Batch(episode.values, episode.labels))
    assert torch.allclose(torch.sigmoid(seen[0][0]), pair_scores(net, net.seen[0]), atol=1e-6)


def test_a_plain_model_reads_the_table_as_it_comes() -> None:
    net, batch = network("gnri"), synthetic_episodes(6, 1, 10)[0].batch
    models = [model_of(net, canonical_export, plain=plain) for plain in (True, False)]
    plain, ordered = (model.scores(batch.episode(0)) for model in models)
    assert np.allclose(plain.literals, ordered.literals, atol=1e-5)
