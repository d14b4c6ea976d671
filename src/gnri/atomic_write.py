"""Files written whole or not at all."""

import glob
import os
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` in place of what is at `path`, all of it or nothing."""
    _sweep(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    """Remove what a process that was killed while it wrote has left."""
    for draft in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        process = draft.name.split(".")[-2]
        if process.isdecimal() and not _is_running(int(process)):
            draft.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
