"""Helpers for worker processes."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def exit_with_parent() -> None:
    """End this process soon after its parent ends, even in the middle of a job."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def freeze_imports() -> Iterator[None]:
    """Exclude all objects made in this context, such as imports, from garbage collection.

    An import makes many objects that stay, which the collector would scan again and again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def map_in_background(
    function: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[Callable[[], list[Result]]]:
    """Map over the items in a forked process; yield a function that waits for the results.

    With one core, or if the fork fails, that function does the work itself.
    """

    def work() -> list[Result]:
        return [function(item) for item in items]

    if not items or not _can_fork():
        yield work
        return
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_send_results, args=(work, ours, theirs), daemon=True)
    with warnings.catch_warnings():
        # Python warns of the threads of Arrow, which are idle; the fork never calls Arrow.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()

    def results() -> list[Result]:
        try:
            return ours.recv()
        except EOFError:
            return work()

    try:
        yield results
    finally:
        process.kill()
        process.join()
        ours.close()


def _can_fork() -> bool:
    """Return whether there is a second core, on a system where a fork is safe."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def _send_results(work: Callable[[], Any], ours: Connection, theirs: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent reports an interrupt
    exit_with_parent()
    ours.close()  # or else `send` would not fail once the parent is gone
    with suppress(Exception):  # it is raised where the work is done again
        theirs.send(work())
