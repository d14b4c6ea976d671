"""What every place for blocks must do: sum over all of them, and list in one order."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnri.counts.block import Block, block_from_values, find_rows
from gnri.counts.blocks import Blocks
from gnri.counts.counter import Counter
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.rules.row_expression import EVERYTHING, NOTHING, all_of, any_of, cover
from tests.contracts.rail_contract import assert_same

ATOMS, CLASSES = 5, 3
WHERE = [
    EVERYTHING,
    NOTHING,
    cover([0, 3]),
    ~cover([2]),
    any_of([cover([0]), cover([5]), cover([9, 2])]),
    all_of([~cover([0]), cover([5])]),
]


def table(rows: int, seed: int) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    rng = np.random.default_rng(seed)
    values = rng.choice(np.array([-1, 0, 1], np.int8), (rows, ATOMS))
    values[:, 1] = np.where(values[:, 1] == 0, 1, values[:, 1])  # no cell is missing
    values[:, 4] = -values[:, 1]
    return values, rng.integers(0, CLASSES, rows)


def cut(values: NDArray[np.int8], codes: NDArray[np.intp], pieces: int) -> list[Block]:
    """The rows in pieces, in another order."""
    order = np.random.default_rng(pieces).permutation(len(codes))
    parts = np.array_split(order, pieces)
    return [block_from_values(values[rows], codes[rows], CLASSES) for rows in parts]


def check_blocks(blocks: Blocks, values: NDArray[np.int8], codes: NDArray[np.intp]) -> None:
    """All counts are those of the rows, also of the rows that are left."""
    whole = block_from_values(values, codes, CLASSES)
    for counter, left in (
        (Counter(blocks), np.ones(len(codes), bool)),
        (Counter(blocks).without(cover([4])), values[:, 2] <= 0),
        (
            Counter(blocks).without(cover([4])).without(cover([6, 0])),
            (values[:, 2] <= 0) & ~((values[:, 3] > 0) & (values[:, 0] > 0)),
        ),
    ):
        found = [np.isin(np.arange(len(codes)), find_rows(whole, rows)[2]) & left for rows in WHERE]
        sizes = [np.bincount(codes[rows], minlength=CLASSES).tolist() for rows in found]
        assert counter.sizes(WHERE).tolist() == sizes
        assert counter.rows.tolist() == sizes[0]
        counts = counter.counts(WHERE, np.arange(2 * ATOMS))
        for i, rows in enumerate(found):
            for atom, sign in np.ndindex(ATOMS, 2):
                true = rows & (values[:, atom] == (-1 if sign else 1))
                expected = np.bincount(codes[true], minlength=CLASSES)
                assert counts[i, :, 2 * atom + sign].tolist() == expected.tolist()
        keys = counter.digests(WHERE)
        for one, other in pairwise(range(len(WHERE))):
            assert (keys[one] == keys[other]) == bool((found[one] == found[other]).all())
        check_problems(counter, values[left], codes[left])


def check_problems(counter: Counter, values: NDArray[np.int8], codes: NDArray[np.intp]) -> None:
    """The problems are those of the rows in memory, whatever the weights."""
    targets = {0: (2, 1), 2: (1, 1)}
    for negations in (True, False):
        found = Problem.from_counter(counter, ATOMS, targets, negations)
        for (kind, weights), problem in zip(targets.items(), found, strict=True):
            episode = Episode(values, np.where(codes == kind, 1, -1), weights)
            assert_same(problem, Problem.from_episode(episode, negations))


def check_passes(blocks: Blocks) -> None:
    """Each pass is counted and told; what is known is not counted again."""
    told: list[int] = []
    blocks.watch = lambda _, done, __: told.append(done)
    before, counter = blocks.passes, Counter(blocks)
    for _ in range(2):
        counter.sizes(WHERE)
    assert blocks.passes == before + 1
    counter.digests(WHERE)
    assert told == [before + 1, before + 2]
