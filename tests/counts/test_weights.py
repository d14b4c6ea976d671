"""A row that weighs more counts as several, and whatever is counted knows it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri import Episode, Symmetry, induce
from gnri.counts import rail
from gnri.counts.counter import Counter
from gnri.counts.problem import Problem
from gnri.errors import EncodingError
from gnri.estimator.multiclass import Tasks, class_weights
from gnri.model.load import load_model
from gnri.rules.dnf import Literal
from gnri.rules.row_expression import EVERYTHING, cover
from gnri.search.limits import DEFAULT, uniform_prices
from gnri.search.points import PointSettings, learn_scorecards
from gnri.search.refine import Climb
from tests.search.test_points import atom_states
from tests.strategies import episodes


def repeated(episode: Episode) -> Episode:
    """The same with each row as often as it counts."""
    positive, negative = episode.weights
    times = np.select([episode.labels == 1, episode.labels == -1], [positive, negative], 1)
    return Episode(np.repeat(episode.values, times, 0), np.repeat(episode.labels, times))


def counts(table: Problem) -> list[np.ndarray]:
    """All that a search may count: of each literal alone, and with each other."""
    found = []
    for one in table.rails:
        masks = np.array([one.cover(frozenset([i])) for i in range(len(table.classes))])
        masks = masks if len(masks) else one.everything[None]
        found += [*one.size(masks), *one.count(masks), *one.size(one.everything)]
        found += [np.array([one.target, one.rest])]
    return found


@pytest.mark.parametrize("large", [1 << 14, 0])
@given(episode=episodes(max_rows=150, max_atoms=5), weights=st.tuples(*[st.integers(1, 3)] * 2))
def test_a_weight_counts_as_so_many_rows(large, episode, weights) -> None:
    weighted = Episode(episode.values, episode.labels, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rail, "_SPARSE_WORDS", large)
        one, other = Problem.from_episode(weighted), Problem.from_episode(repeated(weighted))
        assert one.classes == other.classes
        for mine, theirs in zip(counts(one), counts(other), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_the_rule_is_that_of_the_rows_repeated() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.choice([-1, 1], (90, 8))
        labels = np.where((values[:, 0] > 0) & (rng.random(90) < 0.6), 1, -1)
        episode = Episode(values, labels, (2, 1))
        assert induce(episode).rule == induce(repeated(episode)).rule


def test_what_is_rarer_than_not_where_it_is_likeliest_gets_a_rule() -> None:
    rng = np.random.default_rng(1)
    values = rng.choice([-1, 1], (600, 6))
    labels = np.where((values[:, 2] > 0) & (rng.random(600) < 0.45), 1, -1)
    assert str(induce(Episode(values, labels)).rule) != "x2"
    assert str(induce(Episode(values, labels, (2, 1))).rule) == "x2"


def test_the_label_swap_exchanges_the_weights() -> None:
    episode = Episode([[1, -1], [-1, 1]], [1, -1], (2, 1))
    swap = Symmetry(rows=(0, 1), atoms=(0, 1), flips=(False, False), label=True)
    assert swap(episode).weights == (1, 2) and swap(swap(episode)) == episode
    assert episode != Episode(episode.values, episode.labels)
    assert hash(episode) != hash(Episode(episode.values, episode.labels))


@pytest.mark.parametrize("weights", [(0, 1), (1, -1), (1.0, 1), (1,), (True, 1)])
def test_weights_that_are_none(weights) -> None:
    with pytest.raises(EncodingError, match="two whole numbers of 1 or more"):
        Episode([[1]], [1], weights)


@pytest.mark.parametrize(
    ("members", "rows", "classes", "weight"),
    [(60, 151, 3, 2), (59, 151, 3, 1), (60, 150, 3, 1), (60, 151, 2, 1), (500, 9000, 26, 2)],
)
def test_a_class_of_several_counts_twice_if_it_has_rows_and_is_no_large_part(
    members, rows, classes, weight
) -> None:
    assert class_weights(members, rows, classes) == (weight, 1)


def test_each_class_against_the_rest_has_its_weight() -> None:
    codes = np.repeat([0, 1, 2], [300, 100, 20])
    counter = Counter.from_values(np.ones((420, 1), np.int8), codes, 3)
    found = Tasks(counter, 1, range(3)).episodes()
    assert [episode.weights for episode in found] == [(1, 1), (2, 1), (1, 1)]


def counted(episode: Episode, times: int = 1, *, told: bool = False) -> Counter:
    """Each row so often; if told, the counter knows that these are copies."""
    values, kinds = (np.repeat(part, times, 0) for part in (episode.values, episode.labels < 0))
    counter = Counter.from_values(values, kinds.astype(int), 2)
    counter.row_copies = times if told else 1.0
    return counter


def noisy(seed: int) -> Episode:
    """Rows of a rule, a third of them with a label drawn at random."""
    rng = np.random.default_rng(seed)
    values = rng.choice([-1, 1], (80, 9)).astype(np.int8)
    truth = (values[:, 0] > 0) & (values[:, 1] > 0) | (values[:, 2] > 0) & (values[:, 3] > 0)
    labels = np.where(rng.random(80) < 0.3, rng.random(80) < 0.5, truth)
    return Episode(values, np.where(labels, 1, -1).astype(np.int8))


def climbed(counter: Counter) -> tuple[object, ...]:
    """The rule of the search at a flat price, its cost apart, and the card of points."""
    (problem,) = Problem.from_counter(counter, 9, {0: (1, 1)})
    rail = problem.price(0, uniform_prices(len(problem.classes), 2.0)[:, 0])
    rule = problem.to_rule(0, Climb(rail, DEFAULT).climb(frozenset()).clauses)
    place = {Literal(i, sign): 2 * i + sign for i in range(9) for sign in (0, 1)}
    (found,) = learn_scorecards(counter, 9, [0], atom_states(place), PointSettings())
    return rule, found.card


def test_copies_are_no_more_evidence_than_their_rows() -> None:
    episodes = list(map(noisy, range(8)))
    plain = [climbed(counted(one)) for one in episodes]
    assert [climbed(counted(one, 7, told=True)) for one in episodes] == plain
    assert [climbed(counted(one, 7)) for one in episodes] != plain


def test_a_description_counts_copies_as_one_row() -> None:
    guided = load_model("guided")
    for episode in map(noisy, range(4)):
        lengths = []
        for told in (True, False):
            (problem,) = Problem.from_counter(counted(episode, 7, told=told), 9, {0: (1, 1)})
            (once,) = Problem.from_counter(counted(episode), 9, {0: (1, 1)})
            rules = [(rail, frozenset([frozenset([i])])) for rail in (0, 1) for i in range(18)]
            pair = [guided.scorer(one).score(rules) for one in (problem, once)]
            lengths.append([[one.length for one in found] for found in pair])
        assert lengths[0][0] == lengths[0][1] and lengths[1][0] != lengths[1][1]


@given(st.lists(st.integers(1, 50), min_size=2, max_size=4), st.data())
def test_copies_of_a_row_are_their_mean_over_the_copies(copies, data) -> None:
    rows = [data.draw(st.integers(1, 9)) for _ in copies]
    kinds = np.repeat(np.arange(len(copies)), rows)
    kinds = np.repeat(kinds, np.array(copies)[kinds])
    counter = Counter.from_values(np.ones((len(kinds), 1), np.int8), kinds, len(copies))
    found = counter.with_class_copies([3 * one for one in copies])
    mean = sum(n * c * c for n, c in zip(rows, copies, strict=True)) / len(kinds)
    assert found.row_copies == pytest.approx(mean / min(copies))
    assert found.without(EVERYTHING & cover([0])).row_copies == found.row_copies
    assert counter.row_copies == 1
