"""Train a network of the paper's family: the NRI's loss, and its label-symmetrised form."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gnri.model.nri.slot_decoder import SlotLogits
from studies.paper.baseline_networks import ConditionNetwork
from studies.training.batch import Batch
from studies.training.coin_tables import fresh_rows, sample
from studies.training.loop import autocast
from studies.training.loss_terms import (
    counterfactual_terms,
    cross_entropy,
    margin,
    matching_loss,
    query_loss,
    silence_loss,
)
from studies.training.recipe import Recipe, TrainConfig
from studies.training.soft_logic import FLOOR, log_clauses, soft_clauses, soft_or, soft_truth
from studies.training.streams import seeded, stable_seed, uniform

KEPT_CLAUSES = 2


@dataclass(frozen=True, eq=False)
class Soft:
    """A noisy soft rule for each rail, and its truth on the rows that it is held to."""

    literals: Tensor  # (batch, slots, atoms, 2)
    clauses: Tensor  # (batch, slots, rows)
    batch: Batch
    logs: Tensor | None = None  # of the clauses, where the rows are fresh ones


def loss(
    rails: SlotLogits,
    batch: Batch,
    config: TrainConfig,
    step: int,
    *,
    symmetrised: bool,
    generator: torch.Generator,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the training loss and, detached, its weighted terms.

    `symmetrised` puts R_avg(X, Y) = (R(X, Y) + 1 - R(X, -Y)) / 2 in place of R(X, Y) where the
    prediction meets the labels; then `rails` come from `batch.both_rails()`. It does so from
    step `symmetrised_from` on: before, each rail is held to its own labels, since two rails
    that are both empty average to 1/2 and would never leave it. The other terms speak about
    one rail's clauses throughout.
    """
    soft = soften(rails, batch.both_rails() if symmetrised else batch, config, generator)
    averaged = symmetrised and step >= config.symmetrised_from
    if soft.logs is None:
        prediction, labels = soft_or(soft.clauses), soft.batch.labels
        if averaged:
            prediction, labels = label_average(prediction), batch.labels
        terms = {
            "cross_entropy": cross_entropy(prediction, labels),
            "margin": margin(prediction, labels),
        }
    else:
        terms = {"query": query_loss(soft.logs, soft.batch.labels, config, averaged=averaged)}
    if config.max_margin:
        best = soft.clauses.amax(1)
        terms["max_margin"] = config.max_margin * margin(best, soft.batch.labels)
    terms |= _balance_terms(rails.gate_logits.float(), soft, config)
    if step >= config.counterfactual_from:
        terms |= counterfactual_terms(
            soft.literals, soft.clauses, soft.batch, config, generator=generator
        )
    total = torch.stack(list(terms.values())).sum()
    return total, {name: term.detach() for name, term in terms.items()}


def soften(
    rails: SlotLogits, batch: Batch, config: TrainConfig, generator: torch.Generator
) -> Soft:
    """Return probabilities under logistic noise, with some clauses dropped, run on the rows."""
    literals = torch.sigmoid(_noisy(rails.literal_logits.float(), config, generator))
    gates = torch.sigmoid(_noisy(rails.gate_logits.float(), config, generator))
    if config.clause_dropout:
        gates = gates * _kept(gates, config.clause_dropout, generator)
    if not config.query_rows:
        return Soft(literals, soft_clauses(literals, gates, batch.values), batch)
    logs = log_clauses(literals, gates, batch.values)
    return Soft(literals, torch.exp(logs), batch, logs)


def label_average(prediction: Tensor) -> Tensor:
    """Return R_avg from both rails' predictions, in the order of `Batch.both_rails`."""
    given, swapped = prediction.chunk(2)
    return (given + 1 - swapped) / 2


def _balance_terms(gate_logits: Tensor, soft: Soft, config: TrainConfig) -> dict[str, Tensor]:
    """Return terms against a few slots doing all the work, over the whole batch."""
    gates = torch.sigmoid(gate_logits)
    terms = {}
    if config.load_balance:
        terms["load_balance"] = config.load_balance * _load(gate_logits, soft)
    if config.gate_spread:
        shares = gates / (gates.sum(-1, keepdim=True) + FLOOR)
        terms["gate_spread"] = config.gate_spread * _spread(shares)
    if config.gate_spread_raw:
        terms["gate_spread_raw"] = config.gate_spread_raw * _spread(gates)
    return terms


