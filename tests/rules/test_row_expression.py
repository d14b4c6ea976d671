"""Row expressions mean what they say."""

from collections.abc import Callable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.block import make_block
from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.rules.row_expression import EVERYTHING, NOTHING, Rows, all_of, any_of, by_class, cover

Meaning = tuple[Rows, Callable[[np.ndarray], bool]]
"""An expression, and beside it the obvious test of one row."""


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
def test_an_expression_means_what_it_says(meaning: Meaning, seed: int, missing: int) -> None:
    """Of two atoms; cells of none, of one or of both are missing."""
    rows, holds = meaning
    rng = np.random.default_rng(seed)
    cells = [rng.choice([-1, 1, 1], (2, size)) for size in (70, 3)]
    for part in cells:
        part[:missing] *= rng.random((missing, part.shape[1])) < 0.8
    classes = [np.stack([part > 0, part < 0], 1).reshape(4, -1) for part in cells]
    found = Counter(MemoryBlocks([make_block(classes)]))
    slow = [[holds(row) for row in part.T] for part in classes]
    assert found.sizes([rows])[0].tolist() == [sum(part) for part in slow]
    counts = found.counts([rows], np.arange(4))[0]
    expected = [part[:, where].sum(axis=1) for part, where in zip(classes, slow, strict=True)]
    np.testing.assert_array_equal(counts, expected)
    again, everything = found.digests([rows, EVERYTHING])
    assert (again == everything) == all(map(all, slow))


@given(meanings(), meanings(), st.integers(0, 99))
def test_each_class_has_an_expression_of_its_own(one: Meaning, other: Meaning, seed: int) -> None:
    cells = [np.random.default_rng(seed).choice([0, 1], (4, size)) for size in (70, 3)]
    found = Counter(MemoryBlocks([make_block([part.astype(np.bool_) for part in cells])]))
    parts = zip((one[1], other[1]), cells, strict=True)
    expected = [sum(holds(row) for row in part.T) for holds, part in parts]
    both = by_class([one[0], other[0]])
    assert found.sizes([both])[0].tolist() == expected
    assert (by_class([other[0], one[0]]) == both) == (one[0] == other[0])


def test_expressions_are_equal_if_made_alike() -> None:
    one, other = cover([2, 1]), cover([3])
    assert one & other == other & one != one | other
    assert ~~one == one == cover([1, 2]) and hash(one) == hash(cover([1, 2]))
    assert (one & NOTHING, NOTHING & one, one | EVERYTHING) == (NOTHING, NOTHING, EVERYTHING)
    assert cover([]) == EVERYTHING
    assert repr(one & other) == "and(cover(1, 2), cover(3,))"


def test_many_parts_are_one_expression() -> None:
    one, other, third = cover([0]), cover([3]), cover([5])
    assert any_of([one, other, third]) == any_of([third, one, other])
    assert any_of([one, other]) == one | other and all_of([one, other]) == one & other
    assert any_of([]) == NOTHING and all_of([]) == EVERYTHING
    assert any_of([one, NOTHING]) == one == all_of([EVERYTHING, one])
    assert any_of([one, EVERYTHING]) == EVERYTHING and all_of([NOTHING, one]) == NOTHING
    assert len(any_of([one, other, third]).parts) == 3
