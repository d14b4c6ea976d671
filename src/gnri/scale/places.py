"""Where parts are read, and how much memory that may take."""

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from gnri.counts.blocks import WORKERS, Blocks, SpoolBlocks
from gnri.data.value_counts import ValueCounts
from gnri.errors import GnriError
from gnri.scale.packing import Packing
from gnri.scale.parts import Part
from gnri.scale.reading import count_part, merge_counts

Report = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is, if known."""

LEAST = 10**9
"""Bytes that a budget must have: Python, torch and pyarrow take 0.4 GB before the first row."""

DEFAULT = 2 * 10**9
"""Bytes that may be used where nothing is said."""

_WORKING = 3 * 10**8  # bytes for batches that are being read, masks and counts
_UNITS = ("", "K", "M", "G", "T")


class Place(Protocol):
    """Where parts are read: here, or on a cluster."""

    def count_values(self, parts: Sequence[Part], names: Sequence[str]) -> list[ValueCounts]:
        """Return the value counts of each column over all parts."""

    def blocks(self, parts: Sequence[Part], packing: Packing) -> Blocks:
        """All rows, packed."""

    def close(self) -> None:
        """Let go of what was opened to get there."""


class Here:
    """Parts read on this machine, with packed rows in at most `room` bytes and beyond on disk."""

    def __init__(self, room: int, report: Report = lambda *_: None) -> None:
        self.room, self.report = room, report

    def count_values(self, parts: Sequence[Part], names: Sequence[str]) -> list[ValueCounts]:
        found = self._each("reading columns", parts, lambda part: count_part(part, names))
        return reduce(merge_counts, found)

    def blocks(self, parts: Sequence[Part], packing: Packing) -> Blocks:
        spool, lock = SpoolBlocks(self.room), Lock()

        def pack(part: Part) -> None:
            for block in packing.blocks(part):
                with lock:
                    spool.add(block)

        try:
            for _ in self._each("packing rows", parts, pack):
                pass
        except BaseException:
            spool.close()
            raise
        spool.watch = self.report
        return spool.done()

    def close(self) -> None:
        """Nothing was opened."""

    def _each(
        self, doing: str, parts: Sequence[Part], work: Callable[[Part], Any]
    ) -> Iterator[Any]:
        """What the work gives on each part, a few parts at a time."""
        self.report(doing, 0, len(parts))
        with ThreadPoolExecutor(WORKERS) as threads:
            try:
                for done, answer in enumerate(threads.map(work, parts)):
                    self.report(doing, done + 1, len(parts))
                    yield answer
            except BaseException:
                threads.shutdown(cancel_futures=True)
                raise


def bytes_of(memory: int | str | None) -> int:
    """A budget in bytes, given as such or as in `2GB`, or in powers of 1,024 as in `2GiB`.

    >>> bytes_of("1.5 GB"), bytes_of("2 GiB"), bytes_of(3_000_000_000)
    (1500000000, 2147483648, 3000000000)
    """
    if memory is None:
        return DEFAULT
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", str(memory), re.IGNORECASE)
    if found is None or isinstance(memory, bool):
        raise GnriError(f"memory must be a number of bytes, or text such as 2GB, got {memory!r}")
    number, unit, binary = found.groups()
    size = round(float(number) * (1024 if binary else 1000) ** _UNITS.index(unit.upper()))
    if size < LEAST:
        raise GnriError(
            f"memory must be at least {LEAST // 10**6} MB, as Python, torch and the rows being "
            f"read take most of that, got {memory!r}; allow more"
        )
    return size


def room_within(budget: int) -> int:
    """Bytes left for packed rows of a budget for the whole process."""
    return max(0, budget - _used() - _WORKING)


def _used() -> int:
    """Bytes that this process has in memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not on Linux
        return LEAST // 2
    return pages * 4096
