"""Processes that others start for their work."""

import os
import threading
import time


def leave_with_parent() -> None:
    """End this process soon after the one that started it, also in the middle of a job."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
