"""Ranks and decision lists against plain argmax over fractions."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.errors import RuleError
from gnri.render.decisions import TRUTHS, ranked_steps, ranks_from_counts

counts = st.integers(0, 3).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def entries(classes: int):
    return st.tuples(
        st.lists(counts, min_size=classes, max_size=classes),
        st.lists(counts, min_size=classes, max_size=classes),
        st.lists(st.integers(0, 3), min_size=classes, max_size=classes),
        st.lists(st.booleans(), min_size=classes, max_size=classes),
    )


@given(st.integers(2, 4).flatmap(entries))
def test_the_list_answers_the_largest_score(drawn) -> None:
    hits, misses, sizes, present = drawn
    ranks = ranks_from_counts(hits, misses, sizes)
    steps, default = ranked_steps(present, ranks)
    rows = sum(sizes)

    def slow(truths: tuple[int, ...]) -> int:
        """Largest smoothed precision; of equal ones the larger class, then the earlier."""
        sides = [
            {1: hits[k], -1: misses[k], 0: (sizes[k], rows)}[truth]
            for k, truth in enumerate(truths)
        ]
        scores = [Fraction(t + 1, n + 2) for t, n in sides]
        return max(range(len(sizes)), key=lambda k: (scores[k], sizes[k], -k))

    for truths in product(TRUTHS, repeat=len(sizes)):
        if any(truth != 0 and not known for truth, known in zip(truths, present, strict=True)):
            continue
        answer = next((s.answer for s in steps if truths[s.rule] == s.truth), default)
        assert answer == slow(truths)


def test_entries_must_match() -> None:
    with pytest.raises(RuleError, match="one entry for each class"):
        ranks_from_counts([(0, 0)], [(0, 0)], [1, 2])
