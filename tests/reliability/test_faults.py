"""What is left when something goes wrong: the old file or the new one, and no process."""

import errno
import itertools
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from gnri.atomic_write import write_atomically
from gnri.cli import app
from gnri.data.schema import IsTrue, Schema
from gnri.errors import GnriError
from gnri.model import checkpoint
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import load_rules, save_rules
from gnri.rules.rule_list import RuleList
from studies.results import append, read, replace_rows
from studies.training import run_state, train
from studies.training.checkpoints import save_checkpoint
from studies.training.recipe import Recipe, load_recipe, with_overrides

ROOT = Path(__file__).parents[2]
RULES = RuleList.binary(Schema((IsTrue("smoker"),)), (0, 1), SignedDNF([[(0, True)]]))


@contextmanager
def full_disk(room: int = 64) -> Iterator[None]:
    """No file may grow past so many bytes: the system refuses as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _save_rules(folder: Path) -> None:
    save_rules(RULES, folder / "rules.json")


def _save_weights(folder: Path) -> None:
    weights = {"weights": np.zeros(200)}
    save_checkpoint(folder, {}, "gnri", weights, extra={})


def _add_row(folder: Path) -> None:
    append(folder / "rows.csv", [{"a": "x" * 100, "b": "y" * 100}])


def _write_bytes(folder: Path) -> None:
    write_atomically(folder / "bytes", b"x" * 1_000)


@pytest.mark.parametrize("write", [_save_rules, _save_weights, _add_row, _write_bytes])
def test_on_a_full_disk_the_old_file_stays_and_nothing_else(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    for before in (False, True):
        if before:
            write(tmp_path)
        held = _files(tmp_path)
        assert bool(held) == before
        with full_disk(), pytest.raises((GnriError, OSError)):
            write(tmp_path)
        left = {name: data for name, data in _files(tmp_path).items() if data}
        assert left == held


def _predict(folder: Path) -> None:
    words = ["predict", str(folder / "rules.json"), str(folder / "in.csv")]
    done = CliRunner().invoke(app, [*words, "--out", str(folder / "out.csv")])
    assert done.exit_code in (0, 2)


CALLS = ("open", "os.rename", "os.chmod", "os.chown", "os.remove", "os.mkdir")


def _run_with_fault(write: Callable[[Path], None], folder: Path, call: int, fault: int) -> bool:
    """Let the system refuse one call in this folder, or kill the process there; was it reached?"""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    calls = itertools.count()

    def refuse(event: str, given: tuple[object, ...]) -> None:
        if event in CALLS and str(folder) in str(given) and next(calls) == call:
            if not fault:
                os._exit(9)
            raise OSError(fault, os.strerror(fault))

    sys.addaudithook(refuse)
    with suppress(Exception, SystemExit):
        write(folder)
    os._exit(next(calls) > call)


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EROFS, errno.EIO, 0])
@pytest.mark.parametrize("write", [_save_rules, _save_weights, _write_bytes, _predict])
def test_a_fault_at_any_call_leaves_the_old_file_or_the_new_one(
    write: Callable[[Path], None], fault: int, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("smoker\ntrue\nfalse\n")
    _save_rules(tmp_path)
    inputs = _files(tmp_path) if write is _predict else {}
    write(tmp_path)
    new = _files(tmp_path)
    old = {name: inputs.get(name, b"old") for name in new}
    for call in itertools.count():
        for name, data in old.items():
            (tmp_path / name).write_bytes(data)
        reached = _run_with_fault(write, tmp_path, call, fault)
        left = _files(tmp_path)
        assert all(left[name] in (old[name], new[name]) for name in old)
        assert fault == 0 or not [name for name in left if name.endswith(".part")]
        if not reached:
            break
    assert call > 3 and left == {**old, **{n: d for n, d in new.items() if left[n] == d}}


def test_on_a_full_disk_a_command_says_so_in_one_line(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b,class\n" + "1,0,yes\n0,1,no\n" * 20)
    for words in (
        ["induce", table, "--target", "class", "--no-estimate", "--out", tmp_path / "rule.json"],
        ["datasets", "tic-tac-toe", "--out", tmp_path / "boards.csv"],
        ["train", ROOT / "recipes" / "tiny.toml", "--out", tmp_path / "run", "--device", "cpu"],
    ):
        with full_disk():
            done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 2, done.output
        assert [line[:6] for line in done.stderr.splitlines() if line.strip()] == ["gnri: "]
        assert [path for path in tmp_path.rglob("*") if path.name.endswith(".part")] == []
    assert not (tmp_path / "rule.json").exists() and not (tmp_path / "boards.csv").exists()


def test_a_draft_of_a_process_that_was_killed_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / ".rules.json.4194305.part").write_bytes(b"half")  # no process has this number
    (tmp_path / f".rules.json.{os.getppid()}.part").write_bytes(b"being written")
    (tmp_path / ".other.json.4194305.part").write_bytes(b"not ours")
    save_rules(RULES, tmp_path / "rules.json")
    left = {".other.json.4194305.part", f".rules.json.{os.getppid()}.part", "rules.json"}
    assert set(_files(tmp_path)) == left
    assert load_rules(tmp_path / "rules.json") == RULES


WRITING = """
import sys
from pathlib import Path
from studies.results import append, replace_rows
from gnri.atomic_write import write_atomically
folder = Path(sys.argv[1])
print("begun", flush=True)
for number in range(10**9):
    append(folder / "rows.csv", [{"number": number, "text": "x" * 500}])
    append(folder / "kept.csv", [{"number": i, "text": "x" * 500} for i in range(400)])
    replace_rows(folder / "kept.csv", lambda row: int(row["number"]) >= 300)
    write_atomically(folder / "whole", bytes([number % 256]) * 300_000)
