"""The packed table counts what the rows say, and moves with every symmetry."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from gnri.counts import rail as rail_module
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.rules.dnf import Literal, SignedDNF
from tests.contracts.rail_contract import SIGNS, truths


def labels_of(episode: Episode) -> NDArray[np.int8]:
    return episode.labels[episode.labels != 0]


def tally(mask: NDArray[np.bool_], target: NDArray[np.bool_]) -> tuple[int, int]:
    return int((mask & target).sum()), int((mask & ~target).sum())


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 130, 300])
def test_large_tables_are_counted_the_same(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """A word more or less, batches, few words of a mask, and negations that are not counted."""
    rng = np.random.default_rng(rows)
    values = rng.choice([-1, 0, 1], (rows, 6))
    values[:, 1] = np.where(values[:, 0], rng.choice([-1, 1], rows), 0)  # missing in both
    episode = Episode(values, rng.choice([-1, 1], rows))
    monkeypatch.setattr(rail_module, "_BATCH_WORDS", 1)
    monkeypatch.setattr(rail_module, "_UNCACHED_WORDS", 0)
    for large, number in product((0, 1 << 40), (0, 1)):
        monkeypatch.setattr(rail_module, "_SPARSE_WORDS", large)
        table, sign = Problem.from_episode(episode), SIGNS[number]
        where, rail = truths(episode, table), table.rails[number]
        masks = np.array(
            [rail.cover(frozenset(c)) for c in ((), *([i] for i in range(len(where))))]
        )
        table.rails[1 - number].count(masks[::-1])  # shares what it has counted
        target, rest = rail.count(masks)
        covers = np.vstack([np.ones((1, rows), bool), where])
        for i, j in product(range(len(masks)), range(len(where))):
            wanted = tally(covers[i] & where[j], episode.labels == sign)
            assert (int(target[i, j]), int(rest[i, j])) == wanted


def test_a_class_costs_what_its_cheapest_member_does_and_prices_tell_codes_apart() -> None:
    values = np.array([[1, 1, 1], [1, 1, -1], [-1, -1, 1], [-1, -1, -1]])
    table = Problem.from_episode(Episode(values, [1, -1, -1, 1]))
    prices = np.array([[[5, 9], [3, 9], [7, 7]], [[1, 1], [2, 2], [8, 9]]])
    priced = table.with_prices(prices)
    index = table.index()
    assert index[Literal(0, True)] == index[Literal(1, True)]
    for rail, wanted in zip(priced.rails, ([3, 9, 7, 7], [1, 1, 8, 9]), strict=True):
        found = [rail.prices[index[Literal(atom, s)]] for atom in (0, 2) for s in (True, False)]
        assert found == wanted
    x2, not_x2 = index[Literal(2, True)], index[Literal(2, False)]
    assert table.rails[1].codes[x2] == table.rails[1].codes[not_x2]  # the table's own symmetry
    assert priced.rails[0].codes[x2] == priced.rails[0].codes[not_x2]
    assert priced.rails[1].codes[x2] != priced.rails[1].codes[not_x2]


@pytest.mark.parametrize(
    ("values", "labels", "is_learnable"),
    [
        ([[1], [-1]], [1, -1], True),
        ([[1], [0]], [1, -1], True),
        ([[1], [-1]], [1, 1], False),
        ([[1], [-1]], [-1, -1], False),
        ([[1], [-1]], [0, 0], False),
        ([[1], [-1]], [1, 0], False),
        ([[1], [1]], [1, -1], False),
        ([[0], [0]], [1, -1], False),
        ([[1], [1], [-1]], [1, -1, 0], False),
    ],
)
def test_learning_needs_two_classes_and_a_literal(values, labels, is_learnable) -> None:
    assert Problem.from_episode(Episode(values, labels)).is_learnable == is_learnable


def test_codes_tell_the_target_rows_from_the_others() -> None:
    """Each atom is true on one row; on the other rail they have changed places."""
    table = Problem.from_episode(Episode([[1, -1], [-1, 1], [-1, -1], [-1, -1]], [1, -1, 1, -1]))
    first, second = (table.index()[Literal(atom, True)] for atom in (0, 1))
    positive, negative = (rail.codes for rail in table.rails)
    assert positive[first] != positive[second]
    assert (positive[first], positive[second]) == (negative[second], negative[first])


def test_a_clause_without_literals_covers_every_row() -> None:
    table = Problem.from_episode(Episode([[1, -1], [-1, 1], [1, 1]], [1, -1, -1]))
    for rail in table.rails:
        assert tuple(map(int, rail.size(rail.cover(frozenset())))) == (rail.target, rail.rest)
    assert table.to_rule(1, []) == SignedDNF([], positive=False)


def test_covers_are_forgotten_when_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rail_module, "_MAX_CACHED_WORDS", 4)
    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 1], (20, 5)), rng.choice([-1, 1], 20))
    table, labels = Problem.from_episode(episode), labels_of(episode)
    where, rail = truths(episode, table), table.rails[0]
    for _ in range(2):
        for i, j in product(range(len(where)), repeat=2):
            found = tuple(map(int, rail.size(rail.cover(frozenset({i, j})))))
            assert found == tally(where[i] & where[j], labels == 1)


def test_rows_are_packed_so_that_what_few_share_lies_in_few_words() -> None:
    values = np.random.default_rng(0).choice(np.array([-1, 1], np.int8), (6400, 2))
    problem = Problem.from_episode(Episode(values, np.repeat([1, -1], 3200)))
    assert len(problem.classes) == 4
    for rail in problem.rails:
        # Of two atoms of half the rows, the first that sorts lies in half the words.
        filled = np.count_nonzero(rail.words, axis=1)
        assert filled.min() <= rail.words.shape[1] // 2 + 2
