"""Attention over a set of literals with multiplicities, and the blocks built on it."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from gnri.model.layers import perceptron
from gnri.model.nri.config import ModelConfig


class SetAttention(nn.Module):
    """Attention of slots to literals, with the key and value maps folded onto the slots.

    <W_q s, W_k e> = <W_k' W_q s, e> and sum a W_v e = W_v sum a e, so nothing of size
    literals x width x width is computed. A key bias would cancel in the softmax: there is none.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width, bias=False)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)

    def forward(self, slots: Tensor, literals: Tensor, log_counts: Tensor) -> Tensor:
        """Return (batch, slots, width)."""
        batch, count, width = slots.shape
        head = width // self.heads
        query = self.query(slots).view(batch, count, self.heads, head) / math.sqrt(head)
        key = self.key.weight.view(self.heads, head, width)
        folded = torch.einsum("bthd,hde->bthe", query, key).reshape(batch, -1, width)
        logits = folded @ literals.mT + log_counts[:, None]
        # Shares below e^-60 change nothing, but subnormal numbers make the product slow.
        logits = logits - logits.detach().amax(-1, keepdim=True)
        shares = functional.threshold(logits, -60.0, -math.inf).softmax(-1)
        pooled = (shares @ literals).view(batch, count, self.heads, width)
        value = self.value.weight.view(self.heads, head, width)
        mixed = torch.einsum("bthe,hde->bthd", pooled, value).reshape(batch, count, width)
        return self.output(mixed + self.value.bias)


class SlotAttention(nn.Module):
    """Attention of the slots to each other."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.project = nn.Linear(config.width, 3 * config.width)
        self.output = nn.Linear(config.width, config.width)

    def forward(self, slots: Tensor) -> Tensor:
        """Return (batch, slots, width)."""
        batch, count, width = slots.shape
        parts = self.project(slots).view(batch, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        return self.output(mixed.transpose(1, 2).reshape(batch, count, width))


class DecoderLayer(nn.Module):
    """Self-attention, attention to the literals, feed-forward; each after a layer norm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(3))
        self.among = SlotAttention(config)
        self.across = SetAttention(config)
        self.feed = perceptron(config.width, 4 * config.width, config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, slots: Tensor, literals: Tensor, log_counts: Tensor) -> Tensor:
        """Return (batch, slots, width)."""
        slots = slots + self.dropout(self.among(self.norms[0](slots)))
        slots = slots + self.dropout(self.across(self.norms[1](slots), literals, log_counts))
        return slots + self.dropout(self.feed(self.norms[2](slots)))