"""


def test_killed_while_writing_every_file_is_whole(tmp_path: Path) -> None:
    for wait in (0.05, 0.11, 0.2):
        with _running([sys.executable, "-c", WRITING, str(tmp_path)]) as writer:
            assert writer.stdout is not None and writer.stdout.readline()
            time.sleep(wait)
            writer.kill()
        kept = [int(row["number"]) for row in read(tmp_path / "kept.csv")]
        assert set(range(300)) <= set(kept) or not kept
        rows = [*read(tmp_path / "rows.csv"), *read(tmp_path / "kept.csv")]
        assert all(row["text"] == "x" * 500 for row in rows)
        if (tmp_path / "whole").exists():
            whole = (tmp_path / "whole").read_bytes()
            assert len(whole) == 300_000 and len(set(whole)) == 1
    write_atomically(tmp_path / "whole", b"new")
    replace_rows(tmp_path / "kept.csv", lambda _: False)
    append(tmp_path / "rows.csv", [{"number": -1, "text": "last"}])
    assert set(_files(tmp_path)) == {"rows.csv", "kept.csv", "whole"}


def _recipe() -> Recipe:
    settings = ["train.steps=16", "train.save_every=4", "train.evaluate_every=4"]
    found = with_overrides(load_recipe(ROOT / "recipes" / "tiny.toml"), settings)
    assert isinstance(found, Recipe)
    return found


TRAINING = """
import sys, torch
from pathlib import Path
from studies.training import run_state
from tests.reliability.test_faults import _recipe
from studies.training import train
torch.set_num_threads(1)
steps = run_state.save_state
def said(*given):
    steps(*given)
    print(given[2], flush=True)
