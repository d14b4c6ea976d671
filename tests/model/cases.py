"""Networks with no weight left at zero, and tables of every awkward kind."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from gnri.episode import Episode
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.nri import NRI, Network
from studies.paper.baseline_networks import (
    CONDITIONS,
    Condition,
    ConditionInducer,
    ConditionNetwork,
)
from studies.training.batch import Batch

TIE_COMPLETE = [name for name, condition in CONDITIONS.items() if condition.tie_complete]
SMALL = ModelConfig(width=32, slots=4, layers=2, heads=2, pair_width=8, content_width=16)
PAIRED = replace(SMALL, sized=True, paired=True)


def random_network(
    condition: Condition | str, *, seed: int = 0, config: ModelConfig = SMALL, noise: float = 0.1
) -> ConditionNetwork:
    """A float64 network with noise on every parameter, biases and norms included."""
    if isinstance(condition, str):
        condition = CONDITIONS[condition]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = ConditionNetwork(config, condition).double().eval().requires_grad_(False)
        for parameter in network.parameters():
            parameter.add_(noise * torch.randn_like(parameter))
    return network


def random_inducer(name: str, *, seed: int = 0, dtype: torch.dtype = torch.float32) -> NRI:
    """In the precision that models are shipped in: rounding is then too coarse to go unseen."""
    network = random_network(name, seed=seed).to(dtype)
    if name != "gnri":
        return ConditionInducer(network, name)
    return NRI(Network(SMALL, network.arrays()), name)


def collate(episodes: Sequence[Episode]) -> Batch:
    """The episodes as one batch, each padded with 0 to the largest."""
    rows = max(episode.rows for episode in episodes)
    atoms = max(episode.atoms for episode in episodes)
    values = torch.zeros(len(episodes), rows, atoms, dtype=torch.int8)
    labels = torch.zeros(len(episodes), rows, dtype=torch.int8)
    for index, episode in enumerate(episodes):
        values[index, : episode.rows, : episode.atoms] = torch.tensor(episode.values)
        labels[index, : episode.rows] = torch.tensor(episode.labels)
    return Batch(values, labels)


def random_episode(
    atoms: int, rows: int, *, seed: int = 0, missing: float = 0.0, unlabelled: float = 0.0
) -> Episode:
    """Columns of different rates, and labels that lean on the first."""
    rng = np.random.default_rng([seed, atoms, rows])
    values = np.where(rng.random((rows, atoms)) < rng.uniform(0.1, 0.9, atoms), 1, -1)
    labels = np.where(rng.random(rows) < 0.7, values[:, 0], rng.choice([-1, 1], rows))
    values = values * (rng.random(values.shape) >= missing)
    return Episode(values, labels * (rng.random(rows) >= unlabelled))


def fair_episode(atoms: int, rows: int, *, seed: int = 0) -> Episode:
    """Fair coins labelled by x0 & x1 | ~x2: the kind of task the shipped weights are trained on."""
    rng = np.random.default_rng([seed, atoms, rows])
    values = rng.choice([-1, 1], (rows, atoms))
    labels = np.maximum(np.minimum(values[:, 0], values[:, 1]), -values[:, 2])
    return Episode(values, labels)


def awkward_episodes() -> dict[str, Episode]:
    """Tables on which columns, literals or rails tie, or from which something is absent."""
    rng = np.random.default_rng(7)
    coins = rng.choice([-1, 1], (12, 3))
    labels = rng.choice([-1, 1], 12)
    twins = np.column_stack([coins, coins[:, ::-1], -coins])
    constants = np.column_stack([coins, np.ones(12), -np.ones(12)])
    holes = twins * (rng.random(twins.shape) >= 0.3)
    even = np.array([[1, 1, 1, 1], [1, -1, -1, 1], [-1, 1, -1, -1], [-1, -1, 1, -1]])
    return {
        "duplicate and complementary columns": Episode(twins, labels),
        "constant columns": Episode(constants, labels),
        "balanced columns": Episode(np.vstack([even, even]), np.repeat([1, -1], 4)),
        "its own label swap": Episode(np.vstack([coins, -coins]), np.repeat([1, -1], 12)),
        "identical rails": Episode(np.vstack([coins, coins]), np.repeat([1, -1], 12)),
        "rails that differ in multiplicity alone": Episode(
            np.repeat([[1, 1, 0], [0, 0, 1]], 4, axis=0), np.repeat([1, -1], 4)
        ),
        "missing cells in twins": Episode(holes, labels),
        "an all-missing column": Episode(twins * ([1] * 8 + [0]), labels),
        "a column missing in one class": Episode(
            np.column_stack([coins, coins[:, 0] * (labels > 0)]), labels
        ),
        "unlabelled rows": Episode(holes, labels * (rng.random(12) >= 0.4)),
        "one class": Episode(twins, np.ones(12)),
        "the other class": Episode(twins, -np.ones(12)),
        "two rows": Episode(coins[:2], [1, -1]),
        "one row": Episode(coins[:1], [1]),
        "one atom": Episode(coins[:, :1], labels),
    }
