"""What refine promises besides symmetry: its cost, its limits, and how good its rules are."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts import problem as problem_module
from gnri.data.samples import read_sample
from gnri.episode import Episode
from gnri.errors import EncodingError, RuleError, ShapeError
from gnri.rules.dnf import Literal, SignedDNF
from gnri.search.limits import PRICE_UNIT, Limits, uniform_prices
from gnri.search.refine import refine
from tests.effort import half_as_often
from tests.search.slow import cost, cube, hard_tables, labelled, least_cost
from tests.search.test_equivariance import tasks
from tests.strategies import episodes


@pytest.fixture(autouse=True, scope="module")
def classes_as_conjunctions() -> Iterator[None]:
    """No votes of identical literals: the slow cost reads the classes off the rule's clauses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem_module, "MAX_VOTE_CLAUSES", 0)
        yield


def random_table(rng: np.random.Generator, rows: int, atoms: int, missing: float = 0.0) -> Episode:
    values = rng.choice([-1, 1], (rows, atoms)) * (rng.random((rows, atoms)) >= missing)
    return Episode(values, rng.choice([-1, 1], rows))


@half_as_often
@given(tasks())
def test_the_reported_cost_is_the_cost_of_the_rule(task) -> None:
    episode, prices, starts, limits, _ = task
    found = refine(episode, prices, starts=starts, limits=limits)
    if found.rule is not None:
        assert found.cost == cost(episode, prices, found.rule)
        assert found.rule.positive == (found.rail == 0)
    else:
        assert found.rail is None


