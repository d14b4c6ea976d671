import pytest
import torch
from torch import Tensor

from studies.training.batch import Batch
from studies.training.loss_terms import (
    _chosen,
    _overlap,
    counterfactual_terms,
    flipped_clauses,
    necessity,
    responsibility,
    spuriousness,
)
from studies.training.recipe import TrainConfig
from studies.training.soft_logic import soft_clauses

CLOSED = 1e-9


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random_rule() -> tuple[Tensor, Tensor, Tensor]:
    generator = seeded()
    literals = torch.rand(4, 3, 5, 2, generator=generator, dtype=torch.float64)
    gates = torch.rand(4, 3, generator=generator, dtype=torch.float64)
    return literals, gates, torch.randint(-1, 2, (4, 6, 5), generator=generator)


def test_the_factor_ratio_equals_running_the_flipped_rows() -> None:
    literals, gates, values = random_rule()
    atoms = torch.tensor([[0, 4], [1, 1], [2, 0], [3, 2]])
    fast = flipped_clauses(literals, soft_clauses(literals, gates, values), values, atoms)
    for index in range(2):
        flipped = values.clone()
        for episode, atom in enumerate(atoms[:, index].tolist()):
            flipped[episode, :, atom] *= -1
        slow = soft_clauses(literals, gates, flipped)
        assert torch.allclose(fast[:, :, index], slow, atol=1e-12)


def test_no_flip_changes_nothing() -> None:
    """A missing cell cannot be flipped, so the prediction must stay exactly as it was."""
    literals, gates, values = random_rule()
    values = torch.zeros_like(values)
    clauses = soft_clauses(literals, gates, values)
    flips = (torch.tensor([[0, 1]] * 4), torch.ones(4, 2, dtype=torch.bool))
    covered = torch.ones(4, 6, dtype=torch.bool)
    assert spuriousness(literals, clauses, values, flips, covered) == 0


def test_responsibility_equals_its_formula() -> None:
    clauses = torch.rand(2, 3, 4, generator=seeded())
    alone = torch.stack(
        [
            clauses[:, t] * torch.stack([1 - clauses[:, k] for k in range(3) if k != t]).prod(0)
            for t in range(3)
        ],
        1,
    )
    assert torch.allclose(responsibility(clauses), alone / alone.sum(1, keepdim=True), atol=1e-4)


def hard_task() -> tuple[Tensor, Tensor, Tensor]:
    """The rule x0 & x1 (slot 0) or x2 (slot 1), and one row where only the first clause holds."""
    literals = torch.full((1, 2, 4, 2), CLOSED)
    literals[0, 0, 0, 0] = literals[0, 0, 1, 0] = literals[0, 1, 2, 0] = 1 - 1e-5
    values = torch.tensor([[[1, 1, -1, 1]]])
    return literals, soft_clauses(literals, torch.ones(1, 2), values), values


def flip(*literals: int) -> tuple[Tensor, Tensor]:
    return torch.tensor([literals]), torch.ones(1, len(literals), dtype=torch.bool)


def test_a_literal_that_carries_its_clause_is_necessary() -> None:
    literals, clauses, values = hard_task()
    share, row = responsibility(clauses), torch.ones(1, 1, dtype=torch.bool)
    assert necessity(literals, clauses, share, values, flip(0), row) < 1e-3
    idle = literals.clone()
    idle[0, 0, 3, 0] = 0.5  # half in the clause, and flipping it leaves half the truth
    clauses = soft_clauses(idle, torch.ones(1, 2), values)
    share = responsibility(clauses)
    assert necessity(idle, clauses, share, values, flip(6), row) == pytest.approx(0.25, abs=1e-3)


def test_an_atom_outside_the_rule_is_not_spurious_and_one_inside_is() -> None:
    literals, clauses, values = hard_task()
    row = torch.ones(1, 1, dtype=torch.bool)
    assert spuriousness(literals, clauses, values, flip(7), row) < 1e-4
    assert spuriousness(literals, clauses, values, flip(0), row) > 0.99


def test_choices_have_weight_and_do_not_repeat() -> None:
    weights = torch.tensor([[0.0, 1.0, 0.0, 2.0, 0.0, 0.0]] * 50)
    index, chosen = _chosen(weights, seeded())
    assert chosen.sum(1).tolist() == [2] * 50
    for row, real in zip(index, chosen, strict=True):
        assert set(row[real].tolist()) == {1, 3}
    first = _chosen(torch.tensor([[1.0, 3.0]]).expand(20000, 2), seeded())[0][:, 0]
    assert first.double().mean() == pytest.approx(0.75, abs=0.01)


def test_overlap_is_the_mean_product_over_pairs() -> None:
    clauses = torch.rand(2, 3, 4, generator=seeded())
    pairs = [clauses[:, a] * clauses[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]
    assert torch.allclose(_overlap(clauses), torch.stack(pairs).mean(0), atol=1e-6)
    assert _overlap(clauses[:, :1]).abs().max() < 1e-6


def test_only_covered_positive_rows_count() -> None:
    literals, clauses, values = hard_task()
    for labels in ([[-1]], [[0]]):
        batch = Batch(values, torch.tensor(labels))
        terms = counterfactual_terms(literals, clauses, batch, TrainConfig(), generator=seeded())
        assert all(term == 0 for term in terms.values())
    batch = Batch(values, torch.tensor([[1]]))
    terms = counterfactual_terms(literals, clauses / 9, batch, TrainConfig(), generator=seeded())
    assert all(term == 0 for term in terms.values())


def test_a_term_of_weight_zero_is_left_out() -> None:
    literals, gates, values = random_rule()
    batch = Batch(values, torch.ones(4, 6, dtype=torch.int8))
    config = TrainConfig(necessity=0, spuriousness=0, responsibility_entropy=0)
    clauses = soft_clauses(literals, gates, values)
    terms = counterfactual_terms(literals, clauses, batch, config, generator=seeded())
    assert set(terms) == {"overlap"}


def test_gradients_are_finite_and_reach_the_literals() -> None:
    literals = torch.full((1, 2, 4, 2), 0.1)
    literals[0, 0, :2, 0] = literals[0, 1, 2, 0] = 0.9
    literals.requires_grad_()
    values = torch.tensor([[[1, 1, -1, 1], [1, 0, 1, -1]]])
    clauses = soft_clauses(literals, torch.full((1, 2), 0.95), values)
    batch = Batch(values, torch.ones(1, 2, dtype=torch.int8))
    terms = counterfactual_terms(literals, clauses, batch, TrainConfig(), generator=seeded())
    for name, term in terms.items():
        (gradient,) = torch.autograd.grad(term, literals, retain_graph=True)
        assert torch.isfinite(gradient).all(), name
        assert gradient.abs().sum() > 0, name