def _load(gate_logits: Tensor, soft: Soft) -> Tensor:
    """Return slots * sum_t (mean routing to t) * (share of the rows' truth that comes from t)."""
    slots = gate_logits.shape[-1]
    labelled = (soft.batch.labels != 0)[:, None]
    truth = (soft.clauses.detach() * labelled).sum((0, 2))
    routing = torch.softmax(gate_logits, -1).mean(0)
    return slots * (routing * truth / (truth.sum() + FLOOR)).sum()


def _spread(gates: Tensor) -> Tensor:
    """Return slots * sum_t (u_t / mean(u) - 1)^2 for the mean use u_t of each slot."""
    use = gates.mean(0)
    return len(use) * (use / (use.mean() + FLOOR) - 1).square().sum()


def _noisy(logits: Tensor, config: TrainConfig, generator: torch.Generator) -> Tensor:
    """Return the logits plus logistic noise, scaled by the temperature."""
    if not config.noise_temperature:
        return logits
    noise = torch.logit(uniform(logits.shape, generator), eps=FLOOR)
    return logits + config.noise_temperature * noise


def _kept(gates: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """Return which clauses stay: each with chance 1 - rate, and always the luckiest two."""
    luck = uniform(gates.shape, generator)
    sure = luck.topk(min(KEPT_CLAUSES, gates.shape[-1])).values[..., -1:]
    return (luck >= rate) | (luck >= sure)


class NRITask:
    """A network of the paper's family in training."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        self.recipe, self.device = recipe, device
        self.network = build(recipe).to(device)
        unused = seeded(recipe.seed, "validation", device=device)  # a seed of no step
        episodes = recipe.train.validation_episodes
        self.validation = sample(recipe.prior, episodes, generator=unused).batch

    def loss(self, step: int) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the loss on fresh episodes."""
        config, symmetrised = self.recipe.train, self.recipe.switches.symmetrised_training
        seed = self.recipe.seed
        prior = self.recipe.prior.at_step(seed, step)
        size = max(1, min(config.batch_size, config.columns // prior.atoms[1]))
        drawn = sample(prior, size, generator=seeded(seed, step, device=self.device))
        noise = seeded(seed, "noise", step, device=self.device)
        torch.manual_seed(stable_seed(seed, "dropout", step))
        with autocast(config.precision, self.device):
            rails = self.network(drawn.batch.both_rails() if symmetrised else drawn.batch)
        held_to = drawn.batch
        if config.query_rows:
            held_to = Batch(*fresh_rows(drawn, config.query_rows, generator=noise))
        total, terms = loss(rails, held_to, config, step, symmetrised=symmetrised, generator=noise)
        more = {}
        if config.matching:
            given = rails.literal_logits[: len(drawn.batch)]
            more["matching"] = config.matching * matching_loss(given, drawn.clauses)
        if config.silence:
            more["silence"] = config.silence * silence_loss(
                rails, drawn.batch.labels, both=symmetrised
            )
        terms |= {name: term.detach() for name, term in more.items()}
        return total + sum(more.values()), terms

    def look(self) -> dict[str, float]:
        """Return the accuracy of the soft rules on the rows they were induced from."""
        averaged = self.recipe.switches.label_average
        found = support_accuracy(self.network, self.validation, averaged=averaged)
        return {"support_accuracy": found}


def build(recipe: Recipe) -> ConditionNetwork:
    """Return the untrained network; equal seeds give equal weights."""
    with torch.random.fork_rng([]):
        torch.manual_seed(stable_seed(recipe.seed, "weights"))
        return ConditionNetwork(recipe.model, recipe.switches)


@torch.no_grad()
def support_accuracy(network: nn.Module, batch: Batch, *, averaged: bool) -> float:
    """Return share of labelled rows that the soft rule, read at 1/2, gives their own label.

    With `averaged` the rule is the mean of both rails. The network is left in training mode.
    """
    network.eval()
    seen = batch.both_rails() if averaged else batch
    rails = network(seen)
    literals, gates = torch.sigmoid(rails.literal_logits), torch.sigmoid(rails.gate_logits)
    prediction = soft_truth(literals, gates, seen.values)
    network.train()
    prediction = label_average(prediction) if averaged else prediction
    right = (prediction >= 0.5) == (batch.labels > 0)
    return float(right[batch.labels != 0].double().mean())
