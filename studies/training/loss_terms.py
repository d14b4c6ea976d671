"""Terms of the loss of the paper's family: rows and fresh rows, hidden clauses, flipped atoms."""

import math

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from gnri.model.nri.slot_decoder import SlotLogits
from studies.training.batch import Batch
from studies.training.recipe import TrainConfig
from studies.training.soft_logic import FLOOR, log_complement, log_truths, soft_or
from studies.training.streams import uniform

MARGINS = (0.7, 0.3)  # truth asked for on positive rows, and allowed on negative rows
SURE = 1.0  # the logit from which a clause is not asked to become surer
LOWEST = -12.0  # logits below it are as good as never, and have no gradient
SELECTED = 0.3  # the mean probability over the slots from which a literal counts as selected
FLIPS = 4
COVERED = 0.5
SMOOTHNESS = 0.1


def cross_entropy(prediction: Tensor, labels: Tensor) -> Tensor:
    """Return the mean over labelled rows; the floor is added, so an empty rule learns."""
    said = torch.where(labels > 0, prediction, 1 - prediction)
    return masked_mean(-torch.log(said + FLOOR), labels != 0)


def margin(truth: Tensor, labels: Tensor) -> Tensor:
    """Return how far positive rows fall short of .7 and negative rows rise above .3."""
    high, low = MARGINS
    short = masked_mean(torch.relu(high - truth), labels > 0)
    return short + masked_mean(torch.relu(truth - low), labels < 0)


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over the True places of `mask`, 0 where there are none."""
    return (values * mask).sum() / mask.sum().clamp(min=1)


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


def counterfactual_terms(
    literals: Tensor,
    clauses: Tensor,
    batch: Batch,
    config: TrainConfig,
    *,
    generator: torch.Generator,
) -> dict[str, Tensor]:
    """Return weighted terms, over the positive rows that the soft rule covers.

    `literals` are probabilities (batch, slots, atoms, 2), `clauses` the soft truth
    (batch, slots, rows). A term of weight 0 is left out and costs nothing.
    """
    smooth_maximum = SMOOTHNESS * torch.logsumexp(clauses.detach() / SMOOTHNESS, 1)
    covered = (batch.labels > 0) & (smooth_maximum > COVERED)
    share = responsibility(clauses)
    found = literals.detach().mean(1).flatten(1)  # (batch, literals)
    terms = {}
    if config.necessity:
        flips = _chosen(found.where(found >= SELECTED, 0), generator)
        terms["necessity"] = necessity(literals, clauses, share, batch.values, flips, covered)
    if config.spuriousness:
        usable = (batch.values != 0).any(1).repeat_interleave(2, 1)
        flips = _chosen((1 - found) * (usable & (found < SELECTED)), generator)
        terms["spuriousness"] = spuriousness(literals, clauses, batch.values, flips, covered)
    if config.overlap:
        terms["overlap"] = masked_mean(_overlap(clauses), covered)
    if config.responsibility_entropy:
        negative_entropy = (share * torch.log(share + FLOOR)).sum(1)
        terms["responsibility_entropy"] = masked_mean(negative_entropy, covered)
    return {name: getattr(config, name) * term for name, term in terms.items()}


Flips = tuple[Tensor, Tensor]
"""Indices of literals (2 * atom + polarity) and whether each was really chosen, (batch, flips)."""


def necessity(
    literals: Tensor, clauses: Tensor, share: Tensor, values: Tensor, flips: Flips, covered: Tensor
) -> Tensor:
    """Return truth left in the responsible clauses when a literal they hold is flipped."""
    index, chosen = flips
    flipped = flipped_clauses(literals, clauses, values, index // 2)
    held = _pick(literals.detach().flatten(2), index)[..., None]  # (batch, slots, flips, 1)
    left = (share[:, :, None] * held * flipped).sum(1)
    return masked_mean(left, covered[:, None] & chosen[..., None])


def spuriousness(
    literals: Tensor, clauses: Tensor, values: Tensor, flips: Flips, covered: Tensor
) -> Tensor:
    """Return |R' - R| when a literal outside the rule is flipped."""
    index, chosen = flips
    flipped = flipped_clauses(literals, clauses, values, index // 2)
    change = (soft_or(flipped) - soft_or(clauses)[:, None]).abs()
    return masked_mean(change, covered[:, None] & chosen[..., None])


def flipped_clauses(literals: Tensor, clauses: Tensor, values: Tensor, atoms: Tensor) -> Tensor:
    """Return truth of each clause with one atom negated, (batch, slots, flips, rows).

    A true cell gives its clause the factor 1 - p-, a false one 1 - p+, so the flip multiplies
    by their ratio, exp(value * (log(1 - p+) - log(1 - p-))); a missing cell (0) stays missing.
    """
    absent = log_complement(literals)
    step = _pick(absent[..., 0] - absent[..., 1], atoms)[..., None]
    cells = values.transpose(1, 2).to(step.dtype)  # (batch, atoms, rows)
    cells = cells.gather(1, atoms[..., None].expand(-1, -1, cells.shape[2]))
    return (clauses[:, :, None] * torch.exp(cells[:, None] * step)).clamp(max=1)


def responsibility(clauses: Tensor) -> Tensor:
    """Return C_t * prod_{k != t} (1 - C_k), as shares that sum to one over the slots."""
    absent = log_complement(clauses)
    alone = clauses * torch.exp(absent.sum(1, keepdim=True) - absent)
    return alone / (alone.sum(1, keepdim=True) + FLOOR)


def _chosen(weights: Tensor, generator: torch.Generator) -> Flips:
    """Draw up to `FLIPS` different literals by weight (Gumbel top-k); weight 0 never."""
    luck = uniform(weights.shape, generator).clamp(FLOOR, 1 - FLOOR)
    keys = torch.log(weights) - torch.log(-torch.log(luck))
    best = keys.topk(min(FLIPS, keys.shape[1]))
    return best.indices, best.values > -torch.inf


def _overlap(clauses: Tensor) -> Tensor:
    """Return mean of C_t * C_k over the pairs of slots, on each row."""
    slots = clauses.shape[1]
    pairs = clauses.sum(1).square() - clauses.square().sum(1)
    return pairs / max(slots * (slots - 1), 1)


def _pick(table: Tensor, index: Tensor) -> Tensor:
    """Return table[b, t, index[b, k]], as (batch, slots, flips)."""
    return table.gather(2, index[:, None].expand(-1, table.shape[1], -1))
