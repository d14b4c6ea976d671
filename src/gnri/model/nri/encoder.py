"""Statistics to literal embeddings, and the attention from literals to examples."""

import math
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from gnri.model.nri.attention import Literals, perceptron
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.literal_features import FEATURES
from gnri.model.threads import straight

BLOCK = 256  # literals embedded at once: what lies between input and code stays in the cache


class Reading(NamedTuple):
    """How a literal reads the examples: contrast' sigmoid(weight e + offset) + base."""

    weight: Tensor  # (heads, width)
    offset: Tensor  # (batch, 1, heads)
    contrast: Tensor  # (heads, width)
    base: Tensor  # (width,)


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

    def forward(self, literals: Tensor, sizes: Tensor) -> Tensor:
        read = self.reading(sizes)
        shares = torch.sigmoid(literals @ read.weight.T + read.offset)
        shares = functional.pad(shares, (0, 1), value=1.0)  # the base counts once
        maps = torch.cat([read.contrast, read.base[None]]).expand(len(literals), -1, -1)
        with torch.autocast(literals.device.type, enabled=False):
            return torch.baddbmm(literals, shares.to(literals), maps.to(literals))

    def reading(self, sizes: Tensor) -> Reading:
        """Return the two keys, folded onto the queries and through the output map."""
        keys = self.label_keys()
        head = keys.shape[-1] // self.heads
        values = self.value(keys).view(2, self.heads, head)
        gap = self.key(keys[0] - keys[1]).view(self.heads, head) / math.sqrt(head)
        weight = torch.einsum("hd,hde->he", gap, self.query.weight.view(self.heads, head, -1))
        offset = (gap * self.query.bias.view(self.heads, head)).sum(-1)
        odds = _log_odds(sizes).to(self.query.weight)
        base = self.output(values[1].flatten())
        return Reading(weight, offset + odds, self._heads_out(values[0] - values[1]), base)

    def label_keys(self) -> Tensor:
        """Return the keys of a positive and of a negative example, (2, width)."""
        return self.label(self.codes.to(self.query.weight.dtype))

    def _heads_out(self, values: Tensor) -> Tensor:
        """Return each head's share of the output map, (heads, width)."""
        weight = self.output.weight.view(-1, *values.shape)
        return torch.einsum("ehd,hd->he", weight, values)


def _log_odds(sizes: Tensor) -> Tensor:
    """Return log m_1 / m_0, (batch, 1, 1); beyond any logit where a class is empty."""
    logs = sizes.double().log()
    odds = (logs[:, 0] - logs[:, 1]).nan_to_num(nan=0.0, posinf=1e4, neginf=-1e4)
    return odds[:, None, None]


class Encoder(nn.Module):
    """One embedding for each literal, from its own features and the class balance."""

    attention = ExampleAttention

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embed = perceptron(
            FEATURES, config.width, config.width, partial(nn.ReLU, inplace=True)
        )
        self.norm = nn.LayerNorm(config.width)
        self.examples = self.attention(config)

    def forward(self, features: Tensor, sizes: Tensor) -> Literals:
        """Return the embeddings of literals with features (batch, literals, FEATURES).

        `sizes` (batch, 2) are the rows of each class.
        """
        if self.training or straight(features.device, *features.shape[:2]):
            return Literals(self.examples(self.norm(self.embed(features)), sizes))
        return self._factored(features, sizes)

    def _factored(self, features: Tensor, sizes: Tensor) -> Literals:
        """Return the same embeddings, as narrow codes times a basis.

        Before its norm an embedding is linear in the features and in the hidden units that bend
        (see `_bending`). The norm takes off the mean over the width, which the basis can do, and
        multiplies by one number for each literal; the examples add a share of each head.
        """
        inputs = functional.pad(features, (0, 1), value=1.0)  # a bias is the weight of this 1
        hidden, outputs = _bending(self.embed, inputs)
        basis = outputs - outputs.mean(1, keepdim=True)
        scaled = basis * self.norm.weight
        read = self.examples.reading(sizes)
        weight, offset = scaled @ read.weight.mT, read.offset + self.norm.bias @ read.weight.mT
        raw = torch.cat([torch.relu(inputs @ hidden), inputs], -1)
        norms = torch.cat(
            [
                torch.linalg.vector_norm(part @ basis, dim=1)
                for part in raw.flatten(0, 1).split(BLOCK)
            ]
        )
        variance = (norms.square() / basis.shape[1] + self.norm.eps).view(*raw.shape[:2], 1)
        own = raw * torch.rsqrt(variance)
        codes = torch.cat([own, torch.sigmoid(own @ weight + offset), inputs[..., -1:]], -1)
        last = (self.norm.bias + read.base)[None]
        return Literals(codes, torch.cat([scaled, read.contrast, last]))


def _bending(embed: nn.Sequential, inputs: Tensor) -> tuple[Tensor, Tensor]:
    """Return the hidden units that are on for some literals only, and the output from them.

    A unit that is on for every literal is linear in its inputs, and one that is never on adds
    nothing: on most tables that is more than half of them. Returns the weights of the others,
    (inputs, units), and the output from these units and the inputs, (units + inputs, width).
    """
    first, last = (layer for layer in embed if isinstance(layer, nn.Linear))
    weight = torch.cat([first.weight, first.bias[:, None]], 1)
    ends = []
    for part in inputs.flatten(0, 1).split(BLOCK):
        before = weight @ part.mT
        ends.append((before.amin(1), before.amax(1)))
    low, high = (torch.stack(end) for end in zip(*ends, strict=True))
    low, high = low.amin(0), high.amax(0)
    on, bends = low >= 0, (low < 0) & (high > 0)
    straight = weight[on].mT @ last.weight[:, on].mT
    constant = functional.pad(last.bias[None], (0, 0, len(straight) - 1, 0))
    return weight[bends].mT, torch.cat([last.weight[:, bends].mT, straight + constant])
