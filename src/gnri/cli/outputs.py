"""Files that a command writes must be none of those it reads, nor each other."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path
from stat import S_ISREG

from gnri.errors import GnriError


def check_outputs(outputs: Iterable[Path | None], inputs: Sequence[str | Path | None]) -> None:
    """Raise, before any work is done, unless each output can be written and destroys nothing.

    An input is a file, a folder or a pattern of files, or `-` for standard input.
    """
    given = [path for path in outputs if path is not None]
    for path in given:
        check_place(path)
        if any(_is_read(path, str(one)) for one in inputs if one is not None):
            raise GnriError(f"{path} is read, so it cannot be written too; name another file")
    for one, other in combinations(given, 2):
        if _is_same(one, other):
            raise GnriError(f"two things would be written to {other}; name a file for each")


def check_place(path: Path) -> None:
    """Raise unless a file can be put at `path`."""
    if path.is_dir():
        raise GnriError(f"{path} is a folder; name a file to write")
    if not path.parent.is_dir():
        raise GnriError(f"{path} cannot be written: there is no folder {path.parent}")


def _is_read(path: Path, given: str) -> bool:
    """Whether the file is one that `given` names, or would be one once it is there."""
    if given == "-":
        return _is_standard_input(path)
    return any(_is_same(path, one) for one in _files(Path(given))) or _would_match(
        path, Path(given)
    )


def _files(given: Path) -> Iterator[Path]:
    yield given
    if given.is_dir():
        yield from given.iterdir()
    elif not given.exists():
        yield from _matches(given)


def _matches(pattern: Path) -> Iterator[Path]:
    import glob

    yield from map(Path, glob.glob(str(pattern)))  # noqa: PTH207 - a pattern may begin at the root


def _would_match(path: Path, given: Path) -> bool:
    if path.name.startswith((".", "_")):  # files of these names are no parts of a table
        return False
    if given.is_dir():
        return path.parent.samefile(given)
    same_folder = given.parent.is_dir() and path.parent.samefile(given.parent)
    return same_folder and not given.exists() and fnmatch(path.name, given.name)


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are one regular file, however it is spelt; it need not be there yet."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def _is_standard_input(path: Path) -> bool:
    try:
        read, written = os.fstat(sys.stdin.fileno()), path.stat()
    except (OSError, ValueError):  # closed, or not a file
        return False
    return S_ISREG(read.st_mode) and os.path.samestat(read, written)
