"""Training episodes as a pure function of seed and step, so that any batch can be drawn again."""

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


def seeded(*parts: int | str, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a generator whose state depends on `parts` alone."""
    return torch.Generator(device).manual_seed(stable_seed(*parts))


def stable_seed(*parts: int | str) -> int:
    """Return 64 bits from `parts`, the same on every machine and in every process."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "little")
