"""Where to compute."""

import torch

from gnri.errors import GnriError


def device_named(name: str) -> str:
    """`name` if torch can compute there; for "auto" a GPU if there is one, else the CPU."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cpu" or (name.split(":")[0] == "cuda" and torch.cuda.is_available()):
        return name
    raise GnriError(f"the device must be auto, cpu or, where there is a GPU, cuda; got {name!r}")
