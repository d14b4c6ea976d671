"""Small parts of the networks of both models, and how torch computes them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

PAIRS = 2**26  # pairs of literals held at once on a GPU


def perceptron(
    inputs: int, hidden: int, outputs: int, activation: Callable[[], nn.Module] = nn.GELU
) -> nn.Sequential:
    """Return a network with one hidden layer."""
    return nn.Sequential(nn.Linear(inputs, hidden), activation(), nn.Linear(hidden, outputs))


def at_least_single(tensor: Tensor) -> Tensor:
    """Return half precision as float32; float32 and float64 as they are."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def fits_gpu(device: torch.device, batch: int, literals: int) -> bool:
    """Return whether to compute all pairs of literals: on a GPU, where they fit.

    To find out what could be left out would mean to wait for the GPU, which takes longer.
    """
    return device.type == "cuda" and batch * literals**2 <= PAIRS


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread, which is faster for many small steps."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
