"""The same classifier from memory, from parts in any order and number, and from a cluster."""

import os
import pickle
import signal
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pytest
from distributed import LocalCluster

from gnri.classifier import RuleClassifier
from gnri.counts.executors import DaskExecutor, LocalExecutor, connect
from gnri.counts.packing import Packing
from gnri.data.sources import open_source
from gnri.errors import GnriError
from gnri.estimator.fitting import fit
from tests.estimator.parts import (
    KINDS,
    REAL,
    TARGET,
    assert_fitted,
    assert_same,
    in_memory,
    real,
    table,
    write_parts,
)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(("kind", "pieces"), [("mushrooms", 1), ("sizes", 7), ("noisy", 64)])
def test_parts_give_what_memory_gives(kind: str, ending: str, pieces: int, tmp_path: Path) -> None:
    frame = table(kind, 300, seed=pieces)
    expected = in_memory(frame, tmp_path, ending)
    found = RuleClassifier().fit_files(write_parts(frame, tmp_path, pieces, ending), TARGET)
    assert_same(found, expected)
    assert sum(found.fitted_.sizes) == 300
    assert found.predict(frame.drop(columns=TARGET)).tolist() == (
        expected.predict(frame.drop(columns=TARGET)).tolist()
    )


@pytest.mark.parametrize("name", REAL)
def test_real_tables_too(name: str, tmp_path: Path) -> None:
    frame = real(name)
    source = open_source(write_parts(frame, tmp_path, 7))
    assert_fitted(
        fit(source, TARGET, executor=LocalExecutor(max_bytes=0)), in_memory(frame, tmp_path)
    )


def test_a_dataset_a_list_and_a_folder_are_the_same(tmp_path: Path) -> None:
    frame = table("mushrooms", 300, seed=3)
    (tmp_path / "parts").mkdir()
    expected = in_memory(frame, tmp_path)
    pattern = write_parts(frame, tmp_path / "parts", 3)
    paths = sorted((tmp_path / "parts").iterdir())
    whole = pa.dataset.dataset(tmp_path / "parts")
    memory = pa.dataset.dataset(pa.Table.from_pandas(frame, preserve_index=False))
    for source in (
        pattern,
        tmp_path / "parts",
        paths,
        [str(path) for path in paths],
        whole,
        memory,
    ):
        assert_same(RuleClassifier().fit_files(source, TARGET), expected)


def test_the_partitions_of_a_dataset_are_a_column(tmp_path: Path) -> None:
    frame = table("mushrooms", 400, seed=4)
    frame["half"] = np.arange(400, dtype=np.int32) % 2
    pa.dataset.write_dataset(
        pa.Table.from_pandas(frame, preserve_index=False),
        tmp_path / "parts",
        format="parquet",
        partitioning=pa.dataset.partitioning(pa.schema([("half", pa.int32())]), flavor="hive"),
    )
    whole = pa.dataset.dataset(tmp_path / "parts", partitioning="hive")
    found = RuleClassifier().fit_files(whole, TARGET)
    names = list(found.feature_names_in_)
    assert names[-1] == "half"
    assert_same(found, in_memory(frame[[*names, TARGET]], tmp_path))
    with pytest.raises(GnriError, match=r"cannot be read in parts: .*Write the rows"):
        RuleClassifier().fit_files(whole.filter(pa.dataset.field("half") == 1), TARGET)


def test_it_is_saved_and_fitted_again_as_any_other(tmp_path: Path) -> None:
    frame = table("mushrooms", 300, seed=5)
    expected = in_memory(frame, tmp_path)
    found = RuleClassifier().fit_files(write_parts(frame, tmp_path, 2), TARGET)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_text() == expected.to_text() and again.fitted_.sizes == found.fitted_.sizes
    with pytest.raises(GnriError, match="a report shows the training rows"):
        found.report(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
    found.fit(frame.drop(columns=TARGET), frame[TARGET])
    assert found.fitted_.values is not None


def test_a_cluster_gives_what_memory_gives(tmp_path: Path, workers: LocalCluster) -> None:
    frame = table("mushrooms", 300, seed=0)
    parts = write_parts(frame, tmp_path, 4)
    found = RuleClassifier().fit_files(parts, TARGET, scheduler=workers.scheduler_address)
    assert_same(found, in_memory(frame, tmp_path))


class Murderous(DaskExecutor):
    """A cluster that loses a worker while the rows are packed or counted."""

    victim = 0

    def pack(self, partitions, packing: Packing):
        found = super().pack(partitions, packing)
        threading.Timer(0.3, os.kill, (self.victim, signal.SIGKILL)).start()
        return found


def lose_a_worker(frame: pd.DataFrame, folder: Path, workers: LocalCluster) -> None:
    source = open_source(write_parts(frame, folder, 4))
    executor = Murderous(connect(workers.scheduler_address).client)
    executor.victim = next(iter(workers.workers.values())).pid
    try:
        found = fit(source, TARGET, executor=executor)
    finally:
        executor.close()
    assert_fitted(found, in_memory(frame, folder))
    assert executor.victim not in [worker.pid for worker in workers.workers.values()]


def test_a_lost_worker_changes_nothing(tmp_path: Path, workers: LocalCluster) -> None:
    lose_a_worker(table("mushrooms", 300, seed=1), tmp_path, workers)


EVERY_TABLE = [*((kind, seed) for kind in KINDS for seed in range(7))][:20] + [(n, 0) for n in REAL]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), EVERY_TABLE)
def test_twenty_random_tables_and_three_real_ones(
    kind: str, seed: int, tmp_path: Path, workers: LocalCluster
) -> None:
    frame = real(kind) if kind in REAL else table(kind, 400 + 37 * seed, seed)
    expected = in_memory(frame, tmp_path)
    for pieces in (1, 7, 64):
        pattern = write_parts(frame, tmp_path, pieces)
        assert_same(RuleClassifier().fit_files(pattern, TARGET), expected)
    address = workers.scheduler_address
    assert_same(RuleClassifier().fit_files(pattern, TARGET, scheduler=address), expected)
    lose_a_worker(frame, tmp_path, workers)
