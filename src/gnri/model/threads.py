"""Where to compute."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from gnri.errors import GnriError

PAIRS = 2**26  # pairs of literals held at once on a GPU


def device_named(name: str) -> str:
    """`name` if torch can compute there; for "auto" a GPU if there is one, else the CPU."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cpu" or (name.split(":")[0] == "cuda" and torch.cuda.is_available()):
        return name
    raise GnriError(f"the device must be auto, cpu or, where there is a GPU, cuda; got {name!r}")


def straight(device: torch.device, batch: int, literals: int) -> bool:
    """Whether to compute everything there, also what could be left out.

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
