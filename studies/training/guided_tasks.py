"""Episodes for the guided model: tables as real ones are, noisy labels, a short rule a rail."""

from typing import NamedTuple

import torch
from torch import Tensor

from studies.training.hidden_targets import Target, draw_target, holds
from studies.training.recipe import GuidedPrior, GuidedRecipe
from studies.training.streams import uniform
from studies.training.table_columns import draw_columns, draw_known


class Episodes(NamedTuple):
    """Tables of one size with what is behind their labels, on each rail.

    A literal is 2 * atom + polarity. Rail 0 asks for the positive rows, rail 1 for the negative.
    """

    cells: Tensor  # bool (batch, rows, literals): the literal is known to be true
    labels: Tensor  # bool (batch, rows)
    clauses: Tensor  # bool (batch, 2, clauses, literals): a short rule
    explicit: Tensor  # bool (batch, 2): whether there is one
    used: Tensor  # bool (batch, 2, literals): what a short rule is made of
    noise: Tensor  # float (batch, 2): the share of rows that it gets wrong

    def part(self, first: int, size: int) -> "Episodes":
        """Return `size` of the episodes from `first` on."""
        return Episodes(*(tensor[first : first + size] for tensor in self))


class Size(NamedTuple):
    """How many tables, and how large each of them."""

    episodes: int
    rows: int
    atoms: int


def draw_size(recipe: GuidedRecipe, *, generator: torch.Generator) -> Size:
    """Return the size of one batch: of its tables by the prior, and as many as memory allows."""
    prior = recipe.prior
    wide, long, across, down = torch.rand(4, dtype=torch.float64, generator=generator).tolist()
    most_atoms = prior.most_atoms if wide < prior.wide else prior.atoms[1]
    most_rows = prior.most_rows if long < prior.long else prior.rows[1]
    atoms = log_uniform(prior.atoms[0], most_atoms, across)
    rows = log_uniform(prior.rows[0], most_rows, down)
    return Size(_batch_size(recipe, rows, atoms), rows, atoms)


def draw(prior: GuidedPrior, size: Size, *, generator: torch.Generator) -> Episodes:
    """Return fresh episodes, on the device of `generator`."""
    rows = max(size.rows, prior.reference_rows)
    columns = draw_columns(size.episodes, rows, size.atoms, generator=generator)
    target = draw_target(columns, generator=generator)
    target = target._replace(labels=target.labels[:, : size.rows])
    truth = columns.truth[:, : size.rows]
    rate = prior.label_noise * uniform((size.episodes, 1), generator)
    noisy = uniform((size.episodes, 1), generator) < prior.noisy
    labels = target.labels ^ (noisy & (uniform(target.labels.shape, generator) < rate))
    known = draw_known(truth, generator=generator)
    return Episodes(
        torch.stack([truth & known, ~truth & known], -1).flatten(2),
        labels,
        target.clauses.flatten(3),
        target.explicit,
        target.used.flatten(2),
        noise_share(target, truth, labels),
    )


def noise_share(target: Target, truth: Tensor, labels: Tensor) -> Tensor:
    """Return the share of rows that each rail's rule, if known, or else the noise gets wrong."""
    shares = []
    for rail, swapped in enumerate((False, True)):
        covered = holds(target.clauses[:, rail], truth).any(1)
        said = torch.where(target.explicit[:, rail, None], covered, target.labels ^ swapped)
        shares.append((said != labels ^ swapped).float().mean(1))
    return torch.stack(shares, 1)


def _batch_size(recipe: GuidedRecipe, rows: int, atoms: int) -> int:
    train, literals = recipe.train, 2 * atoms
    pairs = literals * min(recipe.model.anchors, literals)
    cells = literals * max(rows, recipe.prior.reference_rows)
    low, high = train.batch_size
    return max(low, min(high, train.pairs // pairs, train.cells // cells))


def log_uniform(low: int, high: int, place: float) -> int:
    """Return the whole number at `place`, from 0 to 1, on the way from `low` to `high`."""
    return round(low * (high / low) ** place)
