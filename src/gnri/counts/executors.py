"""Where partitions are read and counted, and how much memory that may take.

On a Dask cluster, each worker packs some partitions and keeps the blocks. A count runs where the
blocks are, and the results are added up. Where a worker is lost, another one packs its partitions
again: the counts are the same, and so is the rule.
"""

import logging
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import Block
from gnri.counts.blocks import THREADS, Blocks, Count, Report, SpoolBlocks
from gnri.counts.packing import Packing
from gnri.data.sources import Partition
from gnri.data.table import Table
from gnri.data.target import are_labels, split_labelled
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError

MIN_MEMORY = 10**9
"""Bytes, at least, of a memory budget: Python and its packages take a part of it."""

DEFAULT_MEMORY = 2 * 10**9
_WORKING_MEMORY = 3 * 10**8  # bytes for batches being read, masks and counts
_UNITS = ("", "K", "M", "G", "T")

_TASK: dict[str, Any] = {"pure": False, "retries": 3}
_SECONDS = 10  # that a scheduler may take to answer
_PACKAGES = ["gnri", "numpy", "pyarrow"]  # that a worker needs
_LOGS = ("distributed", "distributed.client")  # silenced: our errors say the same in one line
_MORE_MEMORY = "give them more memory, or cut the table into smaller parts"


class Executor(ABC):
    """Where partitions are read: on this machine, or on a cluster."""

    def __init__(self, report: Report = lambda *_: None) -> None:
        self.report = report

    def count_columns(
        self, partitions: Sequence[Partition], names: Sequence[str]
    ) -> list[ValueCounts]:
        """Return the value counts of each column in the rows with a label; the last has labels."""
        count = partial(count_labelled, names=list(names))
        *columns, labels = reduce(merge_counts, self.each("reading columns", partitions, count))
        sure, doubtful = columns[: len(names) - 1], columns[len(names) - 1 :]
        return [*(merge_counts(sure, doubtful) if are_labels(labels) else sure), labels]

    @abstractmethod
    def pack(self, partitions: Sequence[Partition], packing: Packing) -> Blocks:
        """Return all rows, packed."""

    @abstractmethod
    def each(
        self, doing: str, partitions: Sequence[Partition], work: Callable[[Partition], Any]
    ) -> Iterable[Any]:
        """Return the result of the work on each partition, and report what is being done."""

    def close(self) -> None:  # noqa: B027
        """Close the connection to a cluster, if there is one."""


class LocalExecutor(Executor):
    """Read on this machine, with at most `max_bytes` of packed rows in memory, others on disk."""

    def __init__(self, max_bytes: int, report: Report = lambda *_: None) -> None:
        super().__init__(report)
        self.max_bytes = max_bytes

    def pack(self, partitions: Sequence[Partition], packing: Packing) -> Blocks:
        """Return all rows, packed by a few threads."""
        spool, lock = SpoolBlocks(self.max_bytes), Lock()

        def pack(partition: Partition) -> None:
            for block in packing.blocks(partition):
                with lock:
                    spool.add(block)

        try:
            for _ in self.each("packing rows", partitions, pack):
                pass
        except BaseException:
            spool.close()
            raise
        spool.watch = self.report
        return spool.done()

    def each(
        self, doing: str, partitions: Sequence[Partition], work: Callable[[Partition], Any]
    ) -> Iterator[Any]:
        """Yield the result of the work on each partition, done by a few threads."""
        self.report(doing, 0, len(partitions))
        with ThreadPoolExecutor(THREADS) as threads:
            try:
                for done, result in enumerate(threads.map(work, partitions), start=1):
                    self.report(doing, done, len(partitions))
                    yield result
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise


def count_labelled(partition: Partition, names: Sequence[str]) -> list[ValueCounts]:
    """Return the value counts of each column in rows that surely have a label, the last column.

    Then come those in rows that have one if labels are text, and at the end those of the labels.
    """
    by_batch = (_count_batch(batch.select(names)) for batch in partition.batches(names))
    found = next(by_batch, None)
    if found is None:
        raise GnriError(f"{partition.origin} has no rows below its header; leave the file out")
    return reduce(merge_counts, by_batch, found)


def _count_batch(batch: Table) -> list[ValueCounts]:
    *names, label = batch
    features = batch.select(names)
    parts = [
        features if some.all() else features.take(some) for some in split_labelled(batch[label])
    ]
    columns = [column for part in (*parts, batch.select([label])) for column in part.values()]
    return [count_values(one, bounded=True).repeat(batch.times) for one in columns]


def merge_counts(one: Sequence[ValueCounts], other: Sequence[ValueCounts]) -> list[ValueCounts]:
    """Return the value counts of two partitions together."""
    return [a + b for a, b in zip(one, other, strict=True)]


def parse_bytes(memory: int | str | None) -> int:
    """Return the bytes of a memory budget such as `2GB` or `2GiB`.

    >>> parse_bytes("1.5 GB"), parse_bytes("2 GiB"), parse_bytes(3_000_000_000)
    (1500000000, 2147483648, 3000000000)
    """
    if memory is None:
        return DEFAULT_MEMORY
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", str(memory), re.IGNORECASE)
    if found is None or isinstance(memory, bool):
        raise GnriError(f"memory must be a number of bytes, or text such as 2GB, got {memory!r}")
    number, unit, binary = found.groups()
    size = round(float(number) * (1024 if binary else 1000) ** _UNITS.index(unit.upper()))
    if size < MIN_MEMORY:
        raise GnriError(
            f"memory must be at least {MIN_MEMORY // 10**6} MB, as Python, its packages and the "
            f"rows being read take most of that, got {memory!r}; allow more"
        )
    return size


