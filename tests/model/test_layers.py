"""Each part of the networks, on NumPy arrays and on torch tensors."""

import numpy as np
import pytest
import torch

from gnri.model import layers
from gnri.model.guided.architecture import Counts, GuidedNetwork, Step
from gnri.model.layers import Weights, library
from gnri.model.nri.gram_statistics import Statistics, statistics
from gnri.model.nri.nri import Network
from tests.model.cases import PAIRED, awkward_episodes, random_episode, random_network
from tests.model.guided_cases import random_module
from tests.model.test_guided_network import asked

WIDE = np.concatenate([np.linspace(-20, 20, 4001), [-1e4, 1e4, 0.0, 8.9999, -8.9999]])


def arrays_of(some: tuple) -> list[np.ndarray]:
    return [part.numpy() for part in some]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["gelu", "sigmoid", "softplus", "relu", "softmax"])
def test_a_function_is_the_same_in_both(name: str, dtype: type) -> None:
    function, given = getattr(layers, name), WIDE.astype(dtype).reshape(-1, 2)
    found, wanted = function(given.copy()), function(torch.tensor(given).double())
    assert found.dtype == dtype
    tolerance = {np.float32: 3e-6, np.float64: 1e-13}[dtype]
    np.testing.assert_allclose(found, wanted.numpy(), rtol=tolerance, atol=tolerance)


def test_log_gamma_is_the_same_in_both() -> None:
    given = np.array([[1.0, 2.0, 3.5], [100.0, 1e6, 2.0]])
    wanted = layers.log_gamma(torch.tensor(given)).numpy()
    np.testing.assert_allclose(layers.log_gamma(given), wanted, rtol=1e-14)


def test_names_become_a_tree() -> None:
    tree = Weights({"a.0.weight": 1, "a.2.weight": 2, "bias": 3})
    assert (tree.a[0].weight, tree.a[2].weight, tree.bias) == (1, 2, 3)


def test_an_array_is_of_its_library() -> None:
    assert library(np.zeros(2)) is library(np.float64(1)) is np
    assert library(torch.zeros(2)) is torch


@pytest.mark.parametrize("seed", range(3))
def test_guided_answers_the_same_in_both(seed: int) -> None:
    module = random_module(seed)
    network = GuidedNetwork(module.config, module.arrays())
    counts, step = asked(3, 9, 5, seed)
    tokens, found = module.tokens(counts), network.tokens(Counts(*arrays_of(counts)))
    pairs = [
        (found, tokens),
        (network.beliefs(found), module.beliefs(tokens)),
        (
            network.noise_logit(found, counts.anchors.numpy()),
            module.noise_logit(tokens, counts.anchors),
        ),
        (
            network.actions(
                network.policy_tokens(found), Step(*arrays_of(step)), counts.sizes.numpy()
            ),
            module.actions(module.policy_tokens(tokens), step, counts.sizes),
        ),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", [*awkward_episodes(), "wide", "long"])
def test_the_papers_network_answers_the_same_in_both(kind: str) -> None:
    """Statistics too: they are whole numbers, or exact functions of them."""
    more = {"wide": random_episode(300, 40, missing=0.1), "long": random_episode(20, 5000)}
    episode = (awkward_episodes() | more)[kind]
    module = random_network("gnri-wide", seed=1, config=PAIRED)
    tables = episode.values[None], episode.labels[None]
    found = statistics(*tables, paired=True)
    wanted = statistics(*map(torch.tensor, tables), paired=True)
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.array_equal(ours, theirs.numpy())
    seen = found.usable[0]
    shown = Statistics(found.sizes, *(part[..., seen] for part in found[1:]))
    counts = np.ones((1, int(seen.sum())))
    ours = Network(PAIRED, module.arrays()).read(shown, counts)
    theirs = module.read(Statistics(*map(torch.tensor, shown)), torch.tensor(counts))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-10, atol=1e-10)
