"""Input and output of the commands: streams, progress bars, and files that overwrite no input."""

import errno
import glob
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path
from stat import S_ISREG
from threading import Timer
from typing import TYPE_CHECKING, Any

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError, escape

if TYPE_CHECKING:
    from rich.console import Console

    from gnri.data.structure import TextFormat
    from gnri.data.table import Table

WIDTH_OF_A_PIPE = 120
SECONDS_BEFORE_NOTE = 2.0  # seconds after which a pipe that is still read is named

Report = Callable[..., None]
"""Called with the name of a stage and, where known, the steps done and the steps in all."""


def check_outputs(outputs: Iterable[Path | None], inputs: Sequence[str | Path | None]) -> None:
    """Raise unless each output can be written and overwrites no input or other output.

    An input is a file, a folder or a pattern of files, or `-` for standard input.
    """
    given = [path for path in outputs if path is not None]
    for path in given:
        if path.is_dir():
            raise GnriError(f"{path} is a folder; name a file to write")
        if not path.parent.is_dir():
            raise GnriError(f"{path} cannot be written: there is no folder {path.parent}")
        if any(_is_read(path, str(one)) for one in inputs if one is not None):
            raise GnriError(f"{path} is read, so it cannot be written too; name another file")
    for one, other in combinations(given, 2):
        if _is_same(one, other):
            raise GnriError(f"two things would be written to {other}; name a file for each")


def _is_read(path: Path, given: str) -> bool:
    """Return whether `given` names the file, or would name it once it is written."""
    if given == "-":
        return _is_standard_input(path)
    one = Path(given)
    if _is_same(path, one):
        return True
    if one.is_dir():
        folder, name, pattern = one, "*", f"{glob.escape(given)}/*"
    elif not one.exists():
        folder, name, pattern = one.parent, one.name, given
    else:
        return False
    # Not by Path.glob: a pattern may begin at the root.
    if any(_is_same(path, Path(part)) for part in glob.glob(pattern)):  # noqa: PTH207
        return True
    hidden = path.name.startswith((".", "_"))  # such files are not read as parts
    inside = folder.is_dir() and path.parent.samefile(folder)
    return inside and not hidden and fnmatch(path.name, name)


def _is_same(one: Path, other: Path) -> bool:
    """Return whether both paths name one regular file, which need not exist yet."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def _is_standard_input(path: Path) -> bool:
    try:
        read, written = os.fstat(sys.stdin.fileno()), path.stat()
    except (OSError, ValueError):  # closed, or not a file
        return False
    return S_ISREG(read.st_mode) and os.path.samestat(read, written)


class _Output(io.FileIO):
    """Standard output: text that nobody reads any more is dropped, as after `| head`."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # for what is still buffered
            if error.errno == errno.EPIPE:
                return len(data)
            raise OSError(error.errno, error.strerror, "standard output") from None


def open_streams() -> None:
    """Replace closed streams, and make a standard output that prints all text in any encoding.

    A closed standard input is empty. A closed standard output cannot be written.
    """
    sys.stdin = sys.stdin or Path(os.devnull).open()  # noqa: SIM115 - till the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    old: Any = sys.stdout
    if old is not sys.__stdout__:
        return  # of a test
    raw = _Output(old.fileno() if old else os.open(os.devnull, os.O_RDONLY), "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=old.encoding if old else "utf-8",
        errors="backslashreplace",
        line_buffering=raw.isatty(),
    )


def read_input(file: str, text: "TextFormat", *, may_be_empty: bool = False) -> "Table":
    """Return the table of a file, or of standard input; say so if a pipe takes long to end."""
    from gnri.data.sources import read_table

    note = f"gnri: reading {file} until its writer closes it"
    timer = Timer(SECONDS_BEFORE_NOTE, lambda: print(escape(note), file=sys.stderr))
    if file == "-" or Path(file).is_fifo():
        timer.start()
    try:
        return read_table(file, may_be_empty=may_be_empty, text=text)
    finally:
        timer.cancel()


def output() -> "Console":
    """Return standard output: in colour on a terminal, plain and of fixed width elsewhere.

    Control characters, which any text of a file may hold, are escaped.
    """
    from rich.console import Console
    from rich.segment import Segment

    class Screen(Console):
        def render(self, *what: Any) -> Iterator[Segment]:
            for text, style, control in super().render(*what):
                yield Segment(text if control else escape(text, keep="\n"), style, control)

    width = None if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    return Screen(file=sys.stdout, width=width, highlight=False, markup=False)


@contextmanager
def progress() -> Iterator[Report]:
    """Show a progress bar for each reported stage, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console, bars = Console(file=sys.stderr), dict[str, TaskID]()
    with Progress(*columns, console=console, transient=True) as shown:

        def report(stage: str, done: int = 0, steps: int | None = None) -> None:
            if stage not in bars:
                bars[stage] = shown.add_task(stage, total=steps)
            words = f"{stage} {done:,}" if done else stage
            shown.update(bars[stage], completed=done, description=words)

        yield report


def write_text(text: str, path: Path | None) -> None:
    """Write UTF-8 to the file, whole or not at all, or to standard output without one.

    On a terminal, control characters are escaped.
    """
    lines = text if text.endswith("\n") else f"{text}\n"
    if path is None:
        shown = escape(lines, keep="\n\t") if sys.stdout.isatty() else lines
        sys.stdout.flush()
        sys.stdout.buffer.write(shown.encode())
        return
    try:
        write_atomically(path, lines.encode())
    except OSError as error:
        raise GnriError(f"{path} cannot be written: {error.strerror}") from None
