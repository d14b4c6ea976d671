"""The default path: `induce` with `guided` and the search follows every symmetry of a table.

Literals that colour refinement cannot tell apart need not be exchanged by any symmetry of the
table: two triangles beside a hexagon. Nothing may hang on which of them comes first.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.induction import induce
from gnri.symmetry.group import Symmetry
from tests.model.guided_cases import tie_heavy
from tests.search.test_points import points_of

pytestmark = pytest.mark.theorem("The default path")

CYCLES = ((3, 3, 6), (4, 8), (5, 7), (3, 4, 5), (4, 4, 8), (3, 6))


def members(atoms: int, *sets: tuple[int, ...]) -> np.ndarray:
    """A row for each set, true on its atoms."""
    return np.array([[1 if atom in one else -1 for atom in range(atoms)] for one in sets])


def triangles_and_hexagon(rows: int = 10) -> Episode:
    """Edges are negative; positive are the triangles, and the halves of the hexagon."""
    halves = [(0, 1, 2), (3, 4, 5), (6, 8, 10), (7, 9, 11)]
    edges = [(i, j) for one in halves[:2] for i in one for j in one if i < j]
    edges += [(6 + i, 6 + (i + 1) % 6) for i in range(6)]
    values = members(12, *halves, *edges)
    labels = np.repeat([1, -1], [len(halves), len(edges)])
    return Episode(np.tile(values, (rows, 1)), np.tile(labels, rows))


def cycles(rng: np.random.Generator) -> Episode:
    """Runs of vertices on cycles of several lengths, in each of a few ways with one label.

    Every vertex looks the same from nearby, whatever its cycle. At times one row has another
    label, which refinement sees only from a few steps away, or a column says something.
    """
    sizes = CYCLES[rng.integers(len(CYCLES))]
    starts, atoms = np.cumsum([0, *sizes]), sum(sizes)
    values, labels = [], []
    for step in rng.permutation(4)[: rng.integers(1, 4)].tolist():
        width, times = int(rng.integers(1, 4)), int(rng.integers(1, 6))
        for first, size in zip(starts, sizes, strict=False):
            runs = [[first + (i + j * step) % size for j in range(width)] for i in range(size)]
            values += times * [members(atoms, *map(tuple, runs))]
            labels += times * size * [int(rng.choice([-1, 1])) if step == 0 else 1 - 2 * (step % 2)]
    table, answers = np.vstack(values), np.array(labels)
    if rng.random() < 0.5:
        answers[rng.integers(len(answers))] *= -1
    if rng.random() < 0.5:
        wrong = rng.random(len(answers)) < 0.2
        table = np.column_stack([table, np.where(wrong, -answers, answers)])
    return Episode(table, answers)


def tables(seed: int, count: int) -> Iterator[tuple[Episode, list[Symmetry]]]:
    """Tables full of ties, and four symmetries of each."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        episode = (cycles if number % 2 else tie_heavy)(rng)
        yield episode, [Symmetry.random(episode, rng=rng) for _ in range(4)]


def check_law(seed: int, count: int) -> None:
    rules = tied = 0
    for episode, elements in tables(seed, count):
        found = induce(episode)
        for g in elements:
            assert induce(g(episode)) == g(found), (episode.values, episode.labels, g)
        rules += found.rule is not None
        tied += any(rail.tied for rail in Problem.from_episode(episode).rails)
    assert rules > count / 5 and tied > count / 3


@pytest.mark.parametrize("seed", range(4))
def test_on_400_pairs_full_of_ties(seed: int) -> None:
    check_law(seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 22))
def test_on_2400_pairs_full_of_ties(seed: int) -> None:
    check_law(seed, 50)


def test_where_refinement_tells_no_literals_apart_that_no_symmetry_exchanges() -> None:
    """The rule tells them apart all the same, by counts, and takes whole orbits."""
    episode, rng = triangles_and_hexagon(), np.random.default_rng(0)
    problem = Problem.from_episode(episode)
    assert len(problem.classes) == 24
    assert all(len(set(rail.codes.tolist())) == 2 for rail in problem.rails)
    found = induce(episode)
    halves = "x6 & x8 | x6 & x10 | x7 & x9 | x7 & x11 | x8 & x10 | x9 & x11"
    assert str(found.rule) == f"{halves} | x0 & x1 & x2 | x3 & x4 & x5"
    for _ in range(20):
        g = Symmetry.random(episode, rng=rng)
        for refine in (True, False):
            assert induce(g(episode), refine=refine) == g(induce(episode, refine=refine))


def test_points_follow_as_well() -> None:
    cards = 0
    for episode, elements in tables(0, 20):
        found = points_of(episode)
        assert all(points_of(g(episode)) == g(found) for g in elements)
        cards += found is not None
    assert cards > 5
