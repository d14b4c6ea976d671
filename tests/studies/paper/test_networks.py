"""What a GPU computes, tried on the CPU: the same answers, and no step that waits for a number."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gnri.model.layers import PAIRS, fits_gpu
from gnri.model.nri import gram_statistics as statistics
from gnri.model.nri import pair_memory as pairs
from studies.paper import networks as recording
from studies.paper.baseline_networks import ConditionNetwork
from studies.training.batch import Batch
from tests.model.cases import awkward_episodes, collate, random_episode, random_network

WAITS = ("_local_scalar_dense", "nonzero", "unique", "masked_select", "lift_fresh")
Answered = Callable[[ConditionNetwork, Batch], Any]


class Unlooked(TorchDispatchMode):
    """Refuses every step that looks at a number or copies one from the processor."""

    def __torch_dispatch__(self, step: Any, types: Any, given: Any = (), named: Any = None) -> Any:
        name = step._schema.name
        masks = name == "aten::index" and any(
            place is not None and place.dtype == torch.bool for place in given[1]
        )
        assert not masks and not any(wait in name for wait in WAITS), f"{name} waits"
        return step(*given, **(named or {}))


@pytest.fixture
def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Answered]:
    """Run a network on the CPU with the steps that it takes on a GPU."""

    def answered(network: ConditionNetwork, batch: Batch) -> Any:
        with monkeypatch.context() as patched, Unlooked():
            for module in (pairs, statistics):
                patched.setattr(module, "fits_gpu", lambda *_: True)
            return network(batch)

    yield answered


def same(left: Any, right: Any) -> bool:
    return all((a - b).abs().max() < 1e-9 for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("kind", awkward_episodes())
@pytest.mark.parametrize("name", ["eqarch", "gnri"])
def test_no_step_waits_and_the_answer_is_the_same(
    as_on_a_gpu: Answered, name: str, kind: str
) -> None:
    network, batch = random_network(name), collate([awkward_episodes()[kind]])
    assert same(as_on_a_gpu(network, batch), network(batch))
    assert same(as_on_a_gpu(network, batch.both_rails()), network(batch.both_rails()))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("atoms", [12, 300])
@pytest.mark.parametrize("name", ["eqarch", "gnri"])
def test_of_several_tables_and_of_wide_ones(
    as_on_a_gpu: Answered, name: str, atoms: int, missing: float
) -> None:
    network = random_network(name, seed=atoms)
    tables = [random_episode(atoms - 2 * i, 30 + i, seed=i, missing=missing) for i in range(3)]
    assert same(as_on_a_gpu(network, collate(tables)), network(collate(tables)))


def test_a_look_at_a_number_is_seen() -> None:
    with pytest.raises(AssertionError, match="waits"), Unlooked():
        random_network("gnri")(collate([random_episode(12, 30)]))


def test_only_a_gpu_computes_what_could_be_left_out_and_only_what_fits() -> None:
    assert not fits_gpu(torch.zeros(0), 1, 2)
    assert fits_gpu(SimpleNamespace(device=torch.device("cuda")), PAIRS // 2**10, 2**5)
    assert not fits_gpu(SimpleNamespace(device=torch.device("cuda")), PAIRS // 2**10 + 1, 2**5)


def plain(network: ConditionNetwork, batch: Batch) -> recording.RailScores:
    """The slow version: one rail after the other."""
    rails = [network(batch), network(batch.swapped())]
    parts = (torch.stack(part, 1).double() for part in zip(*rails, strict=True))
    return recording.RailScores(*map(torch.sigmoid, parts))


@pytest.fixture
def tapes(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """In place of a GPU's recordings: each runs the network on its own batch when played."""
    made: list[Batch] = []

    def recorded(network: ConditionNetwork, batch: Batch) -> recording.Recording:
        own = Batch(batch.values.clone(), batch.labels.clone())
        scores = plain(network, own)
        made.append(own)

        def replay() -> None:
            for kept, new in zip(scores, plain(network, own), strict=True):
                kept.copy_(new)

        return recording.Recording(SimpleNamespace(replay=replay), own, scores)  # type: ignore[arg-type]

    monkeypatch.setattr(recording, "fits_gpu", lambda *_: True)
    monkeypatch.setattr(recording, "_record", recorded)
    return made


def test_the_second_answer_of_a_shape_is_recorded_and_later_ones_are_played(
    tapes: list[Batch],
) -> None:
    network = random_network("gnri")
    for seed in range(4):
        batch = collate([random_episode(12, 30, seed=seed)])
        assert same(recording.rail_scores(network, batch), plain(network, batch))
        assert len(tapes) == min(seed, 1)


def test_each_shape_and_each_network_has_its_own(tapes: list[Batch]) -> None:
    for network in (random_network("gnri"), random_network("gnri", seed=1)):
        for _ in range(2):
            for atoms in (12, 13):
                batch = collate([random_episode(atoms, 30)])
                assert same(recording.rail_scores(network, batch), plain(network, batch))
    assert len(tapes) == 4


def test_other_weights_are_not_answered_from_a_recording_of_these(tapes: list[Batch]) -> None:
    network, batch = random_network("gnri"), collate([random_episode(12, 30)])
    for number, dtype in enumerate((torch.float64, torch.float32), 1):
        for _ in range(2):
            found = recording.rail_scores(network.to(dtype), batch)
            assert found.gates.dtype == torch.float64
        assert len(tapes) == number


def test_old_recordings_give_their_memory_back(tapes: list[Batch]) -> None:
    network = random_network("gnri")
    for atoms in range(3, 4 + recording.KEPT):
        for _ in range(2):
            recording.rail_scores(network, collate([random_episode(atoms, 9)]))
    held = recording._recordings[network]
    assert [key[-1][-1] for key in held] == list(range(4, 4 + recording.KEPT))  # type: ignore[index]


@pytest.mark.parametrize("name", ["nri", "gnri"])
def test_on_the_cpu_and_with_content_keys_nothing_is_recorded(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == "nri":
        monkeypatch.setattr(recording, "fits_gpu", lambda *_: True)
    network, batch = random_network(name), collate([random_episode(12, 30)])
    for _ in range(3):
        assert same(recording.rail_scores(network, batch), plain(network, batch))
    assert network not in recording._recordings
