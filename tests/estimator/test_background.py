"""Work in a second process: the same answers, and no process that stays."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from gnri import RuleClassifier
from gnri.cli.held_out import folds_of, held_out
from gnri.cli.learning import learn, task_of
from gnri.errors import GnriError
from gnri.estimator import background as module
from gnri.estimator.background import beside

HERE = os.getpid()


@pytest.fixture(params=[True, False], ids=["forked", "here"])
def forks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both kinds of system, whatever this one is and other tests have loaded."""
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    if not request.param:
        monkeypatch.setattr(module.sys, "platform", "darwin")
    assert module._can_fork() == request.param
    return bool(request.param)


def test_work_is_done_elsewhere_where_that_is_possible(forks: bool) -> None:
    with beside(os.getpid) as result:
        assert (result() != HERE) == forks
    assert multiprocessing.active_children() == []


def test_one_core_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with beside(os.getpid) as result:
        assert result() == HERE


def test_threads_of_pyarrow_are_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setitem(sys.modules, "pyarrow", module)
    with beside(os.getpid) as result:
        assert result() == HERE


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
    with pytest.raises(GnriError), beside(signal.pause):
        raise GnriError("stop")
    assert multiprocessing.active_children() == []


ASKING = """
import os
from gnri.estimator.background import beside
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


WARNED = "-W", "always", "-m", "gnri", "induce"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_python_warns_of_no_fork(ending: str, table: Path, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / f"table.{ending}"
    frame = pd.read_csv(table)
    frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
    words = [sys.executable, *WARNED, str(path), "--target", "class", "--estimate"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "held out" in done.stdout
    assert "fork" not in done.stderr


def _runs(status: Path) -> bool:
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("model", ["guided", "gnri"])
def test_held_out_rows_are_answered_the_same(forks: bool, model: str, table: Path) -> None:
    task = task_of(str(table), "class", [])
    found = held_out(task, learn(task, {"model": model}))
    right = []
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(task.labels, task.labels)
    for shown, hidden in folds:
        rules = RuleClassifier(model).fit(task.frame.take(shown), task.labels[shown])
        right.append(rules.predict(task.frame.take(hidden)) == task.labels[hidden])
    assert found.accuracy == np.concatenate(right).mean()
    assert found.by_fold == tuple(fold.mean() for fold in right)
    assert found.majority == float(np.mean(task.labels == "good"))


@given(st.lists(st.sampled_from("abcd"), min_size=10, max_size=60), st.integers(2, 5))
def test_folds_are_those_of_scikit_learn(letters: list[str], count: int) -> None:
    labels = np.array([*letters, *"abcd" * count])
    wanted = StratifiedKFold(count, shuffle=True, random_state=0).split(labels, labels)
    for found, expected in zip(folds_of(labels, count), wanted, strict=True):
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]
