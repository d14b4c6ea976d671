"""Whatever the blocks and wherever they are, the table is the one that is packed in memory."""

from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gnri.counts import block as on_block
from gnri.counts import patterns
from gnri.counts.block import Block, block_of, joined
from gnri.counts.blocks import Blocks, MemoryBlocks, SpoolBlocks
from gnri.counts.counted import Counter, counted_tables
from gnri.counts.patterns import collapsed
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.rules.row_expression import EVERYTHING, NOTHING, Rows, cover
from gnri.search.limits import Limits
from gnri.search.prices import flat
from gnri.search.refine import refine, refine_table
from tests.effort import half_as_often
from tests.strategies import episodes


def truth(values: np.ndarray) -> np.ndarray:
    """Each literal on each row: atom 0, its negation, atom 1, ..."""
    both = np.stack([values > 0, values < 0], axis=2)
    return both.reshape(len(values), 2 * values.shape[1]).T


def blocks_of(episode: Episode, pieces: int, seed: int) -> list[Block]:
    """The labelled rows in pieces, in an order drawn at random; class 1 is the positive one."""
    shown = np.flatnonzero(episode.labels)
    parts = np.array_split(np.random.default_rng(seed).permutation(shown), pieces)
    return [
        block_of([truth(episode.values[rows[episode.labels[rows] == sign]]) for sign in (-1, 1)])
        for rows in parts
    ]


def spool(blocks: list[Block], memory: int) -> SpoolBlocks:
    found = SpoolBlocks(memory)
    for block in blocks:
        found.add(block)
    return found.done()


def table_of(blocks: Blocks, atoms: int, negations: bool = True, weight: int = 1) -> Problem:
    return counted_tables(Counter(blocks), atoms, {1: weight}, negations)[0]


def stricter(table: Problem) -> Problem:
    first, second = (rail.stricter(3) for rail in table.rails)
    return Problem(table.classes, (first, second))


