"""Where to compute."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from gnri.errors import GnriError


def device_named(name: str) -> str:
    """`name` if torch can compute there; for "auto" a GPU if there is one, else the CPU."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cpu" or (name.split(":")[0] == "cuda" and torch.cuda.is_available()):
        return name
    raise GnriError(f"the device must be auto, cpu or, where there is a GPU, cuda; got {name!r}")


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: many small steps wait for each other longer than they take."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
