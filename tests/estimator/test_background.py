"""Work in a second process: the same answers, and no process that stays."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gnri import processes as module
from gnri.errors import GnriError
from gnri.processes import map_in_background

HERE = os.getpid()


def _process(_: int) -> int:
    return os.getpid()


@pytest.fixture(params=[True, False], ids=["forked", "here"])
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both kinds of system, whatever this one is."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    if not request.param:
        monkeypatch.setattr(module.sys, "platform", "darwin")
    assert module._can_fork() == request.param
    return bool(request.param)


def test_work_is_done_elsewhere_where_that_is_possible(forks: bool) -> None:
    before = set(multiprocessing.active_children())  # such as workers of other tests
    with map_in_background(_process, [0]) as results:
        assert (results() != [HERE]) == forks
    assert set(multiprocessing.active_children()) <= before


def test_one_core_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with map_in_background(_process, [0]) as results:
        assert results() == [HERE]


def test_idle_threads_of_arrow_do_not_keep_it_from_being_forked(
    forks: bool, tmp_path: Path
) -> None:
    from gnri.data.sources import read_table

    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    rows = read_table(tmp_path / "t.csv").rows
    with map_in_background(lambda item: (os.getpid(), item), [rows]) as results:
        ((process, found),) = results()
    assert ((process != HERE), found) == (forks, 1)


def test_an_error_comes_up_where_the_result_is_asked_for(forks: bool) -> None:
    def refuse(_: int) -> None:
        raise GnriError("no rule")

    with map_in_background(refuse, [0]) as results, pytest.raises(GnriError, match="no rule"):
        results()


def test_what_was_killed_there_is_done_here(forks: bool) -> None:
    def work(item: int) -> int:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return item + 1

    with map_in_background(work, [1, 2]) as results:
        assert results() == [2, 3]


def test_nothing_is_forked_for_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.multiprocessing, "get_context", None)
    with map_in_background(_process, []) as results:
        assert results() == []


def test_nothing_goes_on_when_the_result_is_not_wanted(forks: bool) -> None:
    before = set(multiprocessing.active_children())
    with pytest.raises(GnriError), map_in_background(lambda _: signal.pause(), [0]):
        raise GnriError("stop")
    assert set(multiprocessing.active_children()) <= before


ASKING = """
import os
from gnri.processes import map_in_background
def work(_):
    print(os.getpid(), flush=True)
    while True:
        pass
with map_in_background(work, [0]) as results:
    results()
"""


def test_it_ends_soon_after_the_one_that_asked_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ASKING], stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        busy = Path(f"/proc/{int(asking.stdout.readline())}/stat")
        assert _runs(busy)
        asking.kill()
        last = time.monotonic() + 20
        while _runs(busy) and time.monotonic() < last:
            time.sleep(0.05)
    assert not _runs(busy)


def _runs(status: Path) -> bool:
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
