"""Random numbers, each a function of what it is for, so that it can be drawn again."""

from hashlib import blake2b

import torch
from torch import Tensor


def seeded(*parts: int | str, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a generator whose state depends on `parts` alone."""
    return torch.Generator(device).manual_seed(stable_seed(*parts))


def stable_seed(*parts: int | str) -> int:
    """Return 64 bits from `parts`, the same on every machine and in every process."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=8).digest(), "little")


def uniform(
    shape: tuple[int, ...], generator: torch.Generator, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return numbers in [0, 1), on the device of `generator`."""
    return torch.rand(shape, generator=generator, device=generator.device, dtype=dtype)


def normal(shape: tuple[int, ...] | torch.Size, generator: torch.Generator) -> Tensor:
    """Return standard normal numbers, on the device of `generator`."""
    return torch.randn(shape, generator=generator, device=generator.device)
