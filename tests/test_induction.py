"""The library in one call: limits, the search, and what is no rule."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from gnri import Episode, induce, load_model, parse
from gnri.errors import EncodingError
from gnri.search.limits import Limits
from tests.effort import half_as_often
from tests.search.slow import truth
from tests.strategies import episodes

TINY = load_model(Path(__file__).parent / "data" / "tiny-model")
GUIDED = load_model("guided")


@half_as_often
@given(episode=episodes(max_rows=9, max_atoms=5))
def test_limits_are_kept(episode):
    one = induce(episode, GUIDED, limits=Limits(max_clauses=1)).rule
    assert one is None or len(one.clauses) == 1
    monotone = induce(episode, GUIDED, limits=Limits(negations=False)).rule
    assert monotone is None or all(x.positive for clause in monotone.clauses for x in clause)
    short = induce(episode, GUIDED, limits=Limits(max_literals=1)).rule
    for clause in short.clauses if short else ():  # what is true on the same rows counts once
        assert len({truth(episode, literal) for literal in clause}) == 1


def test_a_search_finds_what_one_pass_misses():
    values = np.array([[a, b, c] for a in (1, -1) for b in (1, -1) for c in (1, -1)] * 3)
    labels = parse("x0 & x1 | x2").evaluate(values)
    found = induce(Episode(values, labels))
    assert found.model == "guided + refine"
    assert found.rule is not None
    assert np.array_equal(found.rule.evaluate(values), labels)


def test_a_table_that_is_its_own_label_swap_has_no_rule():
    """Negating x0 turns XOR into its complement: whichever rail is named, the other has as good
    a claim.
    """
    values = np.array([[a, b] for a in (1, -1) for b in (1, -1)] * 6)
    assert induce(Episode(values, values[:, 0] * values[:, 1])).rule is None


def test_what_is_no_episode_is_refused():
    with pytest.raises(EncodingError, match=r"takes an Episode, got ndarray; make one by Episode"):
        induce(np.ones((3, 2)))


def test_a_constant_is_no_rule():
    """Nothing in the table tells the labels apart, so the answer is none at all."""
    noise = Episode([[1], [1], [1], [-1], [-1], [-1]], [1, 1, -1, 1, 1, -1])
    assert induce(noise, TINY).rule is None
    assert induce(noise, TINY).rail is None
