"""Processes that others start for their work, and what they load."""

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


def exit_with_parent() -> None:
    """End this process soon after the one that started it, also in the middle of a job."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def freeze_imports() -> Iterator[None]:
    """Keep what is made meanwhile from the garbage collector, as what is imported stays anyway.

    It would go through the million objects behind torch again and again while they are made, and
    once more when the process ends.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
