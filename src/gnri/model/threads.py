"""How torch computes: on one thread, and which steps on a GPU."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

PAIRS = 2**26  # pairs of literals held at once on a GPU


def fits_gpu(device: torch.device, batch: int, literals: int) -> bool:
    """Return whether to compute everything there, also what could be left out.

    To see what can be left out is to look at numbers, and the numbers of a GPU have to be waited
    for: longer than it takes to compute all pairs of literals, as long as they fit.
    """
    return device.type == "cuda" and batch * literals**2 <= PAIRS


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: many small steps wait for each other longer than they take."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
