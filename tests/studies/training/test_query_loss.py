import math

import pytest
import torch
from torch import Tensor

from gnri.model.nri.slot_decoder import SlotLogits
from studies.training.coin_tables import PriorConfig
from studies.training.loss_terms import SURE, matching_loss, query_loss, silence_loss
from studies.training.recipe import TrainConfig
from studies.training.soft_logic import log_clauses, log_truths, soft_clauses, soft_or


def drawn(seed: int, atoms: int = 5) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Literals, gates, values and labels of two episodes on both rails."""
    generator = torch.Generator().manual_seed(seed)
    literals = torch.rand(4, 3, atoms, 2, generator=generator, dtype=torch.float64)
    gates = torch.rand(4, 3, generator=generator, dtype=torch.float64)
    values = 2 * torch.randint(2, (2, 7, atoms), generator=generator) - 1
    labels = 2 * torch.randint(2, (2, 7), generator=generator) - 1
    return literals, gates, torch.cat([values, values]), torch.cat([labels, -labels])


def chances(literals: Tensor, gates: Tensor, values: Tensor, labels: Tensor) -> Tensor:
    """The chance that each rail gives a row its own label."""
    truth = soft_or(soft_clauses(literals, gates, values))
    return torch.where(labels > 0, truth, 1 - truth)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("averaged", [False, True])
def test_the_cost_is_that_of_the_chances(seed: int, averaged: bool) -> None:
    *rails, labels = drawn(seed)
    right, logs = chances(*rails, labels), log_clauses(*rails)
    if averaged:
        right = (right[:2] + right[2:]) / 2
    for sharpness, cost in ((0.0, -right.log()), (1.0, 1 - right), (0.5, 2 - 2 * right.sqrt())):
        found = query_loss(logs, labels, TrainConfig(sharpness=sharpness), averaged=averaged)
        assert float(found) == pytest.approx(float(cost.mean()), rel=1e-5)


def test_many_atoms_leave_a_gradient() -> None:
    """All literals at one half: the product over 2,000 atoms is far below the least float."""
    logits = torch.zeros(1, 2, 2000, 2, requires_grad=True)
    values = torch.ones(1, 3, 2000)
    literals, gates = torch.sigmoid(logits), torch.full((1, 2), 0.5)
    assert float(soft_clauses(literals, gates, values).detach().max()) == 0
    true, false = log_truths(log_clauses(literals, gates, values))
    assert bool(((true < -1000) & torch.isfinite(true) & torch.isfinite(false)).all())
    true.sum().backward()
    assert logits.grad is not None
    assert bool((logits.grad[..., 1] < -0.1).all())


def test_slots_that_are_the_hidden_clauses_match_in_any_order() -> None:
    clauses = torch.zeros(1, 3, 4, 2, dtype=torch.bool)
    clauses[0, 0, [0, 2], [0, 1]] = clauses[0, 1, 3, 0] = True  # the third has no literal
    logits = torch.full((1, 4, 4, 2), -9.0)
    logits[0, [3, 1]] = torch.where(clauses[0, :2], 9.0, -9.0)
    assert float(matching_loss(logits, clauses)) < 0.01
    assert float(matching_loss(logits[:, [2, 0, 1, 3]], clauses)) < 0.01
    alone = logits[:, [3]].expand(-1, 4, -1, -1)  # a slot serves one clause
    assert float(matching_loss(alone, clauses)) > 9


def test_the_rail_of_the_rarer_label_is_asked_for_one_sure_clause() -> None:
    literals, gates = torch.full((2, 3, 4, 2), -5.0), torch.full((2, 3), -5.0)
    even, fewer_positive, fewer_negative = torch.tensor([[1, -1, 0], [1, -1, -1], [1, 1, -1]])
    rails = SlotLogits(literals, gates)
    assert float(silence_loss(rails, even[None], both=True)) == SURE + 5
    literals[1, 2, 0, 1] = gates[1, 2] = 2.0
    assert float(silence_loss(rails, even[None], both=True)) == 0
    assert float(silence_loss(rails, fewer_negative[None], both=True)) == 0
    assert float(silence_loss(rails, fewer_positive[None], both=True)) == SURE + 5
    assert float(silence_loss(rails, even[None], both=False)) == (SURE + 5) / 2


def test_each_step_has_one_width_of_its_own() -> None:
    prior = PriorConfig(atoms=(6, 512), one_width=True)
    widths = [prior.at_step(42, step).atoms for step in range(300)]
    assert widths == [prior.at_step(42, step).atoms for step in range(300)]
    assert all(low == high and 6 <= low <= 512 for low, high in widths)
    below = sum(low < math.sqrt(6 * 512) for low, _ in widths)
    assert 120 < below < 180
    assert PriorConfig().at_step(42, 0) == PriorConfig()
