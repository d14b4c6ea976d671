"""How torch computes: on one thread, or all pairs at once on a GPU."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

PAIRS = 2**26  # pairs of literals held at once on a GPU


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
