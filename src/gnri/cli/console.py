"""What a person sees: text on standard output, progress on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.atomic_write import write_atomically
from gnri.cli.outputs import check_place
from gnri.errors import GnriError

if TYPE_CHECKING:
    from rich.console import Console

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
