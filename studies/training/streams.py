"""Training episodes as a pure function of seed and step, so that any batch can be drawn again."""

from dataclasses import replace
from hashlib import blake2b

import torch

from studies.training.coin_tables import PriorConfig, Sample, sample


def stream(
    config: PriorConfig, seed: int, step: int, batch_size: int, device: torch.device | str
) -> Sample:
    """Return the episodes of one training step, or all `fixed_episodes` at every step."""
    if config.fixed_episodes is None:
        return sample(config, batch_size, generator=seeded(seed, step, device=device))
    generator = seeded(seed, "fixed", device=device)
    return sample(config, config.fixed_episodes, generator=generator)


def at_step(config: PriorConfig, seed: int, step: int) -> PriorConfig:
    """Return the prior of one step: with `one_width` its number of atoms is drawn here."""
    if not config.one_width:
        return config
    low, high = config.atoms
    share = float(torch.rand((), generator=seeded(seed, "width", step), dtype=torch.float64))
    atoms = int(low * ((high + 1) / low) ** share)
    return replace(config, atoms=(atoms, atoms))


def seeded(*parts: int | str, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a generator whose state depends on `parts` alone."""
    return torch.Generator(device).manual_seed(stable_seed(*parts))


def stable_seed(*parts: int | str) -> int:
    """Return 64 bits from `parts`, the same on every machine and in every process."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "little")
