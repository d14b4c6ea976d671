import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.episode import Episode
from gnri.model.paper_export import UNIT, soft_truth
from gnri.rules.dnf import SignedDNF
from gnri.scores import Scores
from tests.strategies import scores as grid_scores
from tests.strategies import symmetries_of, tables

FLOOR = 1e-6


def slow_truth(scores: Scores, rail: int, row: np.ndarray) -> float:
    """The product t-norm, factor by factor; no factor and no clause is below the floor."""
    missed = 1.0
    for literals, gate in zip(scores.literals[rail], scores.gates[rail], strict=True):
        empty = agreement = 1.0
        for pair, value in zip(literals, row, strict=True):
            for p, truth in zip(pair, ((1 + value) / 2, (1 - value) / 2), strict=True):
                empty *= max(1 - p, FLOOR)
                agreement *= max(1 - p + p * truth, FLOOR)
        missed *= 1 - max(gate * (1 - empty) * agreement, FLOOR)
    return 1 - missed


def random_scores(rng: np.random.Generator, slots: int, atoms: int, power: float) -> Scores:
    return Scores(rng.random((2, slots, atoms, 2)) ** power, rng.random((2, slots)))


def assert_is_slow_truth(scores: Scores, values: np.ndarray) -> None:
    soft = soft_truth(scores, values)
    slow = [[slow_truth(scores, rail, row) for row in values] for rail in (0, 1)]
    assert np.abs(soft / UNIT - slow).max() < 1e-6


@given(data=st.data())
def test_the_matrix_products_are_the_product_on_a_grid(data):
    slots, atoms = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    values = data.draw(tables(data.draw(st.integers(1, 4)), atoms))
    assert_is_slow_truth(data.draw(grid_scores(slots, atoms)), values)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("power", [0.5, 2, 20])
@pytest.mark.parametrize("atoms", [3, 40])
def test_the_matrix_products_are_the_product(atoms, power, missing):
    rng = np.random.default_rng(atoms)
    values = rng.choice([-1, 0, 1] if missing else [-1, 1], (6, atoms)).astype(np.int8)
    assert_is_slow_truth(random_scores(rng, 4, atoms, power), values)


@given(data=st.data())
def test_no_order_and_no_polarity_changes_a_bit(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    atoms = data.draw(st.integers(1, 9))
    values = data.draw(tables(data.draw(st.integers(1, 6)), atoms))
    scores, episode = random_scores(rng, 3, atoms, 2), Episode(values, np.ones(len(values)))
    g = data.draw(symmetries_of(episode))
    moved = soft_truth(g(scores), g(episode).values)
    expected = soft_truth(scores, values)[::-1] if g.label else soft_truth(scores, values)
    assert np.array_equal(moved[:, list(g.rows)], expected)


def test_no_order_changes_a_bit_on_a_wide_table():
    rng = np.random.default_rng(0)
    scores = random_scores(rng, 8, 700, 3000)
    values = rng.choice([-1, 0, 1], (50, 700)).astype(np.int8)
    truth = soft_truth(scores, values)
    assert truth.min() < UNIT / 2 < truth.max()
    for _ in range(5):
        rows, atoms = rng.permutation(50), rng.permutation(700)
        moved = Scores(scores.literals[:, :, atoms], scores.gates)
        assert np.array_equal(soft_truth(moved, values[rows][:, atoms]), truth[:, rows])


@pytest.mark.parametrize("rail", [0, 1])
def test_certain_scores_give_the_truth_of_the_rule(rail):
    """x0 & ~x1 | x2, on every row of three atoms."""
    literals = np.zeros((2, 2, 3, 2))
    literals[rail, 0, 0, 0] = literals[rail, 0, 1, 1] = literals[rail, 1, 2, 0] = 1
    gates = np.zeros((2, 2))
    gates[rail] = 1
    values = np.array(np.meshgrid(*[[-1, 1]] * 3), dtype=np.int8).reshape(3, -1).T
    truth = SignedDNF([[(0, True), (1, False)], [(2, True)]]).evaluate(values)
    soft = soft_truth(Scores(literals, gates), values)
    assert soft[rail] / UNIT == pytest.approx((truth + 1) / 2, abs=1e-5)
    assert soft[1 - rail] / UNIT == pytest.approx(0, abs=1e-5)


def test_a_missing_cell_is_half_true():
    scores = Scores([[[[1.0, 0.0]]]] * 2, np.ones((2, 1)))
    assert soft_truth(scores, np.array([[0]], np.int8)) / UNIT == pytest.approx(0.5, abs=1e-5)


def test_a_clause_without_literals_is_false():
    scores = Scores(np.zeros((2, 1, 3, 2)), np.ones((2, 1)))
    assert soft_truth(scores, np.ones((2, 3), np.int8)) / UNIT == pytest.approx(0, abs=1e-5)
