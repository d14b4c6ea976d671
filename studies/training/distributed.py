"""One process or several, as torchrun starts them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from gnri.errors import GnriError
from studies.training.streams import stable_seed


@dataclass(frozen=True)
class World:
    """One process among its peers."""

    rank: int
    size: int
    device: torch.device

    @property
    def writes(self) -> bool:
        """Return whether the process uses disk and terminal: only the first does."""
        return self.rank == 0

    def seed(self, seed: int) -> int:
        """Return the seed of this process's own stream; a process alone keeps the seed as it is."""
        return seed if self.rank == 0 else stable_seed(seed, "rank", self.rank)

    def wrapped(self, network: nn.Module) -> nn.Module:
        """Return the network with its gradients averaged over the processes."""
        return DistributedDataParallel(network) if self.size > 1 else network


@contextmanager
def joined(device: torch.device | str) -> Iterator[World]:
    """Join the world that the variables of torchrun describe; leave it at the end."""
    size, place = int(os.environ.get("WORLD_SIZE", "1")), torch.device(device)
    if size == 1:
        yield World(0, 1, place)
        return
    if place.type == "cuda":
        place = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(place)
    distributed.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield World(distributed.get_rank(), size, place)
        distributed.barrier()  # nobody leaves before the first process has written
    finally:
        distributed.destroy_process_group()


def device_named(name: str) -> str:
    """Return `name` if torch can compute there; for "auto" a GPU if there is one, else the CPU."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cpu" or (name.split(":")[0] == "cuda" and torch.cuda.is_available()):
        return name
    raise GnriError(f"the device must be auto, cpu or, where there is a GPU, cuda; got {name!r}")
