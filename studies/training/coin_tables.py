"""Random tasks: tables of fair coins labelled by a hidden DNF, drawn many at a time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from gnri.errors import RecipeError
from gnri.rules.dnf import SignedDNF
from studies.training.batch import Batch
from studies.training.streams import seeded, uniform

SPURIOUS_RATES = (0.3, 0.7)  # P(column true | label true) in the first and second half of the rows

Limit = tuple[Callable[[Any], bool], str]  # whether a setting is allowed, and how that is said
RANGE: Limit = (lambda pair: 1 <= pair[0] <= pair[1], "1 <= low <= high")
COUNT: Limit = (lambda count: count >= 1, "1 or more")
ABOVE_ZERO: Limit = (lambda rate: rate > 0, "above 0")
SHARE: Limit = (lambda share: 0 <= share <= 1, "in [0, 1]")
BELOW_ONE: Limit = (lambda share: 0 <= share < 1, "in [0, 1)")


def require(config: object, section: str, names: Iterable[str], limit: Limit) -> None:
    """Refuse settings of a recipe that are not within the limit."""
    holds, expected = limit
    for name in names:
        value = getattr(config, name)
        if not holds(value):
            raise RecipeError(f"{section}.{name} must be {expected}, got {value}")


@dataclass(frozen=True)
class PriorConfig:
    """What is drawn. A pair (low, high) is uniform on low..high, both included.

    `spurious` columns follow each episode's own: they agree with the label in one half of the
    rows as often as they contradict it in the other. With `one_width` all episodes of a step have
    as many atoms, log-uniform on low..high.
    """

    atoms: tuple[int, int] = (6, 12)
    rows: tuple[int, int] = (24, 48)
    clauses: tuple[int, int] = (1, 6)
    literals: tuple[int, int] = (1, 4)
    spurious: int = 0
    label_noise: float = 0.0
    one_width: bool = False

    def __post_init__(self) -> None:
        require(self, "prior", ("atoms", "rows", "clauses", "literals"), RANGE)
        require(self, "prior", ("label_noise",), BELOW_ONE)
        require(self, "prior", ("spurious",), (lambda count: count >= 0, "0 or more"))

    def at_step(self, seed: int, step: int) -> "PriorConfig":
        """Return the prior of one step: with `one_width` its number of atoms is drawn here."""
        if not self.one_width:
            return self
        low, high = self.atoms
        share = float(torch.rand((), generator=seeded(seed, "width", step), dtype=torch.float64))
        atoms = int(low * ((high + 1) / low) ** share)
        return replace(self, atoms=(atoms, atoms))


@dataclass(frozen=True, eq=False)
class Sample:
    """Episodes with what is hidden behind them."""

    batch: Batch
    clauses: Tensor  # bool (batch, clauses, atoms, 2): the rule; a clause with no literal is absent
    atoms: Tensor  # int64 (batch,): how many columns each episode has, the rest is padding


def sample(config: PriorConfig, batch_size: int, *, generator: torch.Generator) -> Sample:
    """Return `batch_size` episodes, every tensor drawn whole on the device of `generator`."""
    own = _between(config.atoms, (batch_size,), generator)
    rows = _between(config.rows, (batch_size,), generator)
    width = config.atoms[1] + config.spurious
    clauses = _clauses(config, own, width, generator)
    # Columns past an episode's own are blanked or overwritten below; the rule never reads them.
    values = _coins((batch_size, config.rows[1], width), generator)
    shown = _first(rows, config.rows[1])
    clean = _labels(clauses, values) * shown
    labels = clean
    if config.label_noise:
        labels = torch.where(uniform(clean.shape, generator) < config.label_noise, -clean, clean)
    if config.spurious:
        values = _with_spurious(values, clean, own, rows, generator)
    values = values * shown[..., None] * _first(own + config.spurious, width)[:, None]
    return Sample(Batch(values, labels), clauses, own + config.spurious)


def fresh_rows(drawn: Sample, rows: int, *, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return new fair assignments for each episode, with the labels its hidden rule gives them."""
    width = drawn.clauses.shape[2]
    values = _coins((len(drawn.batch), rows, width), generator)
    values = values * _first(drawn.atoms, width)[:, None]
    return values, _labels(drawn.clauses, values)


