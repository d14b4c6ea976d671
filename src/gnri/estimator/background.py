"""Work that is done in a second process while this one goes on."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TypeVar

from gnri.errors import GnriError
from gnri.processes import leave_with_parent

Result = TypeVar("Result")


@contextmanager
def beside(work: Callable[[], Result]) -> Iterator[Callable[[], Result]]:
    """Start `work` in a fork of this process; call what this gives for its result.

    Where there is one core, or a process with threads that is better not forked, `work` is done
    here, when its result is asked for. So it is if it fails there, for the error.
    """
    if not _can_fork():
        yield work
        return
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_do, args=(work, ours, theirs), daemon=True)
    process.start()
    theirs.close()

    def result() -> Result:
        try:
            found: Result = ours.recv()
        except EOFError:
            return work()
        return found

    try:
        yield result
    finally:
        process.kill()
        process.join()
        ours.close()


def _can_fork() -> bool:
    """Whether there is a second core, and no thread that a fork would leave behind.

    Those of numpy end before a fork. Those of pyarrow, which reads Parquet, do not, and of such
    a fork Python warns since 3.12.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    return cores > 1 and "pyarrow" not in sys.modules


def _do(work: Callable[[], Result], ours: Connection, theirs: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the one who asked says that it was interrupted
    leave_with_parent()
    ours.close()  # else nobody would notice here that nobody is there to read
    with suppress(GnriError):
        theirs.send(work())
