"""Schedulers that are killed while a command counts on them, and workers that lack gnri."""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from gnri.counts.executors import DaskExecutor
from tests.cli.commands import one_line, run
from tests.estimator.parts import TARGET, table, write_parts

Cluster = tuple[str, subprocess.Popen[bytes], subprocess.Popen[bytes]]
"""The address of a scheduler, its process, and its worker's."""

PATIENCE = 30.0
GONE = "gnri: the scheduler no longer answers; restart it and its workers, then run this again"
STATES = ("running", "connecting", "closing", "closed")
"""Of a client that notices, by and by, that its scheduler is gone."""

WORKER = """
import importlib.metadata as metadata
real = metadata.version
metadata.version = lambda name: VERSION if name == "gnri" else real(name)
from distributed.cli.dask_worker import main
main()
"""
"""A worker with another version of gnri, or with a version that cannot be told."""


def started(kind: str, *words: str, version: str = "") -> subprocess.Popen[bytes]:
    program = ["-c", WORKER.replace("VERSION", version)]
    program = program if version else ["-m", f"distributed.cli.dask_{kind}"]
    command = [sys.executable, *program, "--no-dashboard", *words]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def waited(until: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def scheduler(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    other = getattr(request, "param", "")
    note = tmp_path / "scheduler.json"
    process = started("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", note)
    try:
        waited(lambda: note.exists() and note.read_text().rstrip().endswith("}"))
        address = json.loads(note.read_text())["address"]
        words = (address, "--no-nanny", "--local-directory", str(tmp_path))
        worker = started("worker", *words, version=other)
        try:
            waited(lambda: _workers(address) == 1)
            yield address, process, worker
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
    ("method", "calls", "state"),
    [
        ("count_columns", 1, "running"),
        ("pack", 1, "closed"),
        ("map", 4, "running"),
        ("map", 4, "closed"),
        ("_wait", 1, "connecting"),
    ],
)
def test_one_line_and_no_file(
    scheduler: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    calls: int,
    state: str,
) -> None:
    """While columns are read, rows are packed, rows are counted; before and after it is noticed."""
    address, process, _ = scheduler
    original, left = getattr(DaskExecutor, method), [calls]

    def deadly(self: DaskExecutor, *given: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            self.client._timeout = 1  # to connect again
            process.kill()
            process.wait()
            waited(lambda: STATES.index(self.client.status) >= STATES.index(state))
        return original(self, *given, **named)

    monkeypatch.setattr(DaskExecutor, method, deadly)
    (tmp_path / "parts").mkdir()
    pattern = write_parts(table("mushrooms", 300, seed=0), tmp_path / "parts", 4)
    words = ("--target", TARGET, "--scheduler", address, "--out", tmp_path / "rule.json")
    with logged() as lines:
        assert one_line(run("induce", pattern, *words)) == GONE
    assert left[0] <= 0 and not lines
    assert not list(tmp_path.glob("rule*"))


@pytest.mark.parametrize(
    ("scheduler", "said"),
    [("'0.0.1'", "has gnri 0.0.1"), ("1 / 0", "has no gnri")],
    indirect=["scheduler"],
)
def test_a_worker_without_this_gnri_is_named(scheduler: Cluster, said: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    pattern = write_parts(table("mushrooms", 300, seed=0), tmp_path / "parts", 4)
    line = one_line(run("induce", pattern, "--target", TARGET, "--scheduler", scheduler[0]))
    assert line.startswith("gnri: the worker tcp://127.0.0.1:")
    assert f"{said}, and here is gnri {version('gnri')}; install the same gnri" in line


def test_workers_that_are_lost_are_not_waited_for_without_end(
    scheduler: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, _, worker = scheduler
    original = DaskExecutor.pack

    def deadly(self: DaskExecutor, *given: Any) -> Any:
        monkeypatch.setattr("gnri.counts.executors._SECONDS", 1)
        worker.kill()
        waited(lambda: _workers(address) == 0)
        return original(self, *given)

    monkeypatch.setattr(DaskExecutor, "pack", deadly)
    (tmp_path / "parts").mkdir()
    pattern = write_parts(table("mushrooms", 300, seed=0), tmp_path / "parts", 4)
    line = one_line(run("induce", pattern, "--target", TARGET, "--scheduler", address))
    assert line == "gnri: the scheduler has lost all its workers; start some, and then this again"


INTERRUPTED = """
import signal, sys, time
from gnri.cli import app
from gnri.counts.executors import DaskExecutor
signal.signal(signal.SIGINT, signal.default_int_handler)
original = DaskExecutor.map
def interrupted(self, *given, **named):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    return original(self, time.sleep, [60])
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
DaskExecutor.map = interrupted
app(sys.argv[1:])
"""


def test_an_interrupt_prints_no_traceback(scheduler: Cluster, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    pattern = write_parts(table("mushrooms", 300, seed=0), tmp_path / "parts", 4)
    words = ["induce", str(pattern), "--target", TARGET, "--scheduler", scheduler[0]]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert len(done.stderr.splitlines()) <= 1