def rules(drawn: Sample) -> list[SignedDNF]:
    """Return the hidden rule of each episode."""
    found: list[dict[int, list[tuple[int, bool]]]] = [{} for _ in range(len(drawn.batch))]
    for episode, slot, atom, polarity in drawn.clauses.nonzero().tolist():
        found[episode].setdefault(slot, []).append((atom, polarity == 0))
    return [SignedDNF(clauses.values()) for clauses in found]


def _clauses(config: PriorConfig, atoms: Tensor, width: int, generator: torch.Generator) -> Tensor:
    """Return the hidden rules as bool (batch, clauses, atoms, 2)."""
    batch, slots = len(atoms), config.clauses[1]
    count = _between(config.clauses, (batch,), generator)
    size = torch.minimum(_between(config.literals, (batch, slots), generator), atoms[:, None])
    size = size * _first(count, slots)
    chosen = _distinct(atoms[:, None].expand(batch, slots), config.literals[1], generator)
    polarity = torch.randint(2, chosen.shape, generator=generator, device=chosen.device)
    used = _first(size, config.literals[1])
    flat = torch.zeros(batch, slots, 2 * width, dtype=torch.uint8, device=chosen.device)
    # Unused choices may repeat a used one, so they are added as 0 and never written over it.
    flat.scatter_add_(2, 2 * chosen + polarity, used.to(torch.uint8))
    return flat.bool().view(batch, slots, width, 2)


def _distinct(total: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Return `count` different integers below `total`, uniform over ordered choices.

    The i-th is drawn from the total - i left over and moved past those already taken. Where
    total < count the surplus choices are meaningless but stay below `total`.
    """
    picks: list[Tensor] = []
    for i in range(count):
        left = (total - i).clamp(min=1)
        pick = (uniform(total.shape, generator, torch.float64) * left).long()
        for taken in torch.stack(picks).sort(dim=0).values if picks else ():
            pick = pick + (pick >= taken)
        picks.append(torch.minimum(pick, total - 1))
    return torch.stack(picks, dim=-1)


def _labels(clauses: Tensor, values: Tensor) -> Tensor:
    """Return truth of each rule on each row, as +1 or -1, for values without missing cells."""
    signs = clauses[..., 0].float() - clauses[..., 1].float()
    sizes = clauses.sum((2, 3), dtype=torch.float32)[:, None]
    agreement = values.float() @ signs.transpose(1, 2)
    holds = ((agreement == sizes) & (sizes > 0)).any(-1)
    return 2 * holds.to(torch.int8) - 1


def _with_spurious(
    values: Tensor, labels: Tensor, own: Tensor, rows: Tensor, generator: torch.Generator
) -> Tensor:
    """Tie the columns past the own ones to the label, the other way in the second half of rows."""
    first_half = _first(rows // 2, values.shape[1])
    rate = torch.where(first_half, *SPURIOUS_RATES)
    agrees = uniform(values.shape, generator) < rate[..., None]
    spurious = torch.where(agrees, labels[..., None], -labels[..., None])
    return torch.where(_first(own, values.shape[2])[:, None], values, spurious)


def _between(bounds: tuple[int, int], shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    low, high = bounds
    return torch.randint(low, high + 1, shape, generator=generator, device=generator.device)


def _coins(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    coins = torch.randint(2, shape, generator=generator, device=generator.device, dtype=torch.int8)
    return 2 * coins - 1


def _first(count: Tensor, total: int) -> Tensor:
    """Return a mask whose last axis is True on the first `count` of `total` places."""
    return torch.arange(total, device=count.device) < count[..., None]
