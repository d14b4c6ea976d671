from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from gnri.rules.dnf import SignedDNF
from studies.training.soft_logic import soft_clauses, soft_or, soft_truth

TRUTH = {1: (1.0, 0.0), -1: (0.0, 1.0), 0: (0.5, 0.5)}


def slow_clause(literals: Tensor, gate: Tensor, row: Tensor) -> float:
    """The formula, factor by factor."""
    clause, empty = float(gate), 1.0
    for atom, value in enumerate(row.tolist()):
        for polarity in (0, 1):
            p = float(literals[atom, polarity])
            clause *= min(max(1 - p + p * TRUTH[value][polarity], 1e-6), 1)
            empty *= 1 - p
    return clause * (1 - empty)


def random_scores(seed: int, power: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    literals = torch.rand(2, 3, 4, 2, generator=generator, dtype=torch.float64) ** power
    gates = torch.rand(2, 3, generator=generator, dtype=torch.float64)
    return literals, gates, torch.randint(-1, 2, (2, 5, 4), generator=generator)


@given(st.integers(0, 2**32), st.floats(0.1, 10))
@settings(max_examples=200)
def test_matrix_products_equal_the_loop(seed: int, power: float) -> None:
    literals, gates, values = random_scores(seed, power)
    clauses = soft_clauses(literals, gates, values)
    slow = torch.zeros(2, 3, 5, dtype=torch.float64)
    for b, t, m in product(range(2), range(3), range(5)):
        slow[b, t, m] = slow_clause(literals[b, t], gates[b, t], values[b, m])
    assert torch.allclose(clauses, slow, rtol=1e-5, atol=1e-9)
    rule = 1 - torch.prod(1 - slow, dim=1)
    assert torch.allclose(soft_truth(literals, gates, values), rule, atol=1e-5)


def test_at_the_vertices_soft_truth_is_boolean_truth() -> None:
    """Every pair of clauses over two atoms, open and closed gates, on every row."""
    rows = torch.tensor(list(product((-1, 1), repeat=2)))
    corners = torch.tensor(list(product((0.0, 1.0), repeat=8))).reshape(-1, 2, 2, 2)
    for gates in product((0.0, 1.0), repeat=2):
        opened = torch.tensor([gates]).expand(len(corners), 2)
        soft = soft_truth(corners, opened, rows.expand(len(corners), -1, -1))
        for literals, truth in zip(corners, soft, strict=True):
            boolean = hard_rule(literals, gates).evaluate(rows.numpy())
            assert np.array_equal(truth.numpy() >= 0.5, boolean > 0)
            assert truth.numpy() == pytest.approx((boolean + 1) / 2, abs=1e-5)


def hard_rule(literals: Tensor, gates: tuple[float, ...]) -> SignedDNF:
    """The clauses that have an open gate and at least one literal."""
    chosen = [
        [(atom, polarity == 0) for atom, polarity in slot.nonzero().tolist()]
        for slot, gate in zip(literals, gates, strict=True)
        if gate
    ]
    return SignedDNF([clause for clause in chosen if clause])


def test_padding_atoms_change_nothing() -> None:
    literals, gates, values = random_scores(1)
    wider = torch.cat([literals, torch.zeros(2, 3, 3, 2)], 2)
    padded = torch.cat([values, torch.zeros(2, 5, 3, dtype=torch.int64)], 2)
    assert torch.equal(soft_truth(literals, gates, values), soft_truth(wider, gates, padded))


def test_gradients_are_finite_at_the_vertices() -> None:
    literals = torch.tensor([0.0, 1.0]).repeat(4).reshape(1, 2, 2, 2).requires_grad_()
    gates = torch.tensor([[1.0, 0.0]], requires_grad=True)
    soft_truth(literals, gates, torch.tensor([[[1, -1], [0, 1]]])).sum().backward()
    assert torch.isfinite(literals.grad).all()
    assert torch.isfinite(gates.grad).all()


def test_the_result_is_single_precision_even_under_autocast() -> None:
    literals, gates, values = random_scores(2)
    literals, gates = literals.float(), gates.float()
    plain = soft_clauses(literals, gates, values)
    with torch.autocast("cpu", torch.bfloat16):
        cast = soft_clauses(literals, gates, values)
    assert cast.dtype == torch.float32
    assert torch.equal(cast, plain)
    assert soft_clauses(literals.half(), gates.half(), values).dtype == torch.float32


def test_soft_or_is_the_complement_of_the_product_of_complements() -> None:
    clauses = torch.tensor([[[0.5, 0.0], [0.5, 0.0]]])
    assert soft_or(clauses).tolist() == [[pytest.approx(0.75), 0.0]]
