from dataclasses import replace
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from studies.training.batch import Batch
from studies.training.coin_tables import PriorConfig, sample
from studies.training.loss_terms import cross_entropy, margin
from studies.training.nri_training import Soft, _balance_terms, _kept, loss, soften
from studies.training.recipe import TrainConfig
from studies.training.soft_logic import soft_clauses, soft_or, soft_truth

STILL = TrainConfig(
    noise_temperature=0,
    clause_dropout=0,
    max_margin=0,
    load_balance=0,
    gate_spread=0,
    gate_spread_raw=0,
    counterfactual_from=10**9,
)
"""Nothing random and nothing but the data terms."""
PRIOR = PriorConfig(atoms=(3, 5), rows=(4, 7))


class Logits(NamedTuple):
    literal_logits: Tensor
    gate_logits: Tensor


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def task(size: int = 6, rails: int = 1) -> tuple[Logits, Batch]:
    batch = sample(PRIOR, size, generator=seeded(1)).batch
    generator = seeded(2)
    literals = torch.randn(rails * size, 3, 5, 2, generator=generator).requires_grad_()
    gates = torch.randn(rails * size, 3, generator=generator).requires_grad_()
    return Logits(literals, gates), batch


def value(rails: Logits, batch: Batch, config: TrainConfig, step: int = 0, **more: bool) -> float:
    symmetrised = more.get("symmetrised", False)
    return loss(rails, batch, config, step, symmetrised=symmetrised, generator=seeded())[0].item()


def rule_truth(rails: Logits, batch: Batch) -> Tensor:
    literals, gates = torch.sigmoid(rails.literal_logits), torch.sigmoid(rails.gate_logits)
    return soft_truth(literals, gates, batch.values)


def slow_data_loss(truth: Tensor, labels: Tensor) -> float:
    entropy, short, over = [], [], []
    for r, y in zip(truth.flatten().tolist(), labels.flatten().tolist(), strict=True):
        if y > 0:
            entropy.append(-torch.tensor(r + 1e-6).log().item())
            short.append(max(0.7 - r, 0))
        elif y < 0:
            entropy.append(-torch.tensor(1 - r + 1e-6).log().item())
            over.append(max(r - 0.3, 0))
    return sum(entropy) / len(entropy) + sum(short) / len(short) + sum(over) / len(over)


def test_the_data_terms_equal_a_loop_over_labelled_rows() -> None:
    rails, batch = task()
    assert (batch.labels == 0).any()
    assert value(rails, batch, STILL) == pytest.approx(
        slow_data_loss(rule_truth(rails, batch), batch.labels), rel=1e-5
    )


def test_symmetrised_the_labels_meet_the_average_of_both_rails() -> None:
    rails, batch = task(rails=2)
    truth = rule_truth(rails, batch.both_rails())
    average = (truth[:6] + 1 - truth[6:]) / 2
    config = replace(STILL, symmetrised_from=0)
    found = value(rails, batch, config, symmetrised=True)
    assert found == pytest.approx(slow_data_loss(average, batch.labels), rel=1e-5)


def test_before_that_each_rail_meets_its_own_labels() -> None:
    rails, batch = task(rails=2)
    both = batch.both_rails()
    found = value(rails, batch, replace(STILL, symmetrised_from=10**6), symmetrised=True)
    assert found == pytest.approx(slow_data_loss(rule_truth(rails, both), both.labels), rel=1e-5)


def test_symmetrised_the_loss_does_not_see_which_label_is_called_positive() -> None:
    """Swapping labels exchanges the rails; the data terms of R_avg must not move."""
    rails, batch = task(rails=2)
    exchanged = Logits(*(torch.cat([part[6:], part[:6]]) for part in rails))
    config = replace(STILL, symmetrised_from=0)
    given = value(rails, batch, config, symmetrised=True)
    assert given == pytest.approx(value(exchanged, batch.swapped(), config, symmetrised=True))
    one_rail = value(Logits(*(part[:6] for part in rails)), batch, STILL)
    assert given != pytest.approx(one_rail, rel=1e-3)


def test_unlabelled_rows_and_padding_play_no_part() -> None:
    rails, batch = task()
    values = torch.cat([batch.values, torch.ones(6, 3, 5, dtype=torch.int8)], 1)
    labels = torch.cat([batch.labels, torch.zeros(6, 3, dtype=torch.int8)], 1)
    config = replace(TrainConfig(), noise_temperature=0, clause_dropout=0, counterfactual_from=0)
    config = replace(config, spuriousness=0, necessity=0)  # these two draw at random
    longer = value(rails, Batch(values, labels), config)
    assert value(rails, batch, config) == pytest.approx(longer)


