"""What a command shows, and what it may write: text, progress, files that destroy no input."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError

if TYPE_CHECKING:
    from rich.console import Console


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


WIDTH_OF_A_PIPE = 120


def output() -> "Console":
    """Standard output: in colour on a terminal, plain and of a fixed width elsewhere."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    return Console(file=sys.stdout, width=width, highlight=False, markup=False)


@contextmanager
def progress(task: str, steps: int | None = None) -> Iterator[Callable[[], None]]:
    """A bar on standard error that goes when the work is done; call what it gives at each step."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not _watched()) as bar:
        place = bar.add_task(task, total=steps)
        yield lambda: bar.advance(place)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int | None], None]]:
    """A bar for each stage of some work, on standard error, till all is done.

    Call what it gives with the stage, how much of it is done, and how much there is, if known.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description} {task.completed:,}")
    columns = (text, BarColumn(), TimeElapsedColumn())
    console, known = Console(file=sys.stderr), dict[str, TaskID]()
    with Progress(*columns, console=console, transient=True, disable=not _watched()) as bar:

        def report(stage: str, done: int, steps: int | None) -> None:
            if stage not in known:
                known[stage] = bar.add_task(stage, total=steps)
            bar.update(known[stage], completed=done)

        yield report


def write_text(text: str, path: Path | None) -> None:
    """Write to the file, whole or not at all, or to standard output if there is none."""
    if path is None:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        return
    check_place(path)
    try:
        write_atomically(path, (text if text.endswith("\n") else f"{text}\n").encode())
    except OSError as error:
        raise GnriError(f"{path} cannot be written: {error.strerror}") from None


def _watched() -> bool:
    return sys.stderr.isatty()
