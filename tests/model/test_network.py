"""The fast network against its definition, and what it must leave untouched."""

import numpy as np
import pytest
import torch

from gnri.episode import Episode
from gnri.model.nri.encoder import literal_features
from gnri.model.nri.gram_statistics import statistics
from gnri.model.nri.slot_decoder import ABSENT, SlotLogits
from studies.paper.baseline_networks import CONDITIONS, ConditionNetwork
from tests.model.cases import SMALL, awkward_episodes, collate, random_episode, random_network
from tests.model.reference import Answer, features, read, reference

TOLERANCE = 1e-9
SIZES = [(12, 32), (128, 32), (12, 2000), (128, 2000)]


def answer(network: ConditionNetwork, *episodes: Episode) -> Answer:
    """Probabilities of the last of the episodes, read in one batch; padding cut off."""
    logits = network(collate(episodes))
    literals = torch.sigmoid(logits.literal_logits[-1, :, : episodes[-1].atoms])
    return Answer(literals, torch.sigmoid(logits.gate_logits[-1]))


def gap(left: torch.Tensor, right: torch.Tensor) -> float:
    return float((left - right).abs().max())


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(("atoms", "rows"), SIZES)
@pytest.mark.parametrize("name", CONDITIONS)
def test_the_forward_is_the_definition(name: str, atoms: int, rows: int, missing: float) -> None:
    network = random_network(name, seed=atoms)
    episode = random_episode(atoms, rows, missing=missing)
    found, wanted = answer(network, episode), reference(network, episode)
    assert gap(found.literals, wanted.literals) < TOLERANCE
    assert gap(found.gates, wanted.gates) < TOLERANCE
    assert wanted.literals.std() > 0.1  # the answer is not a constant


def test_a_sized_network_is_told_how_many_atoms_there_are_and_nothing_else() -> None:
    """Padding and atoms that were never observed do not count; entries count by multiplicity."""
    stats = statistics(*vars(collate([random_episode(5, 20), random_episode(9, 20)])).values())
    counts = stats.usable.double()
    plain, sized = (literal_features(stats, counts, sized=flag) for flag in (False, True))
    changed = (plain != sized).any((0, 1, 2))
    assert changed.nonzero().flatten().tolist() == [11]
    assert torch.allclose(4 * sized[:, 0, 0, 11], torch.tensor([5.0, 9.0]).log().double())
    twice = literal_features(stats, 2 * counts, sized=True)
    assert torch.allclose(4 * twice[:, 0, 0, 11], torch.tensor([10.0, 18.0]).log().double())


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("atoms", "rows"), [(1, 5), (6, 9), (150, 7)])
def test_the_pairs_of_a_literal_are_the_best_of_all_its_conjunctions(atoms, rows, missing) -> None:
    episode = random_episode(atoms, rows, missing=missing, unlabelled=0.2)
    found = statistics(episode.values[None], episode.labels[None], paired=True).pairs[0]
    cells = np.stack([episode.values > 0, episode.values < 0])  # (signs, rows, atoms)
    flat = cells.transpose(0, 2, 1).reshape(2 * atoms, rows)
    for side, label in enumerate((1, -1)):
        wanted, other = (episode.labels == value for value in (label, -label))
        total, rest = int(wanted.sum()), int(other.sum())
        for literal in range(0, 2 * atoms, 1 if atoms < 10 else 29):
            both = flat & flat[literal]
            true, false = both[:, wanted].sum(1), both[:, other].sum(1)
            lead = true * rest - false * total
            alone = flat[:, wanted].sum(1) * rest - flat[:, other].sum(1) * total
            gain = lead - np.maximum(alone, alone[literal])
            best = lead.max(), true[false == 0].max(initial=0), gain.max()
            sign, atom = divmod(literal, atoms)
            assert found[sign, side, :, atom].tolist() == list(best)


@pytest.mark.parametrize("name", ["nri", "eqarch", "gnri"])
@pytest.mark.parametrize("seed", range(12))
def test_on_many_small_tables(name: str, seed: int) -> None:
    network = random_network(name, seed=seed)
    for atoms, rows in [(3, 3), (13, 21), (30, 20)]:
        episode = random_episode(atoms, rows, seed=seed, missing=0.1 * (seed % 3))
        found, wanted = answer(network, episode), reference(network, episode)
        assert gap(found.literals, wanted.literals) < TOLERANCE
        assert gap(found.gates, wanted.gates) < TOLERANCE


@pytest.mark.parametrize("name", ["nri", "eqarch", "gnri"])
@pytest.mark.parametrize("atoms", [3, 4, 13])
def test_where_all_pairs_tie(name: str, atoms: int) -> None:
    """Cut by index, the first eight of the list are in; tie-complete, all of them."""
    network, episode = random_network(name), random_episode(atoms, 21)
    network.decoder.pairs.query.weight.zero_()
    found, wanted = answer(network, episode), reference(network, episode)
    assert gap(found.literals, wanted.literals) < TOLERANCE
    assert gap(found.gates, wanted.gates) < TOLERANCE


@pytest.mark.parametrize("kind", awkward_episodes())
@pytest.mark.parametrize("name", ["nri", "eqarch", "gnri"])
def test_on_awkward_tables(name: str, kind: str) -> None:
    network, episode = random_network(name), awkward_episodes()[kind]
    found, wanted = answer(network, episode), reference(network, episode)
    assert gap(found.literals, wanted.literals) < TOLERANCE
    assert gap(found.gates, wanted.gates) < TOLERANCE


