"""A scheduler that is killed while a command counts on it."""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gnri.counts.dask_blocks import DaskExecutor
from tests.cli.commands import one_line, run
from tests.estimator.parts import TARGET, table, write_parts

PATIENCE = 30.0
GONE = (
    "gnri: the scheduler does not answer any more; start it again, with its workers, and then this"
)


def started(kind: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *words]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def waited(until: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a scheduler with one worker, and its process."""
    note = tmp_path / "scheduler.json"
    process = started("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", note)
    try:
        waited(lambda: note.exists() and note.read_text().rstrip().endswith("}"))
        address = json.loads(note.read_text())["address"]
        worker = started("worker", address, "--no-nanny", "--local-directory", str(tmp_path))
        try:
            waited(lambda: _workers(address) == 1)
            yield address, process
        finally:
            worker.kill()
            worker.wait()
    finally:
        process.kill()
        process.wait()


def _workers(address: str) -> int:
    from distributed import Client

    with Client(address, timeout=PATIENCE) as client:
        return len(client.scheduler_info()["workers"])


@contextmanager
def logged() -> Iterator[list[logging.LogRecord]]:
    """What dask itself would tell the user."""
    found: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = found.append  # type: ignore[method-assign]
    log = logging.getLogger("distributed")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield found
        assert log.level == logging.INFO  # as it was
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


@pytest.mark.parametrize(
    ("method", "calls", "noticed"),
    [("count_columns", 1, False), ("pack", 1, True), ("map", 4, False), ("map", 4, True)],
)
def test_one_line_and_no_file(
    scheduler: tuple[str, subprocess.Popen[bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    calls: int,
    noticed: bool,
) -> None:
    """While columns are read, rows are packed, rows are counted; before and after it is noticed."""
    address, process = scheduler
    monkeypatch.setattr("gnri.counts.dask_blocks._SECONDS", 1 if noticed else 3)
    original, left = getattr(DaskExecutor, method), [calls]

    def deadly(self: DaskExecutor, *given: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            process.kill()
            process.wait()
            if noticed:
                waited(lambda: self.client.status == "closed")
        return original(self, *given, **named)

    monkeypatch.setattr(DaskExecutor, method, deadly)
    (tmp_path / "parts").mkdir()
    pattern = write_parts(table("mushrooms", 300, seed=0), tmp_path / "parts", 4)
    words = ("--target", TARGET, "--scheduler", address, "--out", tmp_path / "rule.json")
    with logged() as lines:
        assert one_line(run("induce", pattern, *words)) == GONE
    assert left[0] <= 0 and not lines
    assert not list(tmp_path.glob("rule*"))
