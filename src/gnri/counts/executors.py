"""Where partitions are read and counted, and how much memory that may take."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from pathlib import Path
from threading import Lock
from typing import Any

from gnri.counts.blocks import THREADS, Blocks, Report, SpoolBlocks
from gnri.counts.packing import Packing
from gnri.data.sources import Partition
from gnri.data.value_counts import ValueCounts, count_values
from gnri.errors import GnriError

MIN_MEMORY = 10**9
"""Bytes, at least, of a memory budget: Python and its packages take a part of it."""

DEFAULT_MEMORY = 2 * 10**9
_WORKING_MEMORY = 3 * 10**8  # bytes for batches being read, masks and counts
_UNITS = ("", "K", "M", "G", "T")


class Executor(ABC):
    """Where partitions are read: on this machine, or on a cluster."""

    def __init__(self, report: Report = lambda *_: None) -> None:
        self.report = report

    def count_columns(
        self, partitions: Sequence[Partition], names: Sequence[str]
    ) -> list[ValueCounts]:
        """Return the value counts of each column over all partitions."""
        count = partial(count_partition, names=list(names))
        return reduce(merge_counts, self._map("reading columns", partitions, count))

    @abstractmethod
    def pack(self, partitions: Sequence[Partition], packing: Packing) -> Blocks:
        """Return all rows, packed."""

    @abstractmethod
    def _map(
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
            for _ in self._map("packing rows", partitions, pack):
                pass
        except BaseException:
            spool.close()
            raise
        spool.watch = self.report
        return spool.done()

    def _map(
        self, doing: str, partitions: Sequence[Partition], work: Callable[[Partition], Any]
    ) -> Iterator[Any]:
        self.report(doing, 0, len(partitions))
        with ThreadPoolExecutor(THREADS) as threads:
            try:
                for done, result in enumerate(threads.map(work, partitions), start=1):
                    self.report(doing, done, len(partitions))
                    yield result
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise


def count_partition(partition: Partition, names: Sequence[str]) -> list[ValueCounts]:
    """Return the value counts of each column in one partition."""
    by_batch = (
        [count_values(batch[name], bounded=True) for name in names]
        for batch in partition.batches(names)
    )
    found = next(by_batch, None)
    if found is None:
        raise GnriError(f"{partition.origin} has no rows below its header; leave the file out")
    return reduce(merge_counts, by_batch, found)


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
        from gnri.counts.dask_blocks import connect

        return connect(scheduler, report)
    return LocalExecutor(max(0, budget - _used_memory() - _WORKING_MEMORY), report)


def _used_memory() -> int:
    """Return the bytes that this process has in memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not on Linux
        return MIN_MEMORY // 2
    return pages * 4096
