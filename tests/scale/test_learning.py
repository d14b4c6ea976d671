"""The same rules from memory, from parts in any order and number, and from a cluster."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster

from gnri.datasets.loading import load
from gnri.errors import GnriError
from gnri.model.guided.inducer import Guided
from gnri.model.loading import load_model
from gnri.scale.cluster import Cluster, connect
from gnri.scale.learning import Here, learn
from gnri.scale.packing import Packing
from gnri.scale.parts import parts_of
from tests.scale.tables import TARGET, in_memory, table, write_parts

PLENTY = 1 << 30


@pytest.fixture(scope="module")
def model() -> Guided:
    found = load_model("guided")
    assert isinstance(found, Guided)
    return found


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as found:
        yield found


@pytest.fixture
def cluster(workers: LocalCluster) -> Iterator[Cluster]:
    found = connect(workers.scheduler_address)
    yield found
    found.close()


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("kind", ["mushrooms", "sizes"])
@pytest.mark.parametrize("pieces", [1, 7, 64])
def test_parts_give_what_memory_gives(
    kind: str, ending: str, pieces: int, tmp_path: Path, model: Guided
) -> None:
    frame = table(kind, 300, seed=pieces)
    expected = in_memory(frame, tmp_path, ending, model)
    parts = parts_of(write_parts(frame, tmp_path, pieces, ending))
    found = learn(parts, TARGET, model, Here(PLENTY))
    assert found.ruleset == expected.ruleset_
    assert found.votes == expected.votes_
    assert found.rows == 300


@pytest.mark.parametrize("name", ["tic-tac-toe", "monks-2", "monks-3"])
def test_real_tables_too(name: str, tmp_path: Path, model: Guided) -> None:
    data = load(name)
    frame = pd.DataFrame(data.rows, columns=data.columns).assign(**{TARGET: data.labels})
    expected = in_memory(frame, tmp_path, "parquet", model)
    parts = parts_of(write_parts(frame, tmp_path, 7, "parquet"))
    assert learn(parts, TARGET, model, Here(0)).ruleset == expected.ruleset_


def test_a_cluster_gives_what_memory_gives(tmp_path: Path, model: Guided, cluster: Cluster) -> None:
    frame = table("mushrooms", 300, seed=0)
    expected = in_memory(frame, tmp_path, "parquet", model)
    parts = parts_of(write_parts(frame, tmp_path, 4, "parquet"))
    found = learn(parts, TARGET, model, cluster)
    assert found.ruleset == expected.ruleset_
    assert found.votes == expected.votes_


class Murderous(Cluster):
    """A cluster that loses a worker as soon as the rows are packed."""

    victim = 0

    def blocks(self, parts, packing: Packing):
        found = super().blocks(parts, packing)
        threading.Timer(0.5, os.kill, (self.victim, signal.SIGKILL)).start()
        return found


def test_a_lost_worker_changes_nothing(
    tmp_path: Path, model: Guided, workers: LocalCluster, cluster: Cluster
) -> None:
    frame = table("mushrooms", 300, seed=1)
    expected = in_memory(frame, tmp_path, "parquet", model)
    parts = parts_of(write_parts(frame, tmp_path, 4, "parquet"))
    place = Murderous(cluster.client)
    place.victim = next(iter(workers.workers.values())).pid
    assert learn(parts, TARGET, model, place).ruleset == expected.ruleset_
    assert place.victim not in [worker.pid for worker in workers.workers.values()]


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.scale.cluster._SECONDS", 1)
    with pytest.raises(GnriError, match=r"no scheduler answers at tcp://127\.0\.0\.1:1: .*first$"):
        connect("tcp://127.0.0.1:1")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (None, "has no column 'label'"),
        ([None] + ["a", "b"] * 5, "every row needs a label, but column 'label' has none in 1 rows"),
        (["a"] * 11, "at least 2 classes"),
        (np.arange(11) + 0.5, "the target must hold classes"),
        (pd.date_range("2020-01-01", periods=11), "must hold numbers, Booleans or text"),
    ],
)
def test_bad_targets_are_told(column, message: str, tmp_path: Path, model: Guided) -> None:
    frame = pd.DataFrame({"x": range(11)})
    if column is not None:
        frame[TARGET] = column
    parts = parts_of(write_parts(frame, tmp_path, 2, "parquet"))
    with pytest.raises(GnriError, match=message):
        learn(parts, TARGET, model, Here(PLENTY))