def assert_same(found: Problem, expected: Problem) -> None:
    assert found.classes == expected.classes
    for one, other in zip(found.rails, expected.rails, strict=True):
        assert (one.target, one.rest, one.tied) == (other.target, other.rest, other.tied)
        assert one.words.size == other.words.size
        np.testing.assert_array_equal(one.codes, other.codes)
        clauses = [frozenset(), *(frozenset([i, i // 2]) for i in range(len(found.classes)))]
        masks = [np.array([rail.cover(clause) for clause in clauses]) for rail in (one, other)]
        for mine, theirs in zip(one.size(masks[0]), other.size(masks[1]), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        for mine, theirs in zip(one.count(masks[0]), other.count(masks[1]), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@half_as_often
@given(
    episodes(max_rows=200, max_atoms=6),
    st.integers(1, 5),
    st.integers(0, 9),
    st.booleans(),
    st.integers(1, 3),
)
def test_any_cut_into_blocks_gives_the_table_of_tabulate(
    episode: Episode, pieces: int, seed: int, negations: bool, weight: int
) -> None:
    assume(episode.labels.any())
    blocks = MemoryBlocks(blocks_of(episode, pieces, seed))
    weighted = Episode(episode.values, episode.labels, (weight, 1))
    found = table_of(blocks, episode.atoms, negations, weight)
    expected = Problem.from_episode(weighted, negations)
    assert_same(found, expected)
    assert_same(stricter(found), stricter(expected))


@half_as_often
@given(episodes(max_rows=40, max_atoms=5), st.integers(1, 4), st.integers(0, 9))
def test_any_cut_into_blocks_gives_the_rule_of_refine(
    episode: Episode, pieces: int, seed: int
) -> None:
    assume(episode.labels.any())
    prices, limits = flat(episode.atoms), Limits(max_clauses=4, max_literals=3)
    found = table_of(MemoryBlocks(blocks_of(episode, pieces, seed)), episode.atoms)
    priced = found.priced(np.array([prices, prices]))
    assert refine_table(priced, limits=limits) == refine(episode, prices, limits=limits)


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
    assert_same(table_of(MemoryBlocks(heavy), episode.atoms), Problem.from_episode(repeated))


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
        patch.setattr(patterns, "MOST", most)
        found = list(collapsed(blocks_of(episode, pieces, seed)))
    with spool(found, memory=0) as blocks:
        assert_same(table_of(blocks, episode.atoms), Problem.from_episode(episode))


def test_many_rows_of_few_patterns_take_few_words() -> None:
    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 1], (9000, 3)), rng.choice([-1, 1], 9000))
    found = list(collapsed(blocks_of(episode, 3, 0)))
    assert sum(len(block.present) for block in found) <= 2 * 10
    assert sorted(block.weight for block in found) == [1 << bit for bit in range(len(found))]
    assert_same(table_of(MemoryBlocks(found), 3), Problem.from_episode(episode))


def test_wide_rows_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    blocks = [block_of([rng.random((66, 70)) < 0.5 for _ in range(2)]) for _ in range(3)]
    assert all(one is other for one, other in zip(collapsed(blocks), blocks, strict=True))


@pytest.mark.parametrize("memory", [0, 600, 1 << 20])
def test_blocks_in_a_file_are_those_in_memory(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.counts.blocks.JOINED", 1)
    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 0, 1], (900, 6)), rng.choice([-1, 1], 900))
    with spool(blocks_of(episode, 5, 1), memory) as found:
        assert isinstance(found, SpoolBlocks)
        assert found.spooled == {0: 5, 600: 4, 1 << 20: 0}[memory]
        assert_same(table_of(found, 6), Problem.from_episode(episode))


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
    assert_same(table_of(MemoryBlocks([joined(blocks)]), 4), Problem.from_episode(episode))


Meaning = tuple[Rows, Callable[[np.ndarray], bool]]
"""A selection, and beside it the obvious test of one row."""


def both(one: Meaning, other: Meaning) -> Meaning:
    return one[0] & other[0], lambda row: one[1](row) and other[1](row)


def either(one: Meaning, other: Meaning) -> Meaning:
    return one[0] | other[0], lambda row: one[1](row) or other[1](row)


def neither(one: Meaning) -> Meaning:
    return ~one[0], lambda row: not one[1](row)


def meanings() -> st.SearchStrategy[Meaning]:
    """Combinations of covers of four literals, and of nothing."""
    covers = st.frozensets(st.integers(0, 3), max_size=3).map(
        lambda literals: (cover(literals), lambda row: all(row[i] for i in literals))
    )
    nothing = st.just((NOTHING, lambda row: False))
    return st.recursive(
        covers | nothing,
        lambda parts: (
            st.builds(both, parts, parts)
            | st.builds(either, parts, parts)
            | st.builds(neither, parts)
        ),
        max_leaves=8,
    )


@given(meanings(), st.integers(0, 99), st.sampled_from([0, 1, 2]))
def test_a_selection_means_what_it_says(meaning: Meaning, seed: int, missing: int) -> None:
    """Of two atoms; cells of none, of one or of both are missing."""
    rows, holds = meaning
    rng = np.random.default_rng(seed)
    cells = [rng.choice([-1, 1, 1], (2, size)) for size in (70, 3)]
    for part in cells:
        part[:missing] *= rng.random((missing, part.shape[1])) < 0.8
    classes = [np.stack([part > 0, part < 0], 1).reshape(4, -1) for part in cells]
    found = Counter(MemoryBlocks([block_of(classes)]))
    slow = [[holds(row) for row in part.T] for part in classes]
    assert found.sizes([rows])[0].tolist() == [sum(part) for part in slow]
    counts = found.counts([rows], np.arange(4))[0]
    expected = [part[:, where].sum(axis=1) for part, where in zip(classes, slow, strict=True)]
    np.testing.assert_array_equal(counts, expected)
    again, everything = found.answers([rows, EVERYTHING])
    assert (again == everything) == all(map(all, slow))


def test_selections_are_equal_if_made_alike() -> None:
    one, other = cover([2, 1]), cover([3])
    assert one & other == other & one != one | other
    assert ~~one == one == cover([1, 2]) and hash(one) == hash(cover([1, 2]))
    assert (one & NOTHING, NOTHING & one, one | EVERYTHING) == (NOTHING, NOTHING, EVERYTHING)
    assert cover([]) == EVERYTHING
    assert repr(one & other) == "and(cover(1, 2), cover(3,))"


def test_of_an_atom_without_missing_cells_one_literal_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Atom 1 has missing cells, and of atom 2 only one literal is asked for."""
    truth = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]], bool)
    asked: list[list[int]] = []
    slow = on_block.counts

    def spied(block: Block, selections: list, literals: np.ndarray) -> np.ndarray:
        asked.append(literals.tolist())
        return slow(block, selections, literals)

    monkeypatch.setattr(on_block, "counts", spied)
    counter, literals = Counter(MemoryBlocks([block_of([truth])])), np.arange(5)
    expected = truth[:, truth[4]].sum(axis=1)
    for _ in range(2):
        assert counter.counts([cover([4])], literals)[0, 0].tolist() == expected.tolist()
    assert asked == [[0, 1, 2, 3, 4], [0, 2, 3, 4]]
