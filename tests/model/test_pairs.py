"""Entries that stand for several atoms, against each of those atoms with an entry of its own."""

import pytest
import torch

from tests.model.cases import SMALL, random_network


@pytest.mark.parametrize("tie_complete", [True, False])
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("atoms", [2, 40, 200])
@pytest.mark.parametrize("seed", range(5))
def test_an_entry_with_a_count_is_that_many_entries(seed, atoms, alike, tie_complete):
    """Where query and key are `alike`, a literal pairs best with its own copies."""
    generator = torch.Generator().manual_seed(seed)
    network = random_network("gnri" if tie_complete else "eqarch")
    memory = network.decoder.pairs
    for parameter in memory.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    if alike:
        memory.key.weight.copy_(memory.query.weight)
    drawn = torch.randn(1, atoms, 2, SMALL.width, generator=generator, dtype=torch.float64) / 4
    slots = torch.randn(1, SMALL.slots, SMALL.width, generator=generator, dtype=torch.float64)
    counts = torch.randint(1, 3, (1, atoms), generator=generator)
    if not tie_complete:
        counts[:] = 1  # the baseline cuts ties by position, so copies are not alike to it
    copies = drawn.repeat_interleave(counts[0], 1)
    once = network.remember(memory, slots, drawn.flatten(1, 2), counts.double())
    single = torch.ones(copies.shape[:2]).double()
    each = network.train().remember(memory, slots, copies.flatten(1, 2), single)
    assert (once - each).abs().max() < 1e-9
