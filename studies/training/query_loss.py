"""What a network of many atoms is held to: fresh rows of the hidden rule, and its clauses.

Truth stays in logarithms, since a product over hundreds of atoms underflows.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from gnri.model.nri.slot_decoder import SlotLogits
from studies.training.recipe import TrainConfig
from studies.training.soft_logic import log_truths

SURE = 1.0  # the logit from which a clause is not asked to become surer
LOWEST = -12.0  # logits below it are as good as never, and have no gradient


def query_loss(clauses: Tensor, labels: Tensor, config: TrainConfig, *, averaged: bool) -> Tensor:
    """Return how wrong the soft rules are on rows that all have a label.

    `clauses` are logarithms (rails, slots, rows). A row given the right label with chance p costs
    (1 - p^s) / s for the sharpness s: -log p at 0, the chance of an error at 1. With `averaged`
    p is the mean of the rails of `Batch.both_rails`.
    """
    true, false = log_truths(clauses)
    right = torch.where(labels > 0, true, false)
    if averaged:
        right = torch.logaddexp(*right.chunk(2)) - math.log(2)
    costs = (
        -torch.expm1(config.sharpness * right) / config.sharpness if config.sharpness else -right
    )
    return costs.mean()


def silence_loss(rails: SlotLogits, labels: Tensor, *, both: bool) -> Tensor:
    """Return how far the surest clause of an episode is from being exported, in logits.

    With `both` the rails are those of `Batch.both_rails`, and the one of the rarer label is asked,
    or any one where there is none.
    """
    literals = rails.literal_logits.flatten(2).amax(-1)
    surest = torch.minimum(rails.gate_logits, literals).amax(1).float()
    if both:
        given, swapped = surest.chunk(2)
        balance = labels.sum(1, dtype=torch.int64)
        rarer = torch.where(balance < 0, given, swapped)
        surest = torch.where(balance == 0, torch.maximum(given, swapped), rarer)
    return torch.relu(SURE - surest).mean()


def matching_loss(literal_logits: Tensor, clauses: Tensor) -> Tensor:
    """Return the mean cross entropy of the hidden clauses, each against a slot of its own.

    `literal_logits` are (batch, slots, atoms, 2), hidden clauses bool (batch, clauses, atoms, 2).
    One clause after another takes the slot that is nearest among those left.
    """
    logits = literal_logits.float().clamp(min=LOWEST).flatten(2)
    wanted = clauses.flatten(2).float()
    costs = -wanted @ logits.mT - logsigmoid(-logits).sum(-1)[:, None]
    taken, total = torch.zeros_like(costs[:, 0]), costs.new_zeros(())
    real = clauses.flatten(2).any(-1)
    for place in range(wanted.shape[1]):
        cost, slot = (costs[:, place] + taken).min(1)
        total = total + (cost * real[:, place]).sum()
        taken = taken.scatter(1, slot[:, None], torch.where(real[:, place], math.inf, 0)[:, None])
    return total / real.sum()
