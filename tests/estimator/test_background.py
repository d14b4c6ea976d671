"""Work in a second process: the same answers, and no process that stays."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gnri.errors import GnriError
from gnri.estimator import cross_validation as module
from gnri.estimator.cross_validation import beside

HERE = os.getpid()


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
    with beside(os.getpid) as result:
        assert (result() != HERE) == forks
    assert set(multiprocessing.active_children()) <= before


def test_one_core_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with beside(os.getpid) as result:
        assert result() == HERE


def test_idle_threads_of_arrow_do_not_keep_it_from_being_forked(
    forks: bool, tmp_path: Path
) -> None:
    from gnri.data.sources import read_table

    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    rows = read_table(tmp_path / "t.csv").rows
    with beside(lambda: (os.getpid(), rows)) as result:
        process, found = result()
    assert ((process != HERE), found) == (forks, 1)


def test_an_error_comes_up_where_the_result_is_asked_for(forks: bool) -> None:
    def refuse() -> None:
        raise GnriError("no rule")

    with beside(refuse) as result, pytest.raises(GnriError, match="no rule"):
        result()


def test_what_was_killed_there_is_done_here(forks: bool) -> None:
    def work() -> str:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    with beside(work) as result:
        assert result() == "done"


def test_nothing_goes_on_when_the_result_is_not_wanted(forks: bool) -> None:
    before = set(multiprocessing.active_children())
    with pytest.raises(GnriError), beside(signal.pause):
        raise GnriError("stop")
    assert set(multiprocessing.active_children()) <= before


ASKING = """
import os
from gnri.estimator.cross_validation import beside
def work():
    print(os.getpid(), flush=True)
    while True:
        pass
with beside(work) as result:
    result()
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