def test_max_margin_reads_the_best_clause() -> None:
    rails, batch = task()
    literals, gates = torch.sigmoid(rails.literal_logits), torch.sigmoid(rails.gate_logits)
    best = soft_clauses(literals, gates, batch.values).amax(1)
    added = value(rails, batch, replace(STILL, max_margin=2.0)) - value(rails, batch, STILL)
    assert added == pytest.approx(2 * margin(best, batch.labels).item(), rel=1e-4)


def balance(gate_logits: Tensor, clauses: Tensor) -> dict[str, float]:
    batch = Batch(torch.ones(2, 3, 1, dtype=torch.int8), torch.tensor([[1, -1, 0], [1, 1, -1]]))
    soft = Soft(torch.zeros(2, 4, 1, 2), clauses, batch)
    return {k: v.item() for k, v in _balance_terms(gate_logits, soft, TrainConfig()).items()}


def test_balance_is_least_when_all_slots_work() -> None:
    even = balance(torch.zeros(2, 4), torch.full((2, 4, 3), 0.5))
    assert even == pytest.approx(
        {"load_balance": 0.1, "gate_spread": 0, "gate_spread_raw": 0}, abs=1e-6
    )
    lazy = torch.tensor([[4.0, -4, -4, -4]] * 2)
    one = torch.zeros(2, 4, 3)
    one[:, 0] = 0.9
    found = balance(lazy, one)
    assert all(found[name] > even[name] + 0.1 for name in even)
    # slots * sum (u / mean - 1)^2 for u = (s, t, t, t)
    high, low = torch.sigmoid(torch.tensor([4.0, -4.0])).tolist()
    mean = (high + 3 * low) / 4
    spread = 4 * ((high / mean - 1) ** 2 + 3 * (low / mean - 1) ** 2)
    assert found["gate_spread_raw"] == pytest.approx(0.05 * spread, rel=1e-4)
    assert found["gate_spread"] == pytest.approx(0.1 * spread, rel=1e-4)


def test_an_empty_rule_still_has_a_gradient() -> None:
    gates = torch.full((1, 2), -30.0, requires_grad=True)
    rails = Logits(torch.full((1, 2, 1, 2), -30.0, requires_grad=True), gates)
    batch = Batch(torch.tensor([[[1], [-1]]]), torch.tensor([[1, 1]]))
    total, _ = loss(rails, batch, STILL, 0, symmetrised=False, generator=seeded())
    total.backward()
    assert torch.isfinite(total)
    assert torch.isfinite(gates.grad).all()
    truth = torch.zeros(1, 2, requires_grad=True)
    cross_entropy(truth, batch.labels).backward()
    assert (truth.grad < 0).all()


def test_dropout_keeps_at_least_two_clauses_and_drops_at_its_rate() -> None:
    kept = _kept(torch.ones(20000, 8), 0.25, seeded())
    assert kept.double().mean() == pytest.approx(0.75, abs=0.01)
    nearly_all = _kept(torch.ones(2000, 8), 0.999, seeded())
    assert nearly_all.sum(1).min() == 2
    assert _kept(torch.ones(5, 1), 0.999, seeded()).all()


def test_noise_is_logistic_and_scaled_by_its_temperature() -> None:
    rails = Logits(torch.zeros(400, 8, 5, 2), torch.zeros(400, 8))
    batch = Batch(torch.ones(400, 1, 5, dtype=torch.int8), torch.ones(400, 1, dtype=torch.int8))
    for temperature in (1.0, 0.5):
        config = TrainConfig(noise_temperature=temperature)
        noise = torch.logit(soften(rails, batch, config, seeded()).literals.double())
        assert noise.std() == pytest.approx(temperature * torch.pi / 3**0.5, rel=0.03)


def test_every_term_is_reported_and_the_total_is_their_sum() -> None:
    rails, batch = task()
    total, terms = loss(rails, batch, TrainConfig(), 250, symmetrised=False, generator=seeded())
    assert set(terms) == {
        *("cross_entropy", "margin", "max_margin"),
        *("load_balance", "gate_spread", "gate_spread_raw"),
        *("necessity", "spuriousness", "overlap", "responsibility_entropy"),
    }
    assert total.item() == pytest.approx(sum(term.item() for term in terms.values()))
    assert not any(term.requires_grad for term in terms.values())
    early = loss(rails, batch, TrainConfig(), 249, symmetrised=False, generator=seeded())[1]
    assert "necessity" not in early


def test_the_same_generator_gives_the_same_loss() -> None:
    rails, batch = task()
    assert value(rails, batch, TrainConfig(), 300) == value(rails, batch, TrainConfig(), 300)


def test_soft_or_of_both_rails_is_in_range() -> None:
    rails, batch = task(rails=2)
    soft = soften(rails, batch.both_rails(), TrainConfig(), seeded())
    assert 0 <= soft_or(soft.clauses).min() <= soft_or(soft.clauses).max() <= 1
