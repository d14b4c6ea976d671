"""Write a file completely or not at all."""

import glob
import os
import sys
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the content of `path` by `data`, completely or not at all.

    A symbolic link stays, and its target is replaced. A file that is replaced keeps its mode and,
    where that is allowed, its owner. Standard output, and what is no regular file, is written into.
    """
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    if old is not None and (stream := _find_stream(old)) is not None:
        sys.stdout.flush()
        with open(stream, "wb", closefd=False) as file:
            file.write(data)
        return
    if old is not None and not S_ISREG(old.st_mode):
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    _remove_stale_drafts(target)
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.touch(0o666 if old is None else 0o600, exist_ok=False)
        draft.write_bytes(data)
        if old is not None:
            _keep_access(draft, old)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def is_rewritable(path: Path) -> bool:
    """Return whether a second write replaces the first: not in a stream, a pipe or a device."""
    return path.is_file() and _find_stream(path.stat()) is None


def _find_stream(old: os.stat_result) -> int | None:
    """Return the number of standard output or error, if the file is one of them."""
    for number in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(number), old):
                return number
    return None


def _keep_access(draft: Path, old: os.stat_result) -> None:
    with suppress(PermissionError):
        os.chown(draft, old.st_uid, old.st_gid)
    draft.chmod(S_IMODE(old.st_mode))


def _remove_stale_drafts(path: Path) -> None:
    """Remove the drafts of processes that were killed while writing."""
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
        pass
    return True
