"""Counting on the workers of a Dask cluster.

Each worker packs some parts and keeps the blocks. A count is sent to the blocks, and what comes
back is added up. Where a worker is lost, the scheduler has its parts packed again on another one:
the counts are the same, and so is the rule.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.backends import JOINED, Blocks, Count, Digest
from gnri.counts.block import Block, joined
from gnri.errors import GnriError
from gnri.scale.learning import merged, summaries_of
from gnri.scale.packing import Packing
from gnri.scale.parts import Part
from gnri.scale.summary import Summary

RETRIES = 3
"""How often a part is tried again where a worker fails on it."""

_SECONDS = 10  # that a scheduler may take to answer


class Cluster:
    """The place of parts that the workers of a scheduler read; each must see the files."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def summaries(self, parts: Sequence[Part], names: Sequence[str]) -> list[Summary]:
        futures = self.client.map(summaries_of, parts, names=list(names), **_TASK)
        return reduce(merged, self._gathered(futures))

    def blocks(self, parts: Sequence[Part], packing: Packing) -> Blocks:
        return ClusterBlocks(self, self.client.map(packed, parts, packing=packing, **_TASK))

    def _gathered(self, futures: list[Any]) -> list[Any]:
        """The answers, or one line that says why there are none."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        try:
            answers: list[Any] = self.client.gather(futures)
            return answers
        except KilledWorker as error:
            raise GnriError(
                f"workers were lost again and again at one task ({error.task}), as happens where "
                "memory runs out; give them more memory, or cut the table into smaller parts"
            ) from None
        except (CommClosedError, FutureCancelledError, OSError) as error:
            raise GnriError(f"the scheduler cannot be reached any more: {error}") from None

    def close(self) -> None:
        self.client.close()


class ClusterBlocks(Blocks):
    """Blocks on the workers."""

    def __init__(self, cluster: Cluster, futures: list[Any]) -> None:
        self._cluster, self._futures = cluster, futures

    def total(self, count: Count) -> NDArray[Any]:
        found = self._cluster.client.map(_total, self._futures, count=count, **_TASK)
        return reduce(np.add, self._cluster._gathered(found))

    def listed(self, digest: Digest) -> list[list[bytes]]:
        found = self._cluster.client.map(_listed, self._futures, digest=digest, **_TASK)
        return [answer for part in self._cluster._gathered(found) for answer in part]

    def close(self) -> None:
        self._futures = []


def connect(scheduler: str) -> Cluster:
    """The cluster of the scheduler at an address such as tcp://10.0.0.1:8786."""
    try:
        from distributed import Client
    except ImportError:
        raise GnriError(
            "a scheduler takes dask to talk to; install it with pip install 'gnri[scale]'"
        ) from None
    try:
        return Cluster(Client(scheduler, timeout=_SECONDS))  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"no scheduler answers at {scheduler}: {reason}; start it first") from None


def packed(part: Part, packing: Packing) -> list[Block]:
    """The blocks of a part, small ones joined."""
    done: list[Block] = []
    small: list[Block] = []
    for block in packing.blocks(part):
        small.append(block)
        if sum(len(one.present) for one in small) >= JOINED:
            done.append(joined(small))
            small = []
    return [*done, joined(small)] if small else done


def _total(blocks: list[Block], count: Count) -> NDArray[Any]:
    return reduce(np.add, map(count, blocks))


def _listed(blocks: list[Block], digest: Digest) -> list[list[bytes]]:
    return list(map(digest, blocks))


_TASK: dict[str, Any] = {"pure": False, "retries": RETRIES}