def make_executor(
    memory: int | str | None = None, scheduler: str | None = None, report: Report = lambda *_: None
) -> Executor:
    """Return the executor of a scheduler or, without one, of this machine and a memory budget."""
    budget = parse_bytes(memory)
    if scheduler is not None:
        return connect(scheduler, report)
    return LocalExecutor(max(0, budget - _used_memory() - _WORKING_MEMORY), report)


def _used_memory() -> int:
    """Return the bytes that this process has in memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not on Linux
        return MIN_MEMORY // 2
    return pages * 4096


class DaskExecutor(Executor):
    """Read and count on the workers of a scheduler; all must have access to the files."""

    def __init__(self, client: Any, report: Report = lambda *_: None) -> None:
        super().__init__(report)
        self.client = client
        self._levels = {log: log.level for log in map(logging.getLogger, _LOGS)}
        for log in self._levels:
            log.setLevel(logging.CRITICAL)

    def each(
        self, doing: str, partitions: Sequence[Partition], work: Callable[[Partition], Any]
    ) -> list[Any]:
        """Return the result of the work on each partition, done by the workers."""
        self.report(doing, 0, len(partitions))
        return self.map(work, partitions)

    def pack(self, partitions: Sequence[Partition], packing: Packing) -> Blocks:
        """Return all rows, packed by the workers and kept there."""
        self.report("packing rows", 0, len(partitions))
        with _explain_failures():
            futures = self.client.map(pack_partition, partitions, packing=packing, **_TASK)
        found = DaskBlocks(self, futures)
        found.watch = self.report
        return found

    def map(self, work: Callable[..., Any], items: Sequence[Any], **options: Any) -> list[Any]:
        """Return the result of the work on each item, done by the workers."""
        with _explain_failures():
            futures = self.client.map(work, items, **options, **_TASK)
            self._wait(futures)
            return self.client.gather(futures)

    def _wait(self, futures: list[Any]) -> None:
        """Wait till all are done; raise if twice in a row there is no worker to do them."""
        from distributed import wait

        checks = 0
        while checks < 2:
            try:
                with self.client.as_current():
                    wait(futures, timeout=_SECONDS)  # type: ignore[no-untyped-call]
                return
            except TimeoutError:
                checks = 0 if _check_workers(self.client) else checks + 1
        raise GnriError("the scheduler has lost all its workers; start some, and then this again")

    def close(self) -> None:
        """Disconnect from the scheduler."""
        self.client.close()
        for log, level in self._levels.items():
            log.setLevel(level)


@contextmanager
def _explain_failures() -> Iterator[None]:
    """Turn the errors of a cluster into one line each."""
    from distributed import CancelledError, KilledWorker
    from distributed.client import ClosedClientError
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise GnriError(
            f"workers died repeatedly on one task ({error.task}), probably because they ran out "
            f"of memory; {_MORE_MEMORY}"
        ) from None
    except MemoryError:
        raise GnriError(f"the workers ran out of memory; {_MORE_MEMORY}") from None
    except (CommClosedError, ClosedClientError, CancelledError, OSError):
        raise GnriError(
            "the scheduler no longer answers; restart it and its workers, then run this again"
        ) from None


class DaskBlocks(Blocks):
    """Blocks on the workers."""

    def __init__(self, executor: DaskExecutor, futures: list[Any]) -> None:
        self._executor, self._futures = executor, futures

    def each(self, count: Count) -> Iterator[NDArray[Any]]:
        """Return what `count` gives on each block, worker by worker."""
        self._note_pass()
        return chain.from_iterable(self._executor.map(_count, self._futures, count=count))

    def total(self, count: Count) -> NDArray[Any]:
        """Return the sum over all blocks; each worker sends back one array."""
        self._note_pass()
        return reduce(np.add, self._executor.map(_sum, self._futures, count=count))

    def close(self) -> None:
        """Let the workers forget the blocks."""
        self._futures = []


def connect(scheduler: str, report: Report = lambda *_: None) -> DaskExecutor:
    """Return the executor of the scheduler at an address such as tcp://10.0.0.1:8786."""
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
    try:
        if not _check_workers(client):
            raise GnriError(f"the scheduler at {scheduler} has no workers; start some first")
    except BaseException:
        client.close()  # type: ignore[no-untyped-call]
        raise
    return DaskExecutor(client, report)


def _check_workers(client: Any) -> int:
    """Return how many workers there are; raise if one lacks a package or has another gnri."""
    found = client.get_versions(packages=_PACKAGES)
    wanted = found["client"]["packages"]["gnri"]
    for worker, versions in found["workers"].items():
        packages = versions["packages"]
        missing = [name for name in _PACKAGES if packages.get(name) is None]
        if missing or packages["gnri"] != wanted:
            lacks = f"has no {missing[0]}" if missing else f"has gnri {packages['gnri']}"
            raise GnriError(
                f"the worker {worker} {lacks}, and here is gnri {wanted}; install the same gnri on "
                "all workers, and start them again"
            )
    return len(found["workers"])


def pack_partition(partition: Partition, packing: Packing) -> list[Block]:
    """Return the blocks of a partition, small ones joined."""
    found = SpoolBlocks(memory=sys.maxsize)
    for block in packing.blocks(partition):
        found.add(block)
    return list(found.done())


def _count(blocks: list[Block], count: Count) -> list[NDArray[Any]]:
    return list(map(count, blocks))


def _sum(blocks: list[Block], count: Count) -> NDArray[Any]:
    return reduce(np.add, map(count, blocks))
