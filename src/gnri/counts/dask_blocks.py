"""Counting on the workers of a Dask cluster.

Each worker packs some parts and keeps the blocks. A count is sent to the blocks, and what comes
back is added up. Where a worker is lost, the scheduler has its parts packed again on another one:
the counts are the same, and so is the rule.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import Block
from gnri.counts.blocks import Blocks, Count, Report, SpoolBlocks
from gnri.counts.executors import Executor
from gnri.counts.packing import Packing
from gnri.data.sources import Partition
from gnri.errors import GnriError

_TASK: dict[str, Any] = {"pure": False, "retries": 3}  # again where a worker fails on a part
_SECONDS = 10  # that a scheduler may take to answer
_LOGS = ("distributed", "distributed.client")  # they tell in pages what we tell in a line
_MORE_MEMORY = "give them more memory, or cut the table into smaller parts"


class DaskExecutor(Executor):
    """Read and count on the workers of a scheduler; each must see the files."""

    def __init__(self, client: Any, report: Report = lambda *_: None) -> None:
        super().__init__(report)
        self.client = client
        self._levels = {log: log.level for log in map(logging.getLogger, _LOGS)}
        for log in self._levels:
            log.setLevel(logging.CRITICAL)

    def _map(
        self, doing: str, partitions: Sequence[Partition], work: Callable[[Partition], Any]
    ) -> list[Any]:
        self.report(doing, 0, len(partitions))
        return self.ask(work, partitions)

    def pack(self, partitions: Sequence[Partition], packing: Packing) -> Blocks:
        self.report("packing rows", 0, len(partitions))
        with _one_line():
            futures = self.client.map(pack_partition, partitions, packing=packing, **_TASK)
        found = DaskBlocks(self, futures)
        found.watch = self.report
        return found

    def ask(self, work: Callable[..., Any], on: Sequence[Any], **told: Any) -> list[Any]:
        """Return what the workers answer on each, or say in one line why there is no answer."""
        with _one_line():
            answers: list[Any] = self.client.gather(self.client.map(work, on, **told, **_TASK))
            return answers

    def close(self) -> None:
        self.client.close()
        for log, level in self._levels.items():
            log.setLevel(level)


@contextmanager
def _one_line() -> Iterator[None]:
    """Say in one line why there is no answer."""
    from distributed import KilledWorker
    from distributed.client import ClosedClientError, FutureCancelledError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise GnriError(
            f"workers were lost again and again at one task ({error.task}), as happens where "
            f"memory runs out; {_MORE_MEMORY}"
        ) from None
    except MemoryError:
        raise GnriError(f"the workers ran out of memory; {_MORE_MEMORY}") from None
    except (CommClosedError, ClosedClientError, FutureCancelledError, OSError):
        raise GnriError(
            "the scheduler does not answer any more; start it again, with its workers, and then "
            "this"
        ) from None


class DaskBlocks(Blocks):
    """Blocks on the workers."""

    def __init__(self, executor: DaskExecutor, futures: list[Any]) -> None:
        self._executor, self._futures = executor, futures

    def total(self, count: Count) -> NDArray[Any]:
        self._note_pass()
        return reduce(np.add, self._executor.ask(_sum, self._futures, count=count))

    def listed(self, count: Count) -> list[NDArray[Any]]:
        self._note_pass()
        found = self._executor.ask(_list, self._futures, count=count)
        return [answer for part in found for answer in part]

    def close(self) -> None:
        self._futures = []


def connect(scheduler: str, report: Report = lambda *_: None) -> DaskExecutor:
    """Return the cluster of the scheduler at an address such as tcp://10.0.0.1:8786."""
    try:
        from distributed import Client
    except ImportError:
        raise GnriError(
            "a scheduler takes dask to talk to; install it with pip install 'gnri[scale]'"
        ) from None
    try:
        client = Client(scheduler, timeout=_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise GnriError(f"no scheduler answers at {scheduler}: {reason}; start it first") from None
    if not client.scheduler_info()["workers"]:
        client.close()  # type: ignore[no-untyped-call]
        raise GnriError(f"the scheduler at {scheduler} has no workers; start some first")
    return DaskExecutor(client, report)


def pack_partition(partition: Partition, packing: Packing) -> list[Block]:
    """Return the blocks of a partition, small ones joined."""
    found = SpoolBlocks(memory=sys.maxsize)
    for block in packing.blocks(partition):
        found.add(block)
    return list(found.done())


def _sum(blocks: list[Block], count: Count) -> NDArray[Any]:
    return reduce(np.add, map(count, blocks))


def _list(blocks: list[Block], count: Count) -> list[NDArray[Any]]:
    return list(map(count, blocks))
