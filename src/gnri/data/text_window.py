"""Text that is read block by block, of which only what is still to be judged is held."""

import codecs
import re
from collections.abc import Iterable

from gnri.errors import GnriError

END = rb"(?:\r\n?+|\n)"
"""What ends a line."""

ENDS = re.compile(END + rb"*+")
_END_BEFORE_MORE = re.compile(END + rb"(?=.)", re.DOTALL)
_BLOCK = 1 << 14


class Window:
    """What was read and not yet dropped, whether it is the last, and which line it is in.

    All of `data` is UTF-8. Bytes that are not are refused when what is before them is not enough.
    """

    def __init__(self, blocks: Iterable[bytes], source: str) -> None:
        self._blocks, self._source = iter(blocks), source
        self.data, self.last = b"", False
        self._begun = b""  # the first bytes of a character
        self._fault: int | None = None  # a byte that is not UTF-8, behind the data
        self._lines, self._carriage = 0, False  # dropped, and whether they ended so

    def read(self) -> None:
        """Read on, at least as much as is held, so that a long line is gone through few times."""
        if self._fault is not None:
            raise GnriError(
                f"{self._source} must be UTF-8, but line {self._lines + _lines(self.data) + 1} "
                f"holds the byte 0x{self._fault:02x}; save it as UTF-8"
            )
        held, size, found = len(self.data), 0, [self.data, self._begun]
        while not self.last and size <= held:
            block = next(self._blocks, None)
            self.last = block is None
            found.append(block or b"")
            size += len(found[-1])
        self.data = b"".join(found)
        good, broken = _valid(self.data, held, self.last)
        if broken:
            self.last, self._fault = False, self.data[good]
        self.data, self._begun = self.data[:good], self.data[good:]

    def read_first_line(self, longest: int) -> None:
        """Read till a line has ended and more has come, or it is longer than this."""
        while not (self.last or len(self.data) > longest or _END_BEFORE_MORE.search(self.data)):
            self.read()

    def drop(self, place: int) -> None:
        """Forget what is before `place`, but for how many lines it is."""
        if not place:
            return
        joined = self._carriage and self.data.startswith(b"\n")
        self._lines += _lines(self.data, place) - joined
        self._carriage = self.data[place - 1 : place] == b"\r"
        self.data = self.data[place:]

    def drop_ends(self) -> None:
        """Forget empty lines, and read on till there is something else, if there is."""
        while True:
            found = ENDS.match(self.data)
            self.drop(found.end() if found else 0)
            if self.data or self.last:
                return
            self.read()

    def line(self, end: int) -> int:
        """The line of the last byte before `end`, from 1."""
        return self._lines + 1 + sum(1 for _ in _END_BEFORE_MORE.finditer(self.data, 0, end))


def _lines(data: bytes, end: int | None = None) -> int:
    """How many lines end in the data."""
    newlines, returns, both = (data.count(mark, 0, end) for mark in (b"\n", b"\r", b"\r\n"))
    return newlines + returns - both


def _valid(data: bytes, place: int, last: bool) -> tuple[int, bool]:
    """Where the whole characters from `place` on end, and whether what follows can be none."""
    if data.isascii():
        return len(data), False
    while place < len(data):
        some = memoryview(data)[place : place + _BLOCK]
        try:
            used = codecs.utf_8_decode(some, "strict", last and place + _BLOCK >= len(data))[1]
        except UnicodeDecodeError as error:
            return place + error.start, True
        if not used:
            break
        place += used
    return place, False
