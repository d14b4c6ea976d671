"""This machine and a cluster keep the contract of executors."""

import sys
from pathlib import Path

import pytest
from distributed import LocalCluster

from gnri.counts.blocks import SpoolBlocks
from gnri.counts.executors import DaskExecutor, LocalExecutor, connect, make_executor
from gnri.counts.packing import Packing
from gnri.data.sources import open_source
from tests.contracts import executor_contract as contract
from tests.estimator.parts import KINDS, table, write_parts

MAKERS = {
    "in memory": lambda report, _: LocalExecutor(sys.maxsize, report),
    "partly in a file": lambda report, _: LocalExecutor(2000, report),
    "in a file": lambda report, _: LocalExecutor(0, report),
    "a cluster": lambda report, workers: connect(workers.scheduler_address, report),
}
"""How each executor is made, with the address of a cluster."""


@pytest.fixture(params=MAKERS)
def make(
    request: pytest.FixtureRequest, workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> contract.Make:
    monkeypatch.setattr("gnri.counts.blocks.MIN_BLOCK_WORDS", 1)
    return lambda report: MAKERS[request.param](report, workers)


@pytest.mark.parametrize("kind", KINDS)
def test_all_counts_are_those_of_memory(make: contract.Make, kind: str, tmp_path: Path) -> None:
    frame = table(kind, 300, seed=1)
    expected = contract.in_memory(frame, tmp_path)
    for pieces in (2, 5):
        source = open_source(write_parts(frame, tmp_path, pieces))
        contract.check_counts(make, source, expected)


def test_partitions_leave_no_trace(make: contract.Make, tmp_path: Path) -> None:
    contract.check_partitions(make, table("mushrooms", 200, seed=2), tmp_path)


def test_failures_are_told_in_one_line(make: contract.Make, tmp_path: Path) -> None:
    contract.check_failures(make, table("noisy", 200, seed=3), tmp_path)


def test_what_was_opened_is_let_go(make: contract.Make) -> None:
    contract.check_close(make)


def test_packed_rows_stay_within_their_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnri.counts.blocks.MIN_BLOCK_WORDS", 1)
    frame = table("noisy", 300, seed=1)
    expected = contract.in_memory(frame, tmp_path)
    source = open_source(write_parts(frame, tmp_path, 5))
    packing = Packing(expected.schema, expected.target)
    for max_bytes, some_kept, some_spooled in (
        (0, False, True),
        (2000, True, True),
        (1 << 30, True, False),
    ):
        with LocalExecutor(max_bytes).pack(source.partitions, packing) as blocks:
            assert isinstance(blocks, SpoolBlocks)
            spooled = len(blocks._places)
            kept = sum(block.words.nbytes for block in list(blocks)[: -spooled or None])
            assert kept <= max_bytes
            assert (kept > 0, spooled > 0) == (some_kept, some_spooled)


def test_a_budget_and_a_scheduler_choose_the_executor(workers: LocalCluster) -> None:
    least, more = make_executor("1GB"), make_executor("4GB")
    assert isinstance(least, LocalExecutor) and isinstance(more, LocalExecutor)
    assert 0 <= least.max_bytes < 10**9 and least.max_bytes < more.max_bytes < 4 * 10**9
    cluster = make_executor(scheduler=workers.scheduler_address)
    assert isinstance(cluster, DaskExecutor)
    cluster.close()
