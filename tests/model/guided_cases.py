"""Tables rich in ties, and guided models with random weights."""

from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.model.guided.architecture import GuidedConfig, GuidedNetwork
from gnri.model.guided.candidates import Guided
from studies.training.modules import GuidedModule
from tests.search.slow import cube, labelled

SMALL = GuidedConfig(width=16, layers=2, heads=2, pair_width=6, pooled=3, anchors=6)
BLOCKS = ((2,), (3,), (4,), (2, 2), (1, 2), (1, 3), (2, 3))


def random_guided(seed: int) -> Guided:
    """Few anchors, so that groups of them are left out; a decoder that writes long rules."""
    return Guided(GuidedNetwork(SMALL, random_module(seed).arrays()))


@cache
def random_module(seed: int) -> GuidedModule:
    """The same in torch."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        network = GuidedModule(SMALL).double().requires_grad_(False)
        for parameter in network.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
        network.policy.end[2].bias.sub_(1.0)
    return network


def tie_heavy(rng: np.random.Generator) -> Episode:
    """A table of one of the kinds below."""
    makers = (symmetric_target, blocks, ring, *(5 * (scrambled,)))
    return makers[rng.integers(len(makers))](rng)


def symmetric_target(rng: np.random.Generator) -> Episode:
    """All rows of a cube, labelled by how many atoms are true, or by XOR; maybe a little noise."""
    atoms = int(rng.integers(2, 5))
    values = cube(atoms)
    true = (values > 0).sum(1)
    targets = (
        true % 2 == 1,
        true > atoms / 2,
        true == 1,
        true == atoms - 1,
        (true == 0) | (true == atoms),
        values[:, 0] != values[:, 1],
    )
    noise = (rng.random(len(values)) < 0.1) & (rng.random() < 0.3)
    return labelled(values, targets[rng.integers(len(targets))] ^ noise)


def blocks(rng: np.random.Generator) -> Episode:
    """All rows of a cube, labelled by how many atoms of each block are true."""
    sizes = BLOCKS[rng.integers(len(BLOCKS))]
    values = cube(sum(sizes))
    counts = [part.sum(1) for part in np.split(values > 0, np.cumsum(sizes)[:-1], axis=1)]
    place = counts[0] * 5 + (counts[1] if len(counts) > 1 else 0)
    return labelled(values, (rng.random(25) < 0.5)[place])


def ring(rng: np.random.Generator) -> Episode:
    """Every rotation of one row, repeated."""
    atoms = int(rng.integers(3, 7))
    base = rng.choice([-1, 1], atoms)
    values = np.array([np.roll(base, by) for by in range(atoms)] * int(rng.integers(1, 4)))
    targets = (
        np.resize(rng.random(atoms) < 0.5, len(values)),
        (values[:, 0] == values[:, 1]) | (values[:, -1] > 0),
        np.resize([True, False], len(values)),
    )
    return labelled(values, targets[rng.integers(len(targets))])


def scrambled(rng: np.random.Generator) -> Episode:
    """Random rows: copied, complementary and missing columns, repeated rows, mirrors, XOR."""
    atoms, rows = int(rng.integers(1, 7)), int(rng.integers(1, 25))
    values = rng.choice([-1, 0, 1] if rng.random() < 0.5 else [-1, 1], (rows, atoms))
    labels = rng.choice([-1, 0, 1] if rng.random() < 0.3 else [-1, 1], rows)
    if rng.random() < 0.7:
        values = values[:, rng.integers(atoms, size=atoms)] * rng.choice([-1, 1], atoms)
    if rng.random() < 0.5:
        repeated = rng.integers(rows, size=rows)
        values, labels = values[repeated], labels[repeated]
    if rng.random() < 0.4:
        values, labels = _mirrored(values, values[:, ::-1], labels, rng)
    if rng.random() < 0.3:
        values, labels = _mirrored(values, -values, labels, rng)
    if rng.random() < 0.4:
        first, second = rng.integers(atoms, size=2)
        labels = np.where(values[:, first] * values[:, second] > 0, 1, -1)
    return Episode(values, labels)


def _mirrored(
    values: NDArray[np.int64],
    image: NDArray[np.int64],
    labels: NDArray[np.int64],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and their images, with the same labels or with the others."""
    sign = rng.choice([-1, 1])
    return np.concatenate([values, image]), np.concatenate([labels, sign * labels])


def identity(columns: int) -> Episode:
    """Each column is true on a row of its own; every other row is positive."""
    return Episode(2 * np.eye(columns, dtype=int) - 1, np.resize([1, -1], columns))