@half_as_often
@given(episodes(max_rows=10, max_atoms=3), st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_no_rule_is_cheaper_than_the_best_of_all(episode: Episode, errors: float) -> None:
    prices = uniform_prices(episode.atoms, errors)
    best = least_cost(episode, prices, clauses=2)
    assert refine(episode, prices, limits=Limits(max_clauses=2)).cost >= best


@pytest.mark.parametrize("seed", range(3))
def test_clauses_that_are_right_together_are_found_though_one_alone_is_not_the_best(seed) -> None:
    """To hold the middle square alone is right more often than any line."""
    boards = [line.split(",") for line in read_sample("tic-tac-toe").decode().split()[1:]]
    values = np.array([[1 if cell == k else -1 for cell in b[:-1] for k in "xob"] for b in boards])
    labels = np.array([1 if b[-1] == "positive" else -1 for b in boards])
    assert len(labels) == 958
    some = np.random.default_rng(seed).permutation(958)[:766]
    found = refine(Episode(values[some], labels[some])).rule
    assert found is not None
    assert (found.evaluate(values) == labels).all()


@pytest.mark.parametrize("errors", [0.1, 0.25, 0.5, 1.0])
def test_most_rules_are_the_best_of_all(errors: float) -> None:
    rng, equal = np.random.default_rng(3), []
    for _ in range(100):
        episode = random_table(rng, rows=int(rng.integers(4, 17)), atoms=3)
        prices = uniform_prices(3, errors)
        best = least_cost(episode, prices, clauses=2)
        equal.append(refine(episode, prices, limits=Limits(max_clauses=2)).cost == best)
    assert np.mean(equal) >= 0.9


@pytest.mark.parametrize(
    ("name", "errors", "text"),
    [
        ("two pairs", 0.25, "x0 & x1 | x2 & x3"),
        ("two xors", 0.25, "x0 & ~x1 | ~x0 & x1 | x2 & ~x3 | ~x2 & x3"),
        (
            "exactly one",
            0.1,
            "x0 & ~x1 & ~x2 & ~x3 | ~x0 & x1 & ~x2 & ~x3 | ~x0 & ~x1 & x2 & ~x3 | "
            "~x0 & ~x1 & ~x2 & x3",
        ),
        ("ring", 0.1, "x0 & x1 & x2 & x3 | ~x0 & ~x1 & ~x2 & ~x3"),
        ("one class", 1.0, "~(false)"),
        ("xor", 0.1, "None"),
        ("parity", 0.1, "None"),
        ("majority", 0.1, "None"),
        ("no labels", 1.0, "None"),
        ("contradictory", 1.0, "None"),
    ],
)
def test_hard_tables(name: str, errors: float, text: str) -> None:
    table = hard_tables()[name]
    assert str(refine(table, uniform_prices(table.atoms, errors)).rule) == text


@pytest.mark.parametrize("atoms", [2, 3])
def test_a_symmetric_concept_is_found_whole_once_one_label_breaks_the_tie_of_rails(
    atoms: int,
) -> None:
    values = np.repeat(cube(atoms), 3, axis=0)
    labels = np.where(values.prod(1) > 0, 1, -1)
    labels[0] = 0
    found = refine(Episode(values, labels), uniform_prices(atoms, 0.1))
    assert found.rule is not None
    assert len(found.rule.clauses) == 2 ** (atoms - 1)
    truth = found.rule.evaluate(values)
    assert (truth == np.where(values.prod(1) > 0, 1, -1)).all()


def test_identical_literals_come_together_and_cost_one() -> None:
    column = np.array([1, 1, 1, -1, -1, -1], np.int8)
    table = Episode(np.stack([column, column, -column], 1), column)
    found = refine(table, np.array([[64, 64], [40, 64], [64, 50]]))
    literals = {Literal(0), Literal(1), Literal(2, False)}
    opposite = {~literal for literal in literals}
    assert found.rule in (SignedDNF([literals]), SignedDNF([opposite], positive=False))
    assert found.cost == 40


def test_a_copied_column_changes_no_cost() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        table = random_table(rng, rows=20, atoms=4, missing=0.1)
        wider = Episode(np.hstack([table.values, -table.values[:, :2]]), table.labels)
        assert refine(wider).cost == refine(table).cost


def test_a_missing_cell_makes_no_literal_true() -> None:
    table = Episode([[1], [1], [1], [0], [0], [-1]], [1, 1, 1, -1, -1, -1])
    assert refine(table).rule == SignedDNF([[Literal(0)]])


def test_rows_without_a_label_are_not_read() -> None:
    rng = np.random.default_rng(6)
    table = random_table(rng, rows=30, atoms=4)
    extra = random_table(rng, rows=9, atoms=4)
    values = np.vstack([table.values, extra.values])
    labels = np.concatenate([table.labels, np.zeros(9, np.int8)])
    assert refine(Episode(values, labels), uniform_prices(4, 0.5)) == refine(
        table, uniform_prices(4, 0.5)
    )


@pytest.mark.parametrize(("clauses", "literals"), [(1, 1), (1, 3), (2, 2), (0, 3), (3, 0)])
def test_limits_are_kept(clauses: int, literals: int) -> None:
    rng = np.random.default_rng(7)
    limits = Limits(max_clauses=clauses, max_literals=literals)
    start = SignedDNF([[(0, True), (1, True)], [(2, True), (3, False)], [(1, False)]])
    for _ in range(15):
        table = random_table(rng, rows=40, atoms=5)
        rule = refine(table, uniform_prices(5, 0.1), starts=[start, ~start], limits=limits).rule
        if rule is not None:
            assert len(rule.clauses) <= clauses
            assert all(len(items) <= literals for items in rule.clauses)


def test_no_steps_change_nothing() -> None:
    table = labelled(cube(3), cube(3)[:, 0] > 0)
    start = SignedDNF([[(0, True), (1, True)]])
    found = refine(table, uniform_prices(3, 0.1), starts=[start], limits=Limits(steps=0))
    assert found.rule == start


def test_without_negations_no_literal_is_negated() -> None:
    rng = np.random.default_rng(8)
    for _ in range(15):
        table = random_table(rng, rows=40, atoms=5)
        found = refine(table, uniform_prices(5, 0.25), limits=Limits(negations=False))
        assert found.rule is not None
        assert all(literal.positive for items in found.rule.clauses for literal in items)
        assert found.cost >= refine(table, uniform_prices(5, 0.25)).cost - PRICE_UNIT * 2


def test_a_good_start_is_not_made_worse() -> None:
    rng = np.random.default_rng(9)
    for _ in range(10):
        values = rng.choice([-1, 1], (30, 12)).astype(np.int8)
        secret = SignedDNF([[(0, True), (1, False), (2, True)], [(3, True), (4, True)]])
        table = Episode(values, secret.evaluate(values))
        prices = uniform_prices(12, 0.1)
        found = refine(table, prices, starts=[secret])
        assert found.cost <= cost(table, prices, secret)


def test_twice_the_same() -> None:
    table = random_table(np.random.default_rng(10), rows=60, atoms=8, missing=0.1)
    assert refine(table, uniform_prices(8, 0.5)) == refine(table, uniform_prices(8, 0.5))


def test_wrong_prices_are_refused() -> None:
    table = random_table(np.random.default_rng(11), rows=5, atoms=3)
    with pytest.raises(ShapeError, match=r"\(3, 2\)"):
        refine(table, uniform_prices(2))
    with pytest.raises(EncodingError, match="integers of 0 or more"):
        refine(table, uniform_prices(3) * 0.5)
    with pytest.raises(EncodingError, match="from -64"):
        refine(table, -uniform_prices(3))
    with pytest.raises(RuleError, match="max_clauses"):
        Limits(max_clauses=-1)
