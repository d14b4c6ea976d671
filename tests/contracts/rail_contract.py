"""What every rail must do: count what the rows say, and move with every symmetry."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from gnri.counts.problem import Problem
from gnri.counts.rail import Clause
from gnri.episode import Episode
from gnri.symmetry.group import Symmetry
from tests.search.slow import classes, truth

Make = Callable[[Episode, bool], Problem]
SIGNS = (1, -1)
"""The label of the target rows of each rail."""


def truths(episode: Episode, problem: Problem) -> NDArray[np.bool_]:
    """Where each class of literals is true: (literals, labelled rows), from the rows themselves."""
    where = [truth(episode, min(members)) for members in problem.classes]
    return np.array(where, bool).reshape(len(where), np.count_nonzero(episode.labels))


def check_classes(problem: Problem, episode: Episode, negations: bool) -> None:
    expected = set(classes(episode).values())
    if not negations:
        expected = {frozenset(x for x in members if x.positive) for members in expected}
    assert set(problem.classes) == expected - {frozenset()}
    assert len(problem.classes) == len(set(problem.classes))


def check_counts(problem: Problem, episode: Episode, clauses: Iterable[Clause]) -> None:
    """Sizes and counts of covers and of what they are combined to, on both rails."""
    where, labels = truths(episode, problem), episode.labels[episode.labels != 0]
    covers = [where[list(clause)].all(0) for clause in clauses]
    for rail, sign in zip(problem.rails, SIGNS, strict=True):
        weights = np.where(labels == sign, *episode.weights[::sign])
        target, rest = weights * (labels == sign), weights * (labels != sign)
        assert (rail.target, rail.rest) == (target.sum(), rest.sum())
        masks = np.array([rail.cover(clause) for clause in clauses])
        for found, rows in (
            (masks, covers),
            (masks | masks[::-1], [a | b for a, b in zip(covers, covers[::-1], strict=True)]),
            (rail.everything & ~masks, [~cover for cover in covers]),
        ):
            sizes = np.stack(rail.size(found), -1).tolist()
            assert sizes == [[target[row].sum(), rest[row].sum()] for row in rows]
            counts = np.stack(rail.count(found), -1)
            assert counts.tolist() == [
                [[target[row & one].sum(), rest[row & one].sum()] for one in where] for row in rows
            ]


def check_answer_keys(problem: Problem, episode: Episode, clauses: Iterable[Clause]) -> None:
    """Equal keys for the same rows alone, on either rail."""
    where = truths(episode, problem)
    rows = [where[list(clause)].all(0).tobytes() for clause in clauses]
    keys = [rail.mask_keys(np.array([rail.cover(c) for c in clauses])) for rail in problem.rails]
    assert keys[0] == keys[1]
    for i, one in enumerate(rows):
        assert [key == keys[0][i] for key in keys[0]] == [row == one for row in rows]


def check_prices(problem: Problem) -> None:
    """Prices add up, tell literals apart, and leave the rail that they were put on as it was."""
    for rail in problem.rails:
        before = rail.codes.copy()
        prices = np.arange(len(problem.classes), dtype=np.int64) * 7 + 3
        priced = rail.with_prices(prices)
        clause = frozenset(range(len(prices)))
        assert (rail.price(clause), priced.price(clause)) == (0, int(prices.sum()))
        assert priced.cheapest == (3 if len(prices) else 0)
        assert not priced.tied
        assert (rail.codes == before).all()
        assert rail.code(clause) == int(before.sum())


def check_stricter(problem: Problem, weighted: Problem, number: int) -> None:
    """Rows that are no target count as in a problem where they score so much."""
    assert_same_rail(
        problem.rails[number].weigh_rest(3), weighted.rails[number], len(problem.classes)
    )


def check_moves(problem: Problem, moved: Problem, g: Symmetry) -> None:
    places = moved.index()
    images = [{places[g(literal)] for literal in members} for members in problem.classes]
    assert all(len(image) == 1 for image in images)
    order = [min(image) for image in images]
    assert sorted(order) == list(range(len(moved.classes)))
    for number, rail in enumerate(problem.rails):
        other = moved.rails[number ^ g.label]
        assert (rail.target, rail.rest) == (other.target, other.rest)
        assert (rail.codes == other.codes[order]).all()


def assert_same(found: Problem, expected: Problem) -> None:
    """Whatever a search can see is the same."""
    assert found.classes == expected.classes
    assert found.is_learnable == expected.is_learnable
    for one, other in zip(found.rails, expected.rails, strict=True):
        assert_same_rail(one, other, len(found.classes))


def assert_same_rail(one, other, literals: int) -> None:
    assert (one.target, one.rest, one.tied) == (other.target, other.rest, other.tied)
    assert (one.packed_size, len(one.words)) == (other.packed_size, len(other.words))
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.ranks, other.ranks)
    clauses = [frozenset(), *(frozenset([i, i // 2]) for i in range(literals))]
    masks = [np.array([rail.cover(clause) for clause in clauses]) for rail in (one, other)]
    sizes = one.size(masks[0])
    for mine, theirs in zip(sizes, other.size(masks[1]), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(one.count(masks[0]), other.count(masks[1]), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    among = one.target, one.rest
    np.testing.assert_array_equal(one.information(*sizes, among), other.information(*sizes, among))
