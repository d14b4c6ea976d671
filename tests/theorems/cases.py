"""Episodes with scores from a coarse grid, so that ties of every kind are frequent."""

import numpy as np
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.scores import Scores
from tests.strategies import CELLS, GRID, cells, scores, tables


@st.composite
def scored_episodes(draw, max_atoms: int = 6, max_rows: int = 6, max_slots: int = 3):
    atoms = draw(st.integers(1, max_atoms))
    rows = draw(st.integers(1, max_rows))
    slots = draw(st.integers(1, max_slots))
    episode = Episode(draw(tables(rows, atoms)), draw(cells(CELLS, rows)))
    return draw(scores(slots, atoms)), episode


def random_case(rng: np.random.Generator, atoms: int, rows: int, slots: int):
    """The same kind of case from a numpy generator, for exhaustive checks over the group."""
    episode = Episode(rng.integers(-1, 2, (rows, atoms)), rng.integers(-1, 2, rows))
    literals = rng.choice(GRID, (2, slots, atoms, 2))
    return Scores(literals, rng.choice(GRID, (2, slots))), episode
