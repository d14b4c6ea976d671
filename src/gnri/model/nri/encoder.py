"""Statistics to literal embeddings, and the attention from literals to examples."""

import math
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from gnri.model.layers import perceptron
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.literal_features import FEATURES


class ExampleAttention(nn.Module):
    """Attention of literals to examples, whose keys depend on their label alone.

    With two keys the softmax over the rows is a sigmoid in the class sizes: the output is
    o_0 + sum_h alpha_h u_h, whatever the number of rows.
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

    def forward(self, literals: Tensor, sizes: Tensor) -> Tensor:
        """Return the literals plus o_0 + sum_h alpha_h u_h, the keys folded onto the queries."""
        keys = self.label_keys()
        head = keys.shape[-1] // self.heads
        values = self.value(keys).view(2, self.heads, head)
        gap = self.key(keys[0] - keys[1]).view(self.heads, head) / math.sqrt(head)
        weight = torch.einsum("hd,hde->he", gap, self.query.weight.view(self.heads, head, -1))
        offset = (gap * self.query.bias.view(self.heads, head)).sum(-1)
        logs = sizes.double().log()  # the odds are beyond any logit where a class is empty
        odds = (logs[:, 0] - logs[:, 1]).nan_to_num(nan=0.0, posinf=1e4, neginf=-1e4)
        odds = odds[:, None, None].to(self.query.weight)
        shares = torch.sigmoid(literals @ weight.T + (offset + odds))
        shares = functional.pad(shares, (0, 1), value=1.0)  # the base counts once
        base = self.output(values[1].flatten())
        apart = values[0] - values[1]
        contrast = torch.einsum("ehd,hd->he", self.output.weight.view(-1, *apart.shape), apart)
        maps = torch.cat([contrast, base[None]]).expand(len(literals), -1, -1)
        with torch.autocast(literals.device.type, enabled=False):
            return torch.baddbmm(literals, shares.to(literals), maps.to(literals))

    def label_keys(self) -> Tensor:
        """Return the keys of a positive and of a negative example, (2, width)."""
        return self.label(self.codes.to(self.query.weight.dtype))


class Encoder(nn.Module):
    """One embedding for each literal, from its own features and the class balance."""

    attention = ExampleAttention

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        relu = partial(nn.ReLU, inplace=True)
        self.embed = perceptron(FEATURES, config.width, config.width, relu)
        self.norm = nn.LayerNorm(config.width)
        self.examples = self.attention(config)

    def forward(self, features: Tensor, sizes: Tensor) -> Tensor:
        """Return embeddings of features (batch, literals, FEATURES), class sizes (batch, 2)."""
        return self.examples(self.norm(self.embed(features)), sizes)
