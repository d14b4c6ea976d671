"""Both rails keep the contract of rails, and a search cannot tell them apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.block import block_from_values
from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.counts.problem import Problem
from gnri.counts.rail import Clause, DeferredRail, PackedRail
from gnri.episode import Episode
from gnri.rules.row_expression import cover
from gnri.search.limits import Limits, uniform_prices
from gnri.search.refine import refine, refine_problem
from tests.contracts import rail_contract as contract
from tests.effort import half_as_often
from tests.strategies import episodes, symmetries_of


def count_episode(episode: Episode, negations: bool, pieces: int) -> Problem:
    """The problem of the labelled rows, cut into blocks."""
    parts = np.array_split(np.flatnonzero(episode.labels), pieces)
    codes = np.where(episode.labels > 0, 1, 0)
    blocks = [block_from_values(episode.values[part], codes[part], 2) for part in parts]
    counter = Counter(MemoryBlocks(blocks))
    (found,) = Problem.from_counter(counter, episode.atoms, {1: episode.weights}, negations)
    return found


MAKERS: dict[str, contract.Make] = {
    "packed": Problem.from_episode,
    "packed from a counter": lambda episode, negations: count_episode(episode, negations, 1),
    "deferred": lambda episode, negations: count_episode(episode, negations, 2),
}

every_maker = pytest.mark.parametrize("maker", MAKERS)
weighted = st.builds(
    lambda episode, weights: Episode(episode.values, episode.labels, weights),
    episodes(max_rows=80, max_atoms=4),
    st.tuples(st.integers(1, 3), st.integers(1, 2)),
)


def some_clauses(problem: Problem, random) -> list[Clause]:
    numbers = range(len(problem.classes))
    sizes = [0, *(random.randint(0, min(3, len(numbers))) for _ in range(3))]
    return [frozenset(random.sample(numbers, size)) for size in sizes]


def test_the_makers_make_both() -> None:
    episode = Episode([[1], [-1]], [1, -1])
    kinds = [type(make(episode, True).rails[0]) for make in MAKERS.values()]
    assert kinds == [PackedRail, PackedRail, DeferredRail]
    assert not issubclass(PackedRail, DeferredRail) and not issubclass(DeferredRail, PackedRail)


@every_maker
@half_as_often
@given(episode=weighted, random=st.randoms(use_true_random=False))
def test_rails_count_what_the_rows_say(maker: str, episode: Episode, random) -> None:
    problem = MAKERS[maker](episode, True)
    clauses = some_clauses(problem, random)
    contract.check_counts(problem, episode, clauses)
    contract.check_answer_keys(problem, episode, clauses)
    contract.check_prices(problem)


@every_maker
@half_as_often
@given(episode=weighted, negations=st.booleans())
def test_literals_of_equal_truth_are_one_class(
    maker: str, episode: Episode, negations: bool
) -> None:
    contract.check_classes(MAKERS[maker](episode, negations), episode, negations)


@every_maker
@half_as_often
@given(episode=weighted)
def test_stricter_is_a_weight(maker: str, episode: Episode) -> None:
    positive, negative = episode.weights
    for number, weights in enumerate([(positive, 3 * negative), (3 * positive, negative)]):
        heavy = Episode(episode.values, episode.labels, weights)
        make = MAKERS[maker]
        contract.check_stricter(make(episode, True), make(heavy, True), number)


@every_maker
@half_as_often
@given(data=st.data())
def test_classes_and_codes_move_with_every_symmetry(maker: str, data: st.DataObject) -> None:
    episode = data.draw(episodes())
    g = data.draw(symmetries_of(episode))
    contract.check_moves(MAKERS[maker](episode, True), MAKERS[maker](g(episode), True), g)


@half_as_often
@given(weighted, st.booleans(), st.integers(1, 4))
def test_all_rails_are_the_same(episode: Episode, negations: bool, pieces: int) -> None:
    found = count_episode(episode, negations, pieces)
    contract.assert_same(found, Problem.from_episode(episode, negations))


@half_as_often
@given(episodes(max_rows=40, max_atoms=5), st.integers(2, 4))
def test_a_search_finds_the_same_rule(episode: Episode, pieces: int) -> None:
    prices, limits = uniform_prices(episode.atoms), Limits(max_clauses=4, max_literals=3)
    priced = count_episode(episode, True, pieces).with_prices(np.array([prices, prices]))
    assert refine_problem(priced, limits=limits) == refine(episode, prices, limits=limits)


def test_rails_of_one_class_of_several_are_those_of_an_episode() -> None:
    """Also where earlier rules have taken rows away."""
    rng = np.random.default_rng(0)
    values = rng.choice(np.array([-1, 0, 1], np.int8), (500, 9))
    codes, kinds = rng.integers(0, 3, 500), {kind: (1, 1) for kind in range(3)}
    counter = Counter.from_values(values, codes, 3)
    for left, rows in ((counter, codes >= 0), (counter.without(cover([4])), values[:, 2] <= 0)):
        for kind, problem in enumerate(Problem.from_counter(left, 9, kinds)):
            labels = np.where(codes == kind, 1, -1)
            contract.assert_same(problem, Problem.from_episode(Episode(values, labels * rows)))
