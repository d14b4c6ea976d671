"""What is measured on pools: which are taken, and how a choice among them does."""

from math import exp

import numpy as np
import pytest
import torch

from gnri.errors import RecipeError
from studies.training.critic_training import expected_accuracy, figures, split
from tests.studies.training.critic.cases import some_pools


def test_take_gives_the_pools_of_the_tasks_in_any_order() -> None:
    pools = some_pools((3, 1, 0, 2))
    taken = pools.take(torch.tensor([3, 0, 3, 2]))
    assert taken.sizes.tolist() == [2, 3, 2, 0]
    places = [4, 5, 0, 1, 2, 4, 5]
    for part, whole in zip(taken[:-1], pools[:-1], strict=True):
        assert torch.equal(part, whole[places])


def test_the_last_tasks_are_held_out_and_empty_ones_left_out() -> None:
    pools = some_pools((3, 0, 1, 4, 0, 2))
    fitted, held_out = split(pools, 0.25)
    assert (fitted.sizes.tolist(), held_out.sizes.tolist()) == ([3, 1, 4], [2])
    assert torch.equal(torch.cat([fitted.facts, held_out.facts]), pools.facts)
    with pytest.raises(RecipeError, match=r"1 tasks have rules.*raise prior\.tasks"):
        split(some_pools((3,)), 0.25)


def test_expected_accuracy_is_that_of_a_rule_drawn_by_softmax() -> None:
    pools = some_pools()
    logits = torch.randn(10, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    wanted, start = [], 0
    for size in pools.sizes.tolist():
        part = range(start, start + size)
        weights = [exp(logits[i].item()) for i in part]
        right = [weight * pools.accuracy[i].item() for weight, i in zip(weights, part, strict=True)]
        wanted.append(sum(right) / sum(weights))
        start += size
    assert expected_accuracy(logits, pools).item() == pytest.approx(np.mean(wanted))


@pytest.mark.parametrize("seed", range(5))
def test_figures_agree_with_a_slow_choice(seed: int) -> None:
    pools = some_pools((3, 1, 4, 6), seed=seed)
    worths = torch.randn(14, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    chosen, shortest, best, start = [], [], [], 0
    for size in pools.sizes.tolist():
        part = range(start, start + size)
        chosen.append(max((i for i in part if pools.short[i]), key=lambda i: worths[i]))
        shortest.append(min((i for i in part if pools.written[i]), key=lambda i: pools.length[i]))
        best.append(max(part, key=lambda i: pools.accuracy[i]))
        start += size
    wanted = (pools.accuracy[places].mean().item() for places in (chosen, shortest, best))
    names = ("chosen", "shortest", "best")
    assert figures(worths, pools) == pytest.approx(dict(zip(names, wanted, strict=True)))


def test_a_tie_is_worth_the_mean_of_both() -> None:
    pools = some_pools((2,))._replace(accuracy=torch.tensor([0.2, 0.6], dtype=torch.float64))
    pools = pools._replace(short=torch.tensor([True, True]))
    assert figures(torch.zeros(2), pools)["chosen"] == pytest.approx(0.4)
