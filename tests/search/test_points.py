"""Points are learnt on whole numbers, with every symmetry."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given

from gnri.counts import states
from gnri.counts.block import block_from_values
from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.problem import find_classes
from gnri.counts.states import ColumnStates, Overlaps, StateCounter, Totals
from gnri.episode import Episode
from gnri.rules.dnf import Literal, clause
from gnri.rules.row_expression import EVERYTHING
from gnri.rules.scorecard import Scorecard
from gnri.search import points as search
from gnri.search.points import PointLearner, PointSettings, learn_scorecards
from gnri.symmetry.group import Symmetry
from tests.strategies import episodes


def points_of(episode: Episode, **options: float) -> Scorecard | None:
    kinds = np.select([episode.labels == 1, episode.labels == -1], [0, 1], -1)
    counter = Counter.from_values(episode.values, kinds, 2)
    chosen = PointSettings(**{"line_price": 0.0, **options})
    classes, _, _ = find_classes(counter, episode.atoms, True, [0])
    place = {literal: i for i, members in enumerate(classes) for literal in members}
    return learn_scorecards(counter, episode.atoms, [0], atom_states(place), chosen)[0].card


def atom_states(place: Mapping[Literal, int]) -> list[ColumnStates]:
    """The states of each atom; atoms with equal or opposite truth on all rows are together.

    `place` maps a literal to the number of its group of equal literals. Literals that are true on
    all rows, or on none, are not in it.
    """
    found: dict[tuple[int, int], list[Literal]] = {}
    for atom in {literal.atom for literal in place}:
        literal = Literal(atom)
        pair = place.get(literal, -1), place.get(~literal, -1)
        if pair[::-1] in found:
            literal, pair = ~literal, pair[::-1]
        found.setdefault(pair, []).append(literal)
    return [
        ColumnStates(
            tuple(map(clause, members)),
            np.repeat([[-1], [1], [0]], len(members), axis=1),
            (1, *[0] * (len(members) - 1)),
        )
        for members in found.values()
    ]


@given(episode=episodes(max_rows=12, max_atoms=6))
def test_small_tables_full_of_ties(episode: Episode) -> None:
    found = points_of(episode)
    for seed in range(2):
        g = Symmetry.random(episode, rng=np.random.default_rng(seed))
        assert points_of(g(episode)) == g(found)


def larger_table(seed: int) -> Episode:
    """A table with a copy of a column and a negation; labels add up, or are a parity."""
    rng = np.random.default_rng(seed)
    values = rng.choice([-1, 1, 1, 0][: 3 + seed % 2], (60, 9)).astype(np.int8)
    values[:, 7], values[:, 8] = values[:, 0], -values[:, 1]
    scores = values[:, :4].sum(axis=1) if seed % 3 else 3 * values[:, 2] * values[:, 3]
    labels = np.where(scores + rng.normal(0, 1, 60) > 0.5, 1, -1)
    return Episode(values, labels.astype(np.int8))


@pytest.mark.parametrize("seed", range(20))
def test_larger_tables(seed: int) -> None:
    rng, episode = np.random.default_rng(seed), larger_table(seed)
    found = points_of(episode)
    assert found is not None
    for _ in range(5):
        g = Symmetry.random(episode, rng=rng)
        assert points_of(g(episode)) == g(found)


@pytest.mark.parametrize("seed", range(20))
def test_columns_that_are_not_looked_at_change_nothing(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = points_of(larger_table(seed))
    monkeypatch.setattr(PointLearner, "_least_price", lambda *_: -math.inf)
    assert points_of(larger_table(seed)) == found


@pytest.mark.parametrize("clauses", [[[i] for i in range(8)], [[0, 2], [5, 5], [1, 6]]])
@pytest.mark.parametrize("seed", range(4))
def test_overlaps_are_sums_over_rows(
    seed: int, clauses: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "_CLAUSES", 3)
    monkeypatch.setattr(states, "_ROWS", 25)
    episode = larger_table(seed)
    kinds = (episode.labels < 0).astype(int)
    columns = atom_states({Literal(i, sign): 2 * i + sign for i in range(9) for sign in (0, 1)})
    literals, rng = np.array([0, 1, 2, 3, 5, 8, 9, 14]), np.random.default_rng(seed)
    totals = Totals({0: np.array([-2, 2, 0]), 3: np.array([-1, 1, 0])}, 1, [])
    # Large sums are exact in float64 alone.
    most = 9 if seed % 2 else 1 << 40
    weights = rng.integers(-most, most, (2, 2, 2 * totals.reach + 1)).astype(float)
    truth = np.stack([episode.values.T > 0, episode.values.T < 0], axis=1).reshape(18, -1)
    expected = np.zeros((2, len(clauses), len(literals)))
    for row, kind in enumerate(kinds):
        total = totals.start
        for i, points in totals.scores.items():
            total += int(points[columns[i].truths[:, 0] == _truth(columns[i], truth, row)][0])
        for i, line in enumerate(clauses):
            for j, literal in enumerate(literals):
                if truth[[*literals[line], literal], row].all():
                    expected[:, i, j] += weights[:, kind, total + totals.reach]
    whole = Counter.from_values(episode.values, kinds, 2)
    halves = [block_from_values(episode.values[i::2], kinds[i::2], 2) for i in (0, 1)]
    for counter in (whole, Counter(MemoryBlocks(halves))):
        asked = Overlaps(totals, weights, literals, np.array(clauses))
        counted = StateCounter(counter, columns)
        assert (counted.overlaps(asked, EVERYTHING) == expected).all()
        for first, sums in counted.some_overlaps(asked, EVERYTHING):
            assert (sums == expected[:, first : first + sums.shape[1], first:]).all()


def _truth(column: ColumnStates, truth: np.ndarray, row: int) -> int:
    (literal,) = column.lines[0]
    return int(truth[literal.number, row]) - int(truth[(~literal).number, row])


def test_a_parity_is_found() -> None:
    values = np.random.default_rng(0).choice([-1, 1], (80, 6)).astype(np.int8)
    episode = Episode(values, values[:, 1] * values[:, 4])
    found = points_of(episode)
    assert found is not None and (found.evaluate(values) == episode.labels).all()


def test_limits_hold() -> None:
    episode = larger_table(1)
    for most in (1, 2, 3, 5):
        found = points_of(episode, max_conditions=most)
        assert found is not None and 0 < found.size <= most
    found = points_of(episode, max_points=1)
    assert found is not None and {points for _, points in found.points} == {1}
    found = points_of(larger_table(3), max_literals=1)
    assert found is None or all(len(line) == 1 for line, _ in found.points)


def test_points_cost_less_only_where_several_classes_compete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    values = rng.choice([-1, 1], (300, 8)).astype(np.int8)
    kinds = np.digitize(values[:, :4].sum(axis=1) + rng.normal(0, 2, 300), [-1.5, 1.5])
    counter = Counter.from_values(values, kinds, 3)
    truths = np.array([[-1], [1], [0]])
    states = [ColumnStates((clause((atom, True)),), truths, (1,)) for atom in range(8)]

    def lines(*targets: int) -> list[int]:
        found = learn_scorecards(counter, 8, targets, states, PointSettings())
        return [len(one.card.points) for one in found if one.card]

    alone, together = [lines(kind)[0] for kind in range(3)], lines(0, 1, 2)
    assert sum(together) > sum(alone)
    one = PointSettings()
    monkeypatch.setattr(search, "SEVERAL", (one.range_price, one.condition_price))
    assert lines(0, 1, 2) == alone == [lines(kind)[0] for kind in range(3)]
