"""What hypothesis draws in all our tests: rules, episodes, symmetries and scores, rich in ties."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gnri.episodes.episode import Episode
from gnri.episodes.scores import Scores
from gnri.logic.formula import Clause, Literal, SignedDNF
from gnri.symmetry.group import Symmetry

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


def literals(atoms: int) -> st.SearchStrategy[Literal]:
    return st.builds(Literal, st.integers(0, atoms - 1), st.booleans())


def clauses(atoms: int, max_size: int = 4) -> st.SearchStrategy[Clause]:
    """Sets of literals; the empty clause and contradictions among them."""
    return st.frozensets(literals(atoms), max_size=max_size)


def rules(
    atoms: int, max_clauses: int = 5, max_size: int = 4, signs: Sequence[bool] = (True, False)
) -> st.SearchStrategy[SignedDNF]:
    """Rules of the given signs; the empty rule among them."""
    bodies = st.frozensets(clauses(atoms, max_size), max_size=max_clauses)
    return st.builds(SignedDNF, bodies, st.sampled_from(signs))


def tables(rows: int, atoms: int, missing: bool = True) -> st.SearchStrategy[np.ndarray]:
    """Arrays of -1 and +1, and of 0 where `missing` is allowed."""
    return arrays(np.int8, (rows, atoms), elements=_signs(missing))


@st.composite
def episodes(
    draw: st.DrawFn,
    max_rows: int = 8,
    max_atoms: int = 5,
    missing: bool = True,
    ties: bool = True,
) -> Episode:
    """Episodes; with `ties`, rows repeat and columns are copies or complements of one another.

    Where `missing` is allowed, cells and labels may be 0.
    """
    rows, atoms = draw(st.integers(1, max_rows)), draw(st.integers(1, max_atoms))
    values = draw(tables(rows, atoms, missing))
    labels = draw(arrays(np.int8, rows, elements=_signs(missing)))
    if ties:
        sources = draw(arrays(np.intp, atoms, elements=st.integers(0, atoms - 1)))
        flips = draw(arrays(np.int8, atoms, elements=_signs(missing=False)))
        repeated = draw(arrays(np.intp, rows, elements=st.integers(0, rows - 1)))
        values, labels = (values[:, sources] * flips)[repeated], labels[repeated]
    return Episode(values, labels)


def symmetries(atoms: int, rows: int) -> st.SearchStrategy[Symmetry]:
    return st.builds(
        Symmetry,
        atoms=st.permutations(range(atoms)).map(tuple),
        flips=st.tuples(*[st.booleans()] * atoms),
        rows=st.permutations(range(rows)).map(tuple),
        label=st.booleans(),
    )


def symmetries_of(episode: Episode) -> st.SearchStrategy[Symmetry]:
    return symmetries(episode.atoms, episode.rows)


def scores(slots: int, atoms: int, grid: Sequence[float] = GRID) -> st.SearchStrategy[Scores]:
    """Scores from a coarse grid, so that ties are frequent."""
    values = st.sampled_from(grid)
    return st.builds(
        Scores,
        arrays(np.float64, (2, slots, atoms, 2), elements=values),
        arrays(np.float64, (2, slots), elements=values),
    )


def column_names(count: int) -> st.SearchStrategy[list[str]]:
    """Distinct names of any Unicode, the awkward ones among them."""
    awkward = st.sampled_from(
        ["", " ", "true", "false", "x0", "~", "a|b", '"', "\\", '\\"', "\n", "( )", "~(", "'`"]
    )
    return st.lists(awkward | st.text(max_size=5), min_size=count, max_size=count, unique=True)


def _signs(missing: bool) -> st.SearchStrategy[int]:
    return st.sampled_from((-1, 0, 1) if missing else (-1, 1))
