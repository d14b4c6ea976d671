"""What hypothesis draws in all our tests: rules, episodes, symmetries and scores, rich in ties.

Cells are drawn as the bytes of one string. A draw for each cell takes several times as long, and
most cells of an array drawn so are equal. Strategies are kept, since to build one takes as long
as to draw from it.
"""

from functools import cache
from math import prod

import numpy as np
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.rules.dnf import Clause, Literal, SignedDNF
from gnri.rules.scorecard import Scorecard
from gnri.scores import Scores
from gnri.symmetry.group import Symmetry

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
SIGNS = (-1, 1)
CELLS = (-1, 0, 1)


@cache
def cells(values: tuple[float, ...], *shape: int) -> st.SearchStrategy[np.ndarray]:
    """Arrays of some of at most 256 numbers; simplest where all cells are the first of them.

    No Booleans: what is kept for 0 and 1 would be found for False and True.
    """
    found, size = np.array(values), prod(shape)
    return _bytes(size).map(
        lambda drawn: found[np.frombuffer(drawn, np.uint8) % len(found)].reshape(shape)
    )


@cache
def permutations(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    return _bytes(size).map(lambda drawn: tuple(sorted(range(size), key=drawn.__getitem__)))


@cache
def literals(atoms: int) -> st.SearchStrategy[Literal]:
    return st.builds(Literal, st.integers(0, atoms - 1), st.booleans())


@cache
def clauses(atoms: int, max_size: int = 4) -> st.SearchStrategy[Clause]:
    """Sets of literals; the empty clause and contradictions among them."""
    return st.binary(max_size=max_size).map(
        lambda drawn: frozenset(Literal(byte // 2 % atoms, byte % 2 == 0) for byte in drawn)
    )


@cache
def rules(atoms: int, max_clauses: int = 5, max_size: int = 4) -> st.SearchStrategy[SignedDNF]:
    """Rules and complements of them; the empty rule among them."""
    bodies = st.frozensets(clauses(atoms, max_size), max_size=max_clauses)
    return st.builds(SignedDNF, bodies, st.sampled_from((True, False)))


@cache
def scorecards(atoms: int, max_lines: int = 5, max_size: int = 3) -> st.SearchStrategy[Scorecard]:
    """Scorecards of literals and clauses, with points of either sign; constants among them."""
    lines = st.dictionaries(clauses(atoms, max_size), st.integers(-4, 4), max_size=max_lines)
    return st.builds(Scorecard, lines, st.integers(-6, 6))


@cache
def tables(rows: int, atoms: int, missing: bool = True) -> st.SearchStrategy[np.ndarray]:
    """Arrays of -1 and +1, and of 0 where `missing` is allowed."""
    return cells(CELLS if missing else SIGNS, rows, atoms).map(lambda drawn: drawn.astype(np.int8))


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
    labels = draw(tables(rows, 1, missing))[:, 0]
    if ties:
        sources = draw(cells(tuple(range(atoms)), atoms))
        flips = draw(cells(SIGNS, atoms))
        repeated = draw(cells(tuple(range(rows)), rows))
        values, labels = (values[:, sources] * flips)[repeated], labels[repeated]
    return Episode(values, labels)


@cache
def symmetries(atoms: int, rows: int) -> st.SearchStrategy[Symmetry]:
    return st.builds(
        Symmetry,
        atoms=permutations(atoms),
        flips=_bytes(atoms).map(lambda drawn: tuple(byte % 2 == 1 for byte in drawn)),
        rows=permutations(rows),
        label=st.booleans(),
    )


def symmetries_of(episode: Episode) -> st.SearchStrategy[Symmetry]:
    return symmetries(episode.atoms, episode.rows)


@cache
def scores(slots: int, atoms: int) -> st.SearchStrategy[Scores]:
    """Scores from a coarse grid, so that ties are frequent."""
    return st.builds(Scores, cells(GRID, 2, slots, atoms, 2), cells(GRID, 2, slots))


def column_names(count: int) -> st.SearchStrategy[list[str]]:
    """Distinct names of any Unicode, the awkward ones among them."""
    awkward = st.sampled_from(
        ["", " ", "true", "false", "x0", "~", "a|b", '"', "\\", '\\"', "\n", "( )", "~(", "'`"]
    )
    return st.lists(awkward | st.text(max_size=5), min_size=count, max_size=count, unique=True)


def _bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)
