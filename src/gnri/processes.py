"""Helpers for worker processes."""

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


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