@pytest.mark.parametrize("kind", awkward_episodes())
def test_every_feature_is_its_definition(kind: str) -> None:
    episode = awkward_episodes()[kind]
    stats, table = (
        statistics(torch.tensor(episode.values)[None], torch.tensor(episode.labels)[None]),
        read(episode),
    )
    found = literal_features(stats, stats.usable.double())[0, table.atoms]
    assert gap(found.flatten(0, 1), features(table, literal_sign=False)) < 1e-11


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", CONDITIONS)
def test_padding_changes_nothing(name: str, missing: float) -> None:
    """The content keys of wider tables depend on their width, so the small ones fit the trained."""
    network = random_network(name)
    assert SMALL.content_atoms == 12
    small = random_episode(10, 20, missing=missing, unlabelled=0.2)
    large = random_episode(40, 60, missing=missing)
    alone = network(collate([small]))
    padded = network(collate([small, large]))
    assert gap(alone.literal_logits[0], padded.literal_logits[0, :, :10]) < 1e-12
    assert gap(alone.gate_logits[0], padded.gate_logits[0]) < 1e-12
    assert (padded.literal_logits[0, :, 10:] == ABSENT).all()
    assert (torch.sigmoid(padded.literal_logits[0, :, 10:].float()) == 0).all()


@pytest.mark.parametrize("seed", range(100, 130))
def test_padding_never_competes_in_the_pair_memory(seed: int) -> None:
    """A padded literal has an embedding like any other, and may score high with real ones."""
    network = random_network("gnri", seed=seed)
    small, large = random_episode(14, 20, seed=seed), random_episode(40, 30, seed=seed + 1)
    alone, padded = network(collate([small])), network(collate([small, large]))
    assert gap(alone.literal_logits[0], padded.literal_logits[0, :, :14]) < 1e-9


@pytest.mark.parametrize("name", ["eqarch", "gnri"])
def test_a_wide_table_is_read_in_blocks(name: str) -> None:
    """More literals than the pair memory and the statistics look at together."""
    network, episode = random_network(name, seed=3), random_episode(300, 40, missing=0.1)
    found, wanted = answer(network, episode), reference(network, episode)
    assert gap(found.literals, wanted.literals) < TOLERANCE
    assert gap(found.gates, wanted.gates) < TOLERANCE


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("atoms", [12, 150])
@pytest.mark.parametrize("name", CONDITIONS)
def test_training_and_inference_are_one_network(name: str, atoms: int, missing: float) -> None:
    """Inference looks at fewer pairs; answers and gradients agree."""
    network = random_network(name, seed=5).requires_grad_(True)
    batch = collate([random_episode(atoms, 30, seed=i, missing=missing) for i in range(2)])
    found = []
    for training in (True, False):
        logits = network.train(training)(batch)
        loss = torch.sigmoid(logits.literal_logits).sum() + logits.gate_logits.square().sum()
        slopes = torch.autograd.grad(loss, list(network.parameters()))
        found.append((SlotLogits(*(part.detach() for part in logits)), slopes))
    (plain, slopes), (fewer, others) = found
    assert gap(plain.literal_logits, fewer.literal_logits) < TOLERANCE
    assert gap(plain.gate_logits, fewer.gate_logits) < TOLERANCE
    assert max(gap(a, b) for a, b in zip(slopes, others, strict=True)) < 1e-8
    assert all(slope.abs().max() > 0 for slope in slopes)


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_batch_is_its_episodes(name: str) -> None:
    """A table with missing cells beside one without: each is read as if it were alone."""
    network = random_network(name)
    episodes = [random_episode(10, 20, seed=i, missing=0.2 * (i % 2)) for i in range(4)]
    together = network(collate(episodes))
    for i, episode in enumerate(episodes):
        alone = network(collate([episode]))
        assert gap(alone.literal_logits[0], together.literal_logits[i]) < 1e-9
        assert gap(alone.gate_logits[0], together.gate_logits[i]) < 1e-9


@pytest.mark.parametrize("name", CONDITIONS)
def test_reading_changes_nothing_in_the_module(name: str) -> None:
    """A table wider than the content keys were trained on included."""
    network = random_network(name)
    before = {key: tensor.clone() for key, tensor in network.state_dict().items()}
    buffers = {key: tensor.clone() for key, tensor in network.named_buffers()}
    small, wide = random_episode(8, 20), random_episode(3 * SMALL.content_atoms, 20)
    first = [answer(network, episode) for episode in (small, wide)]
    torch.rand(1)  # nor does the answer read the global generator
    second = [answer(network, episode) for episode in (small, wide)]
    for one, other in zip(first, second, strict=True):
        assert torch.equal(one.literals, other.literals)
        assert torch.equal(one.gates, other.gates)
    after = dict(network.state_dict())
    assert before.keys() == after.keys()
    assert all(torch.equal(before[key], after[key]) for key in before)
    assert all(torch.equal(buffers[key], tensor) for key, tensor in network.named_buffers())


@pytest.mark.parametrize("name", CONDITIONS)
def test_an_atom_has_at_most_one_literal_unless_they_tie(name: str) -> None:
    network = random_network(name)
    literals = answer(network, random_episode(12, 32)).literals
    assert ((literals > 0).sum(-1) == 1).all()
