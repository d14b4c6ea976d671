"""What goes wrong is told in one line, and nothing is written."""

import time
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, KilledWorker, LocalCluster
from pyarrow import parquet

from gnri.classifier import RuleClassifier
from gnri.counts.executors import DaskExecutor, connect, parse_bytes
from gnri.errors import GnriError
from tests.cli.commands import one_line, run
from tests.estimator.parts import TARGET, table, write_parts


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    (tmp_path / "parts").mkdir()
    return write_parts(table("mushrooms", 300, seed=0), tmp_path / "parts", 4)


def test_no_scheduler(pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.counts.executors._SECONDS", 1)
    words = ("--target", TARGET, "--scheduler", "tcp://127.0.0.1:1", "--out", tmp_path / "rule")
    line = one_line(run("induce", pattern, *words))
    assert line.startswith("gnri: no scheduler answers at tcp://127.0.0.1:1: ")
    assert line.endswith("; start it first")
    assert not (tmp_path / "rule").exists()


def test_a_scheduler_without_workers() -> None:
    with (
        LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as empty,
        pytest.raises(GnriError, match="has no workers; start some first"),
    ):
        connect(empty.scheduler_address)


def test_a_broken_part(pattern: str, tmp_path: Path) -> None:
    path = next((tmp_path / "parts").iterdir())
    path.write_bytes(path.read_bytes()[:-9])
    line = one_line(run("induce", pattern, "--target", TARGET, "--out", tmp_path / "rule"))
    assert f"{path} is not a whole Parquet file" in line
    assert not (tmp_path / "rule").exists()


@pytest.mark.parametrize("where", ["name", "cell", "label"])
def test_text_that_is_not_utf8(where: str, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    good, broken = pa.array(["x", "y"] * 20), pa.array([b"x", b"\xff"] * 20).view(pa.string())
    columns = {"mark": broken if where == "cell" else good}
    columns["class"] = broken if where == "label" else good
    parquet.write_table(pa.table(columns), path)
    if where == "name":
        path.write_bytes(path.read_bytes().replace(b"mark", b"ma\xffk"))
    line = one_line(run("induce", path, "--target", "class", "--memory", "1GB"))
    assert f"{path} is not a whole Parquet file: " in line


def test_a_csv_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"ma\xffk,class\n" + b"1,x\n2,y\n" * 20)
    line = one_line(run("induce", path, "--target", "class", "--memory", "1GB"))
    assert f"{path} must be UTF-8, but line 1 holds the byte 0xff" in line


def test_workers_that_are_lost_again_and_again() -> None:
    class Dying:
        def map(self, *_: object, **__: object) -> None:
            raise KilledWorker("packed", None, 3)

    with pytest.raises(GnriError, match=r"^workers died .* \(packed\).* give them more"):
        DaskExecutor(Dying()).map(len, [0])


@pytest.mark.slow
def test_a_worker_out_of_memory() -> None:
    def eat(_: object) -> int:  # inside, so that a worker need not import all this to run it
        taken = bytearray(b"x") * (1 << 30)
        time.sleep(5)
        return len(taken)

    small = {"distributed.scheduler.allowed-failures": 0}
    with (
        dask.config.set(small),
        LocalCluster(
            n_workers=1, memory_limit="600MB", dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster) as client,
        pytest.raises(GnriError, match=r"^workers died .*memory runs out; give them more"),
    ):
        DaskExecutor(client).map(eat, [0])


def test_a_worker_that_says_so(workers: LocalCluster) -> None:
    def refuse(_: object) -> None:
        raise MemoryError

    with Client(workers) as client, pytest.raises(GnriError, match="workers ran out of memory"):
        DaskExecutor(client).map(refuse, [0])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (None, "has no column 'label'"),
        ([None] * 11, "no row has a label: column 'label' is empty"),
        (["a"] * 11, "at least 2 classes"),
        (np.arange(11) + 0.5, "the target must hold classes"),
        (pd.date_range("2020-01-01", periods=11), "'label' holds dates or times"),
    ],
)
def test_bad_targets(column, message: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": range(11)})
    if column is not None:
        frame[TARGET] = column
    with pytest.raises(GnriError, match=message):
        RuleClassifier().fit_files(write_parts(frame, tmp_path, 2), TARGET)


def test_what_takes_rows_in_memory_is_refused(pattern: str, tmp_path: Path) -> None:
    words = ("induce", pattern, "--target", TARGET)
    assert "leave --report out" in one_line(run(*words, "--report", tmp_path / "page"))
    assert "is not cross-validated" in one_line(run(*words, "--estimate"))
    assert "refine=False needs the rows in memory" in one_line(run(*words, "--no-refine"))
    assert "the model 'gnri' needs the rows in memory" in one_line(run(*words, "--model", "gnri"))
    assert "name the column to predict" in one_line(run("induce", pattern))
    assert "has no column 'lable'" in one_line(run("induce", pattern, "--target", "lable"))
    assert "cannot be read twice" in one_line(run("induce", "-", "--memory", "2GB"))
    with pytest.raises(GnriError, match="target must be the name of a column, got list"):
        RuleClassifier().fit_files(pattern, [1, 2])


@pytest.mark.parametrize("memory", ["much", "-1", "", "10MB", True])
def test_a_budget_that_is_none(memory: object) -> None:
    with pytest.raises(GnriError, match=r"^memory must be"):
        parse_bytes(memory)  # type: ignore[arg-type]


def test_binary_units_are_powers_of_1024() -> None:
    sizes = [parse_bytes(memory) for memory in ("2GB", "2 GiB", "2gib", "1.5TiB", "4000000KiB")]
    assert sizes == [2 * 10**9, 2 << 30, 2 << 30, 3 << 39, 4_000_000 << 10]
