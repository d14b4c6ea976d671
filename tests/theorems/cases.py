"""Episodes with scores from a coarse grid, so that ties of every kind are frequent."""

import numpy as np
from hypothesis import strategies as st

from gnri.episodes.episode import Episode
from gnri.episodes.scores import Scores
from gnri.symmetry.group import Symmetry

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


def signs(*shape: int) -> st.SearchStrategy[np.ndarray]:
    return _array(shape, st.sampled_from((-1, 0, 1)))


def grid(*shape: int) -> st.SearchStrategy[np.ndarray]:
    return _array(shape, st.sampled_from(GRID))


@st.composite
def scored_episodes(draw, max_atoms: int = 6, max_rows: int = 6, max_slots: int = 3):
    atoms = draw(st.integers(1, max_atoms))
    rows = draw(st.integers(1, max_rows))
    slots = draw(st.integers(1, max_slots))
    episode = Episode(draw(signs(rows, atoms)), draw(signs(rows)))
    return Scores(draw(grid(2, slots, atoms, 2)), draw(grid(2, slots))), episode


def symmetries(episode: Episode) -> st.SearchStrategy[Symmetry]:
    return st.builds(
        Symmetry,
        atoms=st.permutations(range(episode.atoms)).map(tuple),
        flips=st.tuples(*[st.booleans()] * episode.atoms),
        rows=st.permutations(range(episode.rows)).map(tuple),
        label=st.booleans(),
    )


def random_case(rng: np.random.Generator, atoms: int, rows: int, slots: int):
    """The same kind of case from a numpy generator, for exhaustive checks over the group."""
    episode = Episode(rng.integers(-1, 2, (rows, atoms)), rng.integers(-1, 2, rows))
    literals = rng.choice(GRID, (2, slots, atoms, 2))
    return Scores(literals, rng.choice(GRID, (2, slots))), episode


def _array(shape, cells):
    size = int(np.prod(shape))
    return st.lists(cells, min_size=size, max_size=size).map(lambda x: np.reshape(x, shape))
