"""Where the blocks of a table are kept: in memory, or in a file where they do not fit.

Whatever is counted is a sum of integers over blocks, so that it is the same for every way to cut
a table into blocks, for every order of them, and for every place they are in.
"""

import os
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import reduce
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import Block, joined
from gnri.errors import GnriError

Count = Callable[[Block], NDArray[Any]]
Report = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is, if known."""

JOINED = 1 << 18
"""Words, of all literals, from which a block is large enough to be counted by itself."""

_LARGEST = (1 << 25) - (1 << 16)  # bytes, by which glibc can be told how much to keep

WORKERS = min(16, os.cpu_count() or 1)
"""Threads that read or count at a time."""


class Blocks(AbstractContextManager["Blocks"]):
    """Blocks of rows, and how to count on all of them.

    `passes` counts how often all of them were asked; `watch` is told of each pass.
    """

    passes = 0
    watch: Report | None = None
    whole: Block | None = None
    """All rows, each standing for itself, where they are in memory in one block."""

    @abstractmethod
    def total(self, count: Count) -> NDArray[Any]:
        """Return the sum of what `count` gives on each block."""

    @abstractmethod
    def listed(self, count: Count) -> list[NDArray[Any]]:
        """Return what `count` gives on each block, the blocks always in the same order."""

    def _note_pass(self) -> None:
        self.passes += 1
        if self.watch is not None:
            self.watch("counting", self.passes, None)

    @abstractmethod
    def close(self) -> None:
        """Let go of what the blocks are kept in."""

    def __exit__(self, *_: object) -> None:
        self.close()


class MemoryBlocks(Blocks):
    """Blocks in memory, counted by a few threads."""

    def __init__(self, blocks: list[Block]) -> None:
        self._kept = blocks
        self.whole = blocks[0] if len(blocks) == 1 and blocks[0].weight == 1 else None

    def __iter__(self) -> Iterator[Block]:
        return iter(self._kept)

    def total(self, count: Count) -> NDArray[Any]:
        return reduce(np.add, self._each(count))

    def listed(self, count: Count) -> list[NDArray[Any]]:
        return list(self._each(count))

    def _each(self, count: Count) -> Iterator[NDArray[Any]]:
        """Yield what `count` gives on each block; few of them are in memory at a time."""
        self._note_pass()
        if self.whole is not None:  # no thread is worth its start
            yield count(self.whole)
            return
        with ThreadPoolExecutor(WORKERS) as threads:
            waiting = []
            for block in self:
                waiting.append(threads.submit(count, block))
                if len(waiting) > WORKERS:
                    yield waiting.pop(0).result()
            for answer in waiting:
                yield answer.result()

    def close(self) -> None:
        self._kept, self.whole = [], None


class _Place(NamedTuple):
    """Where a block begins in the file, and its shape."""

    offset: int
    literals: int
    bounds: tuple[int, ...]
    weight: int


class SpoolBlocks(MemoryBlocks):
    """Blocks in memory up to a number of bytes, and all further ones in a file without a name.

    The file is read from front to back by each count, and gone when it is closed.
    """

    def __init__(self, memory: int) -> None:
        super().__init__([])
        _keep_freed_memory()
        self._room = memory
        self._small: dict[int, list[Block]] = {}  # by weight
        self._places: list[_Place] = []
        self._file: IO[bytes] | None = None

    def add(self, block: Block) -> None:
        """Keep a block, if it has rows; small ones of the same weight are joined first."""
        if not block.bounds[-1]:
            return
        small = self._small.setdefault(block.weight, [])
        small.append(block)
        if sum(one.words.size for one in small) >= JOINED:
            self._flush(block.weight)

    def done(self) -> "SpoolBlocks":
        """Return the blocks, once all are there."""
        for weight in list(self._small):
            self._flush(weight)
        return self

    def _flush(self, weight: int) -> None:
        block = joined(self._small.pop(weight))
        if block.words.nbytes <= self._room:
            self._room -= block.words.nbytes
            self._kept.append(block)
        else:
            self._room = 0
            self._write(block)

    def _write(self, block: Block) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        place = _Place(self._file.seek(0, 2), len(block.words), block.bounds, block.weight)
        self._places.append(place)
        bits = np.ascontiguousarray(np.vstack([block.words, block.present]))
        try:
            whole = self._file.write(bits.data) == bits.nbytes
        except OSError:
            whole = False
        if not whole:
            raise GnriError(
                "the packed rows do not fit the folder for temporary files, "
                f"{tempfile.gettempdir()}; set TMPDIR to a larger one, or allow more memory"
            )

    def __iter__(self) -> Iterator[Block]:
        yield from super().__iter__()
        for place in self._places:
            yield self._read(place)

    def close(self) -> None:
        super().close()
        if self._file is not None:
            self._file.close()

    def _read(self, place: _Place) -> Block:
        assert self._file is not None
        bits = np.empty((place.literals + 1, place.bounds[-1]), np.uint64)
        self._file.seek(place.offset)
        if self._file.readinto(bits.data) != bits.nbytes:  # type: ignore[attr-defined]
            raise GnriError("the file of packed rows was cut short; start again")
        return Block(bits[:-1], bits[-1], place.bounds, place.weight)


def _keep_freed_memory() -> None:
    """Have the masks of one block use the memory of the last one's again.

    glibc gives freed memory back beyond twice the largest array that was ever freed, and to be
    given it again takes twice as long as to make the masks. Elsewhere this does nothing.
    """
    np.empty(_LARGEST, np.uint8)