run_state.save_state = said
train(_recipe(), Path(sys.argv[1]), device="cpu", progress=False)
"""


def test_training_that_is_killed_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    with _running([sys.executable, "-c", TRAINING, str(tmp_path / "killed")]) as training:
        assert training.stdout is not None
        assert training.stdout.readline() == b"4\n"
        training.kill()
    assert not (tmp_path / "killed" / "checkpoint").exists()
    with (tmp_path / "killed" / run_state.METRICS).open("a") as file:
        file.write('{"step": 5')  # a line that was cut off
    for name in ("killed", "whole"):
        train(_recipe(), tmp_path / name, device="cpu", progress=False)
    digests = [_digest(tmp_path / name / "checkpoint") for name in ("killed", "whole")]
    assert digests[0] == digests[1]
    assert [path.name for path in (tmp_path / "killed").rglob("*.part")] == []


def _digest(folder: Path) -> bytes:
    return (folder / checkpoint.WEIGHTS).read_bytes()


ALONE = """
import os, socket, sys
def refuse(event, given):
    if event.startswith("socket.") and event not in ("socket.gethostname",):
        raise AssertionError(f"the network was asked for: {event} {given}")
sys.addaudithook(refuse)
import gnri
from gnri import Episode, RuleClassifier, audit, induce, load_model
from gnri.cli import app
table = [["foul", 1], ["foul", 2], ["none", 1], ["none", None], ["none", 1], ["none", 2]] * 4
classifier = RuleClassifier().fit(table, ["bad", "bad", "good", "good", "good", "good"] * 4)
assert list(classifier.predict(table[:3])) == ["bad", "bad", "good"]
assert classifier.predict_proba(table).shape == (24, 2)
classifier.summary(), classifier.explain(table[:1]), classifier.to_sql("t"), classifier.to_json()
load_model("gnri")
assert audit(induce, [Episode([[1, 1], [1, -1], [-1, 1], [-1, -1]] * 3, [1, -1, -1, -1] * 3)]).exact
try:
    socket.create_connection(("127.0.0.1", 9))
except AssertionError:
    print("the hook works")
"""


def test_import_fit_and_predict_work_without_a_network_or_a_home(tmp_path: Path) -> None:
    """The home and the folder it runs in are in /proc, where not even root can write."""
    nowhere = {name: "/proc/nowhere" for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE],
        env={**os.environ, **nowhere, "OMP_NUM_THREADS": "1"},
        cwd="/proc/self" if Path("/proc/self").is_dir() else tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the hook works\n", "")


SERVING = """
from gnri.web.security import Limits
from gnri.web.app import serve
serve(0, browser=False, say=lambda url: print(url, flush=True), limits=Limits(workers=1))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_server_that_is_stopped_takes_its_processes_with_it(number: signal.Signals) -> None:
    with _running([sys.executable, "-c", SERVING]) as served:
        assert served.stdout is not None and served.stdout.readline().startswith(b"http")
        workers = _until(lambda: _children(served.pid))
        assert workers
        served.send_signal(number)
        served.wait(20)
        assert _until(lambda: not any(map(_runs, workers))), "a worker goes on without its server"


BUSY = "from gnri.processes import exit_with_parent as go; go()\nwhile True: pass"
STARTING = f"""
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-c", {BUSY!r}]).pid, flush=True)
time.sleep(600)
"""


def test_a_process_that_is_busy_ends_soon_after_the_one_that_started_it() -> None:
    with _running([sys.executable, "-c", STARTING]) as starting:
        assert starting.stdout is not None
        busy = int(starting.stdout.readline())
        time.sleep(1)  # it has to know its parent before that is gone
        assert _runs(busy)
        starting.kill()
        gone = _until(lambda: not _runs(busy), seconds=20)
        if not gone:
            os.kill(busy, signal.SIGKILL)
    assert gone


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(process) for process in listed]


def _runs(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _until(found: Callable[[], object], seconds: float = 60.0) -> object:
    """What is found as soon as there is something, or at the end."""
    last = time.monotonic() + seconds
    while not (thing := found()) and time.monotonic() < last:
        time.sleep(0.02)
    return thing


@contextmanager
def _running(command: list[str]) -> "Iterator[subprocess.Popen[bytes]]":
    """A process that is gone at the end, whatever happens."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
