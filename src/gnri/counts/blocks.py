"""Where the blocks of a table are kept: in memory, or in a file where they do not fit.

Every count is a sum of integers over blocks. So it is the same however a table is cut into blocks,
in whatever order, and wherever they are kept.
"""

import os
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import reduce
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import Block, join_blocks
from gnri.errors import GnriError

Count = Callable[[Block], NDArray[Any]]
Report = Callable[[str, int, int | None], None]
"""Called with the name of the step, how much of it is done, and how much there is, if known."""

THREADS = min(16, os.cpu_count() or 1)  # that read or count at a time
MIN_BLOCK_WORDS = 1 << 18  # of all literals together; smaller blocks are joined before counting


class Blocks(AbstractContextManager["Blocks"]):
    """Blocks of rows, and how to count on all of them.

    `passes` is the number of counts over all blocks; `watch` is called at each.
    """

    passes = 0
    watch: Report | None = None
    whole: Block | None = None  # all rows, each with weight 1, if they are in memory in one block

    @abstractmethod
    def each(self, count: Count) -> Iterable[NDArray[Any]]:
        """Return what `count` gives on each block, the blocks always in the same order."""

    def total(self, count: Count) -> NDArray[Any]:
        """Return the sum of what `count` gives on each block."""
        return reduce(np.add, self.each(count))

    def _note_pass(self) -> None:
        self.passes += 1
        if self.watch is not None:
            self.watch("counting", self.passes, None)

    @abstractmethod
    def close(self) -> None:
        """Release what the blocks are kept in."""

    def __exit__(self, *_: object) -> None:
        self.close()


class MemoryBlocks(Blocks):
    """Blocks in memory, counted by a few threads."""

    def __init__(self, blocks: list[Block]) -> None:
        self._kept = blocks
        self.whole = blocks[0] if len(blocks) == 1 and blocks[0].weight == 1 else None

    def __iter__(self) -> Iterator[Block]:
        return iter(self._kept)

    def each(self, count: Count) -> Iterator[NDArray[Any]]:
        """Yield what `count` gives on each block; few of them are in memory at a time."""
        self._note_pass()
        if self.whole is not None:  # faster than to start a thread
            yield count(self.whole)
            return
        with ThreadPoolExecutor(THREADS) as threads:
            waiting = []
            for block in self:
                waiting.append(threads.submit(count, block))
                if len(waiting) > THREADS:
                    yield waiting.pop(0).result()
            yield from (answer.result() for answer in waiting)

    def close(self) -> None:
        """Forget the blocks."""
        self._kept, self.whole = [], None


class SpoolBlocks(MemoryBlocks):
    """Blocks in memory up to a number of bytes, and all further ones in a file without a name.

    Each count reads the file from front to back. Closing the file deletes it.
    """

    def __init__(self, memory: int) -> None:
        super().__init__([])
        # glibc returns freed memory to the system beyond twice the largest array ever freed (up
        # to 32 MB), and getting it back takes longer than making the masks of a block in it.
        np.empty((1 << 25) - (1 << 16), np.uint8)
        self._bytes_left = memory
        self._small: dict[int, list[Block]] = {}  # by weight
        self._places: list[tuple[int, int, tuple[int, ...], int]] = []  # offset and shape
        self._file: IO[bytes] | None = None

    def add(self, block: Block) -> None:
        """Keep a block, if it has rows; small ones of the same weight are joined first."""
        if not block.bounds[-1]:
            return
        small = self._small.setdefault(block.weight, [])
        small.append(block)
        if sum(one.words.size for one in small) >= MIN_BLOCK_WORDS:
            self._flush(block.weight)

    def done(self) -> "SpoolBlocks":
        """Return the blocks after the last one was added."""
        for weight in list(self._small):
            self._flush(weight)
        return self

    def _flush(self, weight: int) -> None:
        block = join_blocks(self._small.pop(weight))
        if block.words.nbytes <= self._bytes_left:
            self._bytes_left -= block.words.nbytes
            self._kept.append(block)
            return
        self._bytes_left = 0
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        place = self._file.seek(0, 2), len(block.words), block.bounds, block.weight
        self._places.append(place)
        bits = np.ascontiguousarray(np.vstack([block.words, block.present]))
        written = 0
        with suppress(OSError):
            written = self._file.write(bits.data)
        if written != bits.nbytes:
            raise GnriError(
                "the packed rows do not fit the folder for temporary files, "
                f"{tempfile.gettempdir()}; set TMPDIR to a larger one, or allow more memory"
            )

    def __iter__(self) -> Iterator[Block]:
        yield from super().__iter__()
        for offset, literals, bounds, weight in self._places:
            assert self._file is not None
            bits = np.empty((literals + 1, bounds[-1]), np.uint64)
            self._file.seek(offset)
            if self._file.readinto(bits.data) != bits.nbytes:  # type: ignore[attr-defined]
                raise GnriError("the file of packed rows was cut short; start again")
            yield Block(bits[:-1], bits[-1], bounds, weight)

    def close(self) -> None:
        """Forget the blocks, and delete the file."""
        super().close()
        if self._file is not None:
            self._file.close()
