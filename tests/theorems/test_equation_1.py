"""Equation 1: R_avg(X, 1 - Y) = 1 - R_avg(X, Y), for any scores and any table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri.symmetry.group import Symmetry
from studies.paper.baseline_networks import average_prediction
from tests.strategies import symmetries_of
from tests.theorems.cases import scored_episodes

pytestmark = pytest.mark.theorem("Equation 1")


@given(case=scored_episodes())
def test_label_swap_complements_the_average_exactly(case):
    scores, episode = case
    swap = Symmetry.generators(atoms=episode.atoms, rows=episode.rows)[-1]
    swapped = average_prediction(swap(scores), swap(episode))
    assert np.array_equal(swapped, 1 - average_prediction(scores, episode))


@given(data=st.data())
def test_the_average_moves_with_every_symmetry(data):
    """Rows permute, a label swap complements, atoms and signs leave no trace: bitwise."""
    scores, episode = data.draw(scored_episodes())
    g = data.draw(symmetries_of(episode))
    expected = np.empty(episode.rows)
    expected[list(g.rows)] = average_prediction(scores, episode)
    moved = average_prediction(g(scores), g(episode))
    assert np.array_equal(moved, 1 - expected if g.label else expected)


@pytest.mark.slow
@settings(max_examples=2000)
@given(data=st.data())
def test_the_average_moves_with_every_symmetry_at_length(data):
    scores, episode = data.draw(scored_episodes(max_atoms=12, max_rows=12, max_slots=5))
    g = data.draw(symmetries_of(episode))
    expected = np.empty(episode.rows)
    expected[list(g.rows)] = average_prediction(scores, episode)
    moved = average_prediction(g(scores), g(episode))
    assert np.array_equal(moved, 1 - expected if g.label else expected)
