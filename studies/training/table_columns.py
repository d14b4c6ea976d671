"""Boolean columns as real tables have them: skewed, correlated, one-hot, nested, copied, missing.

Every column is a cut through a score: hidden factors that it shares with others, plus noise.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from studies.training.streams import normal, uniform

FACTORS = 6
# Up to where the lot of a table says that its columns are fair coins, cut at quantiles of their
# own, at the median, or one-hot in blocks; from there on they are nested in blocks.
COINS, SKEWED, EVEN, ONE_HOT = 0.1, 0.4, 0.55, 0.82


class Columns(NamedTuple):
    """Tables without missing cells, and the factors behind them."""

    truth: Tensor  # bool (batch, rows, atoms)
    factors: Tensor  # float (batch, rows, FACTORS); those that a table lacks are 0


def draw_columns(batch: int, rows: int, atoms: int, *, generator: torch.Generator) -> Columns:
    """Return `batch` tables, each of its own kind."""
    factors = normal((batch, rows, FACTORS), generator)
    # Each table has the first factor, and from few to all of the others.
    present = uniform((batch, 1, 1), generator) > uniform((batch, 1, FACTORS), generator)
    present[..., 0] = True
    factors = factors * present
    scores = _scores(factors, atoms, generator)
    blocks = _blocks(batch, atoms, generator)
    kind = uniform((batch, 1, 1), generator)
    cuts = _cuts(batch, atoms, generator)
    truth = torch.where(
        kind < ONE_HOT, one_hot(scores + cuts, blocks), nested(scores, blocks, cuts)
    )
    truth = torch.where(kind < EVEN, scores > 0, truth)
    truth = torch.where(kind < SKEWED, scores > cuts, truth)
    truth = torch.where(kind < COINS, uniform(truth.shape, generator) < 0.5, truth)
    return Columns(with_copies(truth, generator), factors)


def draw_known(truth: Tensor, *, generator: torch.Generator) -> Tensor:
    """Return which cells are known: in most tables all, in the others some columns lack some."""
    batch, _, atoms = truth.shape
    some = uniform((batch, 1, 1), generator) < 0.25
    rate = 0.3 * uniform((batch, 1, atoms), generator) * uniform((batch, 1, 1), generator)
    return ~(some & (uniform(truth.shape, generator) < rate))


def _scores(factors: Tensor, atoms: int, generator: torch.Generator) -> Tensor:
    """Return standard normal scores; in every fifth table the columns share nothing."""
    batch = len(factors)
    loadings = normal((batch, FACTORS, atoms), generator)
    dense = 0.2 + 0.8 * uniform((batch, 1, 1), generator)
    loadings = loadings * (uniform(loadings.shape, generator) < dense)
    strength = 2.5 * uniform((batch, 1, 1), generator)
    strength = strength * (uniform((batch, 1, 1), generator) < 0.8)
    loadings = loadings * strength
    spread = (1 + loadings.square().sum(1, keepdim=True)).sqrt()
    own = normal((batch, factors.shape[1], atoms), generator)
    return (factors @ loadings + own) / spread


def _blocks(batch: int, atoms: int, generator: torch.Generator) -> Tensor:
    """Return the block each column belongs to: neighbours, mostly few, numbered from 0."""
    often = 0.2 + 0.6 * uniform((batch, 1), generator)
    start = uniform((batch, atoms), generator) < often
    start[:, 0] = True
    return start.long().cumsum(1) - 1


def _cuts(batch: int, atoms: int, generator: torch.Generator) -> Tensor:
    """Return where a score becomes true: quantiles from 0.05 to 0.95."""
    share = 0.05 + 0.9 * uniform((batch, 1, atoms), generator)
    return torch.erfinv(2 * share - 1) * 2**0.5


def one_hot(scores: Tensor, blocks: Tensor) -> Tensor:
    """Mark the highest score of each block; a block of one is cut at 0."""
    index = blocks[:, None].expand_as(scores)
    lowest = torch.full_like(scores, -1e9)
    highest = lowest.scatter_reduce(2, index, scores, "amax").gather(2, index)
    size = torch.zeros_like(blocks).scatter_add(1, blocks, torch.ones_like(blocks))
    single = size.gather(1, blocks)[:, None] == 1
    return torch.where(single, scores > 0, scores >= highest)


def nested(scores: Tensor, blocks: Tensor, cuts: Tensor) -> Tensor:
    """Return the columns of a block cut one and the same score, each at its own place."""
    first = (blocks[:, 1:] != blocks[:, :-1]).long()
    places = torch.arange(blocks.shape[1], device=blocks.device)
    heads = torch.nn.functional.pad(first, (1, 0), value=1) * places
    heads = heads.cummax(1).values
    return scores.gather(2, heads[:, None].expand_as(scores)) > cuts


def with_copies(truth: Tensor, generator: torch.Generator) -> Tensor:
    """Return in some tables some columns are copies of others, a few of them imperfect."""
    batch, _, atoms = truth.shape
    some = uniform((batch, 1, 1), generator) < 0.2
    copied = some & (uniform((batch, 1, atoms), generator) < 0.15)
    source = (uniform((batch, 1, atoms), generator) * atoms).long().clamp(max=atoms - 1)
    copies = truth.gather(2, source.expand_as(truth))
    fault = 0.1 * uniform((batch, 1, atoms), generator)
    fault = fault * (uniform((batch, 1, atoms), generator) < 0.5)
    copies = copies ^ (uniform(truth.shape, generator) < fault)
    return torch.where(copied, copies, truth)
