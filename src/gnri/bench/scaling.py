"""How a frozen network fares as the table gets wider: the paper's twelve schema sizes.

Support accuracy scores the soft prediction on the rows it was conditioned on; fresh fidelity
scores the exported rule on new rows labelled by the hidden rule. The episodes are drawn on the
CPU from a seed of their own, so every model and anchor, on any device, meets the same ones.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gnri.bench.results import Row, append, provenance
from gnri.episodes.batch import Batch
from gnri.episodes.episode import Episode
from gnri.episodes.prior import PriorConfig, Sample, fresh_rows, sample
from gnri.episodes.scores import Scores
from gnri.episodes.stream import seeded
from gnri.export import export_of
from gnri.logic.formula import SignedDNF
from gnri.model.loading import load_network
from gnri.model.network import Network
from gnri.model.tnorm import soft_truth

ATOMS = (6, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)
EPISODES = 100
FRESH_ROWS = 1000
CELLS = 2**22  # pair scores held at once on the device


def episodes_of(atoms: int, count: int = EPISODES) -> tuple[Sample, Tensor, Tensor]:
    """Episodes of one width, with fresh rows and their true labels."""
    generator = seeded("scaling", atoms)
    drawn = sample(PriorConfig(atoms=(atoms, atoms)), count, generator=generator)
    return drawn, *fresh_rows(drawn, FRESH_ROWS, generator=generator)


def evaluate(network: Network, atoms: int, count: int = EPISODES) -> Row:
    """The figures of a network on tables of one width."""
    export = export_of(network.condition)

    def replies(batch: Batch) -> Iterator[Reply]:
        for index, (scores, signal) in enumerate(_scores(network, batch)):
            yield (
                export(scores, batch.episode(index)).rule,
                np.where(signal >= 0, 1, -1).astype(np.int8),
            )

    return figures(replies, atoms, count)


Reply = tuple[SignedDNF | None, NDArray[np.int8]]
"""The rule for an episode, and what is predicted for its own rows."""


def figures(replies: Callable[[Batch], Iterable[Reply]], atoms: int, count: int) -> Row:
    """Support accuracy, fresh fidelity and coverage of whatever answers the episodes."""
    drawn, fresh, truth = episodes_of(atoms, count)
    support, fidelity, covered = [], [], []
    for index, (rule, predicted) in enumerate(replies(drawn.batch)):
        episode = drawn.batch.episode(index)
        shown = episode.labels != 0
        support.append(np.mean(predicted[shown] == episode.labels[shown]))
        said = answer(rule, episode, fresh[index].numpy())
        fidelity.append(np.mean(said == truth[index].numpy()))
        covered.append(rule is not None)
    return {
        "atoms": atoms,
        "support_accuracy": float(np.mean(support)),
        "fresh_fidelity": float(np.mean(fidelity)),
        "coverage": float(np.mean(covered)),
        "episodes": count,
    }


def answer(rule: SignedDNF | None, episode: Episode, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """What a rule says of new rows; where it abstains, the majority of the support labels."""
    if rule is None:
        return np.full(len(values), 1 if episode.labels.sum() >= 0 else -1, np.int8)
    return rule.evaluate(values)


def measure(folder: Path, results: Path, *, device: str, condition: str | None = None) -> None:
    """Add a row for each width to `results`, from the checkpoint in `folder`."""
    network, found = load_network(folder, condition=condition)
    network.to(device)
    facts = {
        "condition": condition or found.condition,
        "seed": found.extra["recipe"]["seed"],
        "batch_size": found.extra["recipe"]["train"]["batch_size"],
        "checkpoint": found.sha256[:12],
    }
    for atoms in ATOMS:
        append(results, [facts | evaluate(network, atoms) | provenance(device)])


@torch.no_grad()
def _scores(network: Network, batch: Batch) -> Iterator[tuple[Scores, NDArray[np.float64]]]:
    """Scores of each episode and the sign of its prediction, run in chunks on the device.

    R_avg >= 1/2 is read as R(X, Y) >= R(X, 1 - Y): far beyond the trained width both can be
    smaller than the rounding of 1/2.
    """
    device = network.decoder.queries.device
    network.eval()
    chunk = max(1, CELLS // (2 * batch.values.shape[2]) ** 2)
    for start in range(0, len(batch), chunk):
        part = Batch(batch.values[start : start + chunk], batch.labels[start : start + chunk])
        rails = network(part.to(device).both_rails())
        literals = torch.sigmoid(rails.literal_logits.double())
        gates = torch.sigmoid(rails.gate_logits.double())
        soft = soft_truth(literals, gates, part.to(device).both_rails().values)
        given, swapped = soft.chunk(2)
        signal = given - swapped if network.condition.label_average else given - 0.5
        both = [torch.stack(tensor.chunk(2), 1).cpu().numpy() for tensor in (literals, gates)]
        for index in range(len(part)):
            yield Scores(both[0][index], both[1][index]), signal[index].cpu().numpy()
