"""From literal embeddings to clause slots: logits of each literal, and a gate."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from gnri.model.layers import at_least_single, perceptron
from gnri.model.nri.attention import DecoderLayer
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.pair_memory import PairMemory

ABSENT = -1e4
"""The logit of a literal that cannot be chosen; its probability is 0 in every precision."""


class SlotLogits(NamedTuple):
    """The output of the network on one rail, before the sigmoid."""

    literal_logits: Tensor  # (batch, slots, atoms, 2)
    gate_logits: Tensor  # (batch, slots)


class Decoder(nn.Module):
    """Slots start from learned queries, the mean literal and the pair memory, and are refined."""

    memory = PairMemory

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.queries = nn.Parameter(_normal(config.slots, width, spread=0.02))
        self.context = nn.Linear(width, width)
        self.pairs = self.memory(config)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.scale = nn.Parameter(_normal(config.slots, width, mean=1.0, spread=0.5))
        self.shift = nn.Parameter(torch.empty(config.slots, width))
        if not self.shift.is_meta:
            nn.init.orthogonal_(self.shift)
        self.slot_side = nn.Linear(width, width, bias=False)
        self.literal_side = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros(()))
        self.gate = perceptron(3 * width + 1, width, 1)

    def forward(self, literals: Tensor, counts: Tensor, even: Tensor) -> SlotLogits:
        """Return the logits of slots and gates from both literals of each entry.

        An entry stands for `counts` (batch, atoms) atoms. The two literals of an `even` atom have
        equal statistics.
        """
        weights = counts.repeat_interleave(2, 1)
        shares = weights / weights.sum(1, keepdim=True).clamp(min=1)
        mean = (shares[:, None].to(literals) @ literals)[:, 0]
        slots = self.queries + self.context(mean)[:, None]
        slots = slots + self.pairs(slots, literals, counts)
        log_counts = weights.log().to(literals)  # minus infinity where an entry is padding
        for layer in self.layers:
            slots = layer(slots, literals, log_counts)
        slots = self.norm(slots)
        logits = self._literal_logits(slots, literals, counts, even)
        return SlotLogits(logits, self._gates(slots, literals, mean, logits.flatten(2), weights))

    def _literal_logits(
        self, slots: Tensor, literals: Tensor, counts: Tensor, even: Tensor
    ) -> Tensor:
        """<W_s s, W_h (scale * e + shift) + b> / sqrt(width), with the map folded onto slots."""
        side = self.slot_side(slots)
        folded = side @ self.literal_side.weight
        offset = (folded * self.shift).sum(-1) + side @ self.literal_side.bias
        products = (folded * self.scale) @ literals.mT + offset[..., None]
        logits = at_least_single(products) / math.sqrt(slots.shape[-1]) + self.bias
        pairs = logits.unflatten(-1, (-1, 2))
        # Equal in exact arithmetic; rounding must not choose between them.
        pairs = torch.where(even[:, None, :, None], pairs.amax(-1, keepdim=True), pairs)
        pairs = pairs.masked_fill(counts[:, None, :, None] <= 0, ABSENT)
        return self.exclude(pairs)

    def exclude(self, logits: Tensor) -> Tensor:
        """Remove the lower of x and its negation; on a tie both stay."""
        return logits.masked_fill(logits < logits.flip(-1), ABSENT)

    def _gates(
        self, slots: Tensor, literals: Tensor, mean: Tensor, logits: Tensor, weights: Tensor
    ) -> Tensor:
        """Return gates that read the mean literal, the slot's literals, state and presence."""
        shares = torch.sigmoid(logits) * weights[:, None]
        own = shares / shares.sum(-1, keepdim=True).clamp(min=1e-6)
        summary = self.scale * (own.to(literals) @ literals) + self.shift
        absent = (-functional.softplus(logits) * weights[:, None]).sum(-1, keepdim=True)
        presence = (-torch.expm1(absent)).to(literals)
        inputs = [mean[:, None].expand_as(slots), summary, slots, presence]
        return at_least_single(self.gate(torch.cat(inputs, -1)))[..., 0]


def _normal(*shape: int, spread: float, mean: float = 0.0) -> Tensor:
    """Return normal numbers; empty on the meta device, where computing loads a compiler."""
    empty = torch.empty(shape)
    return empty if empty.is_meta else empty.normal_(mean, spread)
