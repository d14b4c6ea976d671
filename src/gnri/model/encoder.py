"""Statistics to literal embeddings, and the attention from literals to examples."""

import math
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from gnri.model.config import ModelConfig
from gnri.model.features import FEATURES
from gnri.model.layers import perceptron


class Examples(NamedTuple):
    """What the literals attend to. Only content keys read the rows themselves."""

    sizes: Tensor  # (batch, 2): rows of each class
    values: Tensor  # (batch, rows, atoms)
    labels: Tensor  # (batch, rows)


class Encoder(nn.Module):
    """One embedding for each literal, from its own features and the class balance."""

    def __init__(self, config: ModelConfig, content_keys: bool) -> None:
        super().__init__()
        self.embed = perceptron(
            FEATURES, config.width, config.width, partial(nn.ReLU, inplace=True)
        )
        self.norm = nn.LayerNorm(config.width)
        self.examples = ContentAttention(config) if content_keys else ExampleAttention(config)

    def forward(self, features: Tensor, examples: Examples) -> Tensor:
        """(batch, literals, FEATURES) to (batch, literals, width)."""
        return self.examples(self.norm(self.embed(features)), examples)


class ExampleAttention(nn.Module):
    """Literals plus their attention to examples that are keyed by their label alone.

    There are only two keys, so the softmax over the rows is a sigmoid in the class sizes:
    the output is o_0 + sum_h alpha_h u_h, whatever the number of rows.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        codes = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])  # y, 1 - y, 1
        self.register_buffer("codes", codes, persistent=False)
        self.label = perceptron(3, config.width, config.width, nn.ReLU)
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width, bias=False)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)

    def forward(self, literals: Tensor, examples: Examples) -> Tensor:
        keys = self.label_keys()
        head = literals.shape[-1] // self.heads
        values = self.value(keys).view(2, self.heads, head)
        contrast = self._heads_out(values[0] - values[1])  # (heads, width)
        gap = (self.key(keys[0] - keys[1])).view(self.heads, head)
        fold = torch.einsum("hd,hde->he", gap, self.query.weight.view(self.heads, head, -1))
        offset = (gap * self.query.bias.view(self.heads, head)).sum(-1)
        logits = (literals @ fold.T + offset) / math.sqrt(head) + _log_odds(examples.sizes).to(
            literals
        )
        base = self.output(values[1].reshape(1, -1))
        shares = functional.pad(torch.sigmoid(logits), (0, 1), value=1.0)  # o_0 counts once
        maps = torch.cat([contrast, base]).expand(len(literals), -1, -1)
        with torch.autocast(literals.device.type, enabled=False):
            return torch.baddbmm(literals, shares.to(literals), maps.to(literals))

    def label_keys(self) -> Tensor:
        """The keys of a positive and of a negative example, (2, width)."""
        return self.label(self.codes.to(self.query.weight.dtype))

    def _heads_out(self, values: Tensor) -> Tensor:
        """Each head's share of the output map, (heads, width)."""
        weight = self.output.weight.view(-1, *values.shape)
        return torch.einsum("ehd,hd->he", weight, values)


class ContentAttention(ExampleAttention):
    """The baseline's attention: each example is keyed by its label and by its own cells.

    The content map has a weight for each trained column; for the columns of a wider table it
    continues with weights drawn once from a fixed seed, so that the same table always gets the
    same keys. It reads atom positions: this is what component 2 of the paper removes.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        bound = 1 / math.sqrt(2 * config.content_atoms)
        weight = torch.empty(config.content_width, config.content_atoms, 2)
        self.columns = nn.Parameter(weight.uniform_(-bound, bound))
        self.shift = nn.Parameter(torch.zeros(config.content_width))
        self.content = nn.Linear(config.content_width, config.width)

    def forward(self, literals: Tensor, examples: Examples) -> Tensor:
        batch, count, width = literals.shape
        head = width // self.heads
        keys = self._content_keys(examples.values) + self.label_keys()[(examples.labels < 0).long()]
        query = self.query(literals).view(batch, count, self.heads, head).transpose(1, 2)
        key = self.key(keys).view(batch, -1, self.heads, head).transpose(1, 2)
        value = self.value(keys).view(batch, -1, self.heads, head).transpose(1, 2)
        hidden = (examples.labels == 0)[:, None, None]
        weights = (query @ key.mT / math.sqrt(head)).masked_fill(hidden, -math.inf)
        mixed = (weights.softmax(-1) @ value).transpose(1, 2).reshape(batch, count, width)
        return literals + self.output(mixed)

    def _content_keys(self, values: Tensor) -> Tensor:
        truths = torch.stack([values > 0, values < 0], -1).to(self.columns.dtype)
        columns = self._columns_for(values.shape[-1])
        hidden = torch.einsum("bmnp,knp->bmk", truths, columns) + self.shift
        return self.content(torch.relu(hidden))

    def _columns_for(self, atoms: int) -> Tensor:
        width, trained, _ = self.columns.shape
        if atoms <= trained:
            return self.columns[:, :atoms]
        generator = torch.Generator().manual_seed(0)
        extra = torch.rand(atoms - trained, width, 2, generator=generator).transpose(0, 1)
        bound = 1 / math.sqrt(2 * atoms)
        return torch.cat([self.columns, ((2 * extra - 1) * bound).to(self.columns)], 1)


def _log_odds(sizes: Tensor) -> Tensor:
    """log m_1 / m_0 for each episode, (batch, 1, 1); beyond any logit where a class is empty."""
    logs = sizes.double().log()
    odds = (logs[:, 0] - logs[:, 1]).nan_to_num(nan=0.0, posinf=1e4, neginf=-1e4)
    return odds[:, None, None]
