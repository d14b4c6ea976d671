"""Wherever blocks are kept, they keep the contract of blocks."""

import numpy as np
import pytest
from distributed import LocalCluster

from gnri.counts.block import Block
from gnri.counts.blocks import Blocks, MemoryBlocks, SpoolBlocks
from gnri.counts.counter import Counter
from gnri.counts.executors import DaskBlocks, connect
from gnri.counts.packing import collapse
from gnri.rules.row_expression import EVERYTHING, cover
from tests.contracts import blocks_contract as contract


def spool(blocks: list[Block], memory: int) -> SpoolBlocks:
    found = SpoolBlocks(memory)
    for block in blocks:
        found.add(block)
    return found.done()


PLACES = {
    "one block in memory": lambda blocks: MemoryBlocks(blocks[:1]),
    "several in memory": MemoryBlocks,
    "in a file": lambda blocks: spool(blocks, 0),
    "partly in a file": lambda blocks: spool(blocks, 900),
    "patterns in memory": lambda blocks: MemoryBlocks(list(collapse(blocks))),
    "patterns in a file": lambda blocks: spool(list(collapse(blocks)), 0),
}
"""How blocks are put in each place."""


def kept(place: str, rows: int, seed: int) -> tuple[Blocks, np.ndarray, np.ndarray]:
    values, codes = contract.table(rows, seed)
    pieces = 1 if place == "one block in memory" else 3
    return PLACES[place](contract.cut(values, codes, pieces)), values, codes


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rows", [3, 64, 65, 400])
def test_every_place_counts_the_rows(
    place: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnri.counts.blocks.MIN_BLOCK_WORDS", 1)
    blocks, values, codes = kept(place, rows, seed=rows)
    with blocks:
        contract.check_blocks(blocks, values, codes)
        contract.check_passes(blocks)


@pytest.mark.parametrize("rows", [3, 200])
def test_workers_count_the_rows(rows: int, workers: LocalCluster) -> None:
    values, codes = contract.table(rows, seed=rows)
    cluster = connect(workers.scheduler_address)
    try:
        parts = [[block] for block in contract.cut(values, codes, 3)]
        with DaskBlocks(cluster, cluster.client.scatter(parts)) as blocks:
            contract.check_blocks(blocks, values, codes)
            contract.check_passes(blocks)
    finally:
        cluster.close()


def test_rows_are_numbered_in_memory_alone() -> None:
    values, codes = contract.table(130, seed=0)
    counter = Counter.from_values(values, codes, contract.CLASSES)
    expected = np.flatnonzero((values[:, 0] == 1) & (values[:, 3] == -1))
    assert counter.row_numbers(cover([0, 7])).tolist() == expected.tolist()
    left = counter.without(cover([2]))
    assert left.row_numbers(EVERYTHING).tolist() == np.flatnonzero(values[:, 1] != 1).tolist()
    for name in PLACES:
        blocks, *_ = kept(name, 130, seed=0)
        with blocks:
            numbers = Counter(blocks).row_numbers(EVERYTHING)
        assert (numbers is not None) == (name == "one block in memory")


def test_rows_in_memory_are_given_back_as_they_were() -> None:
    values, codes = contract.table(130, seed=1)
    counter = Counter.from_values(values, codes, contract.CLASSES)
    for table, rows in (
        (counter.table(), slice(None)),
        (counter.without(cover([2])).table(), values[:, 1] != 1),
    ):
        assert (table[0] == values[rows]).all() and table[0].dtype == np.int8
        assert (table[1] == codes[rows]).all()
