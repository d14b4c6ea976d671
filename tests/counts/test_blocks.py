"""Blocks in files, small ones joined, and rows that are alike counted once."""

from io import BytesIO

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gnri.counts import packing
from gnri.counts.block import Block, block_from_values, join_blocks, make_block
from gnri.counts.blocks import Blocks, MemoryBlocks, SpoolBlocks
from gnri.counts.counter import Counter
from gnri.counts.packing import collapse
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import GnriError
from tests.contracts.rail_contract import assert_same
from tests.contracts.test_blocks import spool
from tests.effort import half_as_often
from tests.strategies import episodes


def blocks_of(episode: Episode, pieces: int, seed: int) -> list[Block]:
    """The labelled rows in pieces, in an order drawn at random; class 1 is the positive one."""
    shown = np.flatnonzero(episode.labels)
    parts = np.array_split(np.random.default_rng(seed).permutation(shown), pieces)
    kinds = (episode.labels + 1) // 2
    return [block_from_values(episode.values[rows], kinds[rows], 2) for rows in parts]


def problem_of(blocks: Blocks, atoms: int) -> Problem:
    (found,) = Problem.from_counter(Counter(blocks), atoms, {1: (1, 1)})
    return found


@half_as_often
@given(episodes(max_rows=100, max_atoms=5), st.integers(1, 5), st.integers(0, 9))
def test_blocks_that_stand_for_several_rows_count_as_several(
    episode: Episode, times: int, seed: int
) -> None:
    assume(episode.labels.any())
    heavy = [
        Block(block.words, block.present, block.bounds, times)
        for block in blocks_of(episode, 2, seed)
    ]
    repeated = Episode(np.repeat(episode.values, times, 0), np.repeat(episode.labels, times))
    assert_same(problem_of(MemoryBlocks(heavy), episode.atoms), Problem.from_episode(repeated))


@half_as_often
@given(
    episodes(max_rows=150, max_atoms=6),
    st.integers(1, 4),
    st.integers(0, 9),
    st.sampled_from([1, 20, 1000]),
)
def test_rows_that_are_alike_count_as_often_as_they_come(
    episode: Episode, pieces: int, seed: int, most: int
) -> None:
    assume(episode.labels.any())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "MAX_PATTERNS", most)
        found = list(collapse(blocks_of(episode, pieces, seed)))
    with spool(found, memory=0) as blocks:
        assert_same(problem_of(blocks, episode.atoms), Problem.from_episode(episode))


def test_many_rows_of_few_patterns_take_few_words() -> None:
    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 1], (9000, 3)), rng.choice([-1, 1], 9000))
    found = list(collapse(blocks_of(episode, 3, 0)))
    assert sum(len(block.present) for block in found) <= 2 * 10
    assert sorted(block.weight for block in found) == [1 << bit for bit in range(len(found))]
    assert_same(problem_of(MemoryBlocks(found), 3), Problem.from_episode(episode))


def test_wide_rows_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    blocks = [make_block([rng.random((66, 70)) < 0.5 for _ in range(2)]) for _ in range(3)]
    assert all(one is other for one, other in zip(collapse(blocks), blocks, strict=True))


@pytest.mark.parametrize("memory", [0, 600, 1 << 20])
def test_blocks_in_a_file_are_those_in_memory(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.counts.blocks.MIN_BLOCK_WORDS", 1)
    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 0, 1], (900, 6)), rng.choice([-1, 1], 900))
    with spool(blocks_of(episode, 5, 1), memory) as found:
        assert isinstance(found, SpoolBlocks)
        assert len(found._places) == {0: 5, 600: 4, 1 << 20: 0}[memory]
        assert_same(problem_of(found, 6), Problem.from_episode(episode))


class FullDisk(BytesIO):
    """A file that takes a hundred bytes at most."""

    def write(self, data: object) -> int:
        return min(100, memoryview(data).nbytes)


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: FullDisk())
    episode = Episode(np.ones((300, 4)), [1, -1] * 150)
    with pytest.raises(GnriError, match="the packed rows do not fit the folder for temporary"):
        spool(blocks_of(episode, 1, 0), 0)


def test_small_blocks_are_joined() -> None:
    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 0, 1], (300, 4)), rng.choice([-1, 1], 300))
    blocks = blocks_of(episode, 7, 1)
    assert len(list(spool(blocks, 1 << 20))) == 1
    assert_same(problem_of(MemoryBlocks([join_blocks(blocks)]), 4), Problem.from_episode(episode))
