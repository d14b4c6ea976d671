"""A small transformer over literals, on counts alone.

Each literal is a token. It attends to the `anchors`, the literals that tell most by themselves,
through the counts of rows where both are true, at a cost of literals x anchors.
"""

from dataclasses import asdict, dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gnri.errors import RecipeError
from gnri.model.guided.count_features import (
    LITERAL_FEATURES,
    PAIR_FEATURES,
    STEP_FEATURES,
    literal_features,
    pair_features,
    step_features,
)
from gnri.model.guided.critic import Critic
from gnri.model.layers import at_least_single, perceptron


@dataclass(frozen=True)
class GuidedConfig:
    """The size of the network."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    pair_width: int = 32
    pooled: int = 8  # pair values that are pooled into the token
    anchors: int = 64

    def __post_init__(self) -> None:
        for name, size in asdict(self).items():
            if type(size) is not int or size < 1:
                raise RecipeError(f"model.{name} must be a whole number from 1 up, got {size!r}")
        if self.width % self.heads:
            raise RecipeError(
                f"model.width must be a multiple of model.heads, got {self.width} and {self.heads}"
            )


class Counts(NamedTuple):
    """Rows of the target and other rows: where a literal is true, where it and an anchor are."""

    literals: Tensor  # (batch, literals, 2)
    pairs: Tensor  # (batch, literals, anchors, 2)
    anchors: Tensor  # long (batch, anchors): which literals they are
    sizes: Tensor  # (batch, 2): all rows


class Step(NamedTuple):
    """The state of the decoder; see `step_features`."""

    literals: Tensor  # (batch, literals, 4, 2)
    totals: Tensor  # (batch, 4, 2)
    place: Tensor  # (batch, 2)
    banned: Tensor  # bool (batch, literals): what the clause holds already


class GuidedNetwork(nn.Module):
    """Tokens, then a logit for each literal, the share of noise, and the decoder's next action."""

    def __init__(self, config: GuidedConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.embed = perceptron(LITERAL_FEATURES, width, width)
        biases = config.heads * config.layers
        self.pair = perceptron(PAIR_FEATURES, config.pair_width, biases + config.pooled)
        self.pool = nn.Linear(2 * config.pooled, width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.belief = nn.Linear(width, 1)
        self.noise = perceptron(2 * width, width, 1)
        self.policy = Policy(width)
        self.critic = Critic()

    def forward(self, counts: Counts) -> Tensor:
        """Return tokens (batch, literals, width)."""
        anchors = _gather(counts.literals, counts.anchors)
        pairs = self.pair(pair_features(counts.pairs, counts.literals, anchors, counts.sizes))
        biases, pooled = pairs.split([pairs.shape[-1] - self.config.pooled, self.config.pooled], -1)
        tokens = self.embed(literal_features(counts.literals, counts.sizes))
        tokens = tokens + self.pool(_pool(pooled))
        for block, bias in zip(self.blocks, biases.chunk(self.config.layers, -1), strict=True):
            tokens = block(tokens, counts.anchors, bias)
        return self.norm(tokens)

    def beliefs(self, tokens: Tensor) -> Tensor:
        """Return the logit that a literal belongs in the rule."""
        return self.belief(tokens)[..., 0]

    def noise_logit(self, tokens: Tensor, anchors: Tensor) -> Tensor:
        """Return the logit of the share of rows that the best short rule gets wrong."""
        return self.noise(_pool(_gather(tokens, anchors)))[..., 0]


class Block(nn.Module):
    """Attention of every literal to the anchors, then a feed-forward layer."""

    def __init__(self, config: GuidedConfig) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.feed = perceptron(width, 2 * width, width)

    def forward(self, tokens: Tensor, anchors: Tensor, bias: Tensor) -> Tensor:
        """Return tokens (batch, literals, width)."""
        normed = self.first(tokens)
        query = self._split(self.query(normed))
        both = self.key_value(_gather(normed, anchors)).chunk(2, -1)
        key, value = map(self._split, both)
        weights = query @ key.mT / query.shape[-1] ** 0.5 + bias.permute(0, 3, 1, 2)
        mixed = (weights.softmax(-1) @ value).transpose(1, 2).flatten(2)
        tokens = tokens + self.out(mixed)
        return tokens + self.feed(self.second(tokens))

    def _split(self, tokens: Tensor) -> Tensor:
        return tokens.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Policy(nn.Module):
    """The executing decoder's next action: one more literal, or the end of clause or rule."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.token = nn.Linear(width, width)
        self.step = nn.Linear(STEP_FEATURES, width)
        self.mix = nn.Sequential(nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.context = nn.Linear(2 * width, width)
        self.literal = nn.Sequential(nn.GELU(), nn.Linear(width, 1))
        self.end = perceptron(2 * width, width, 1)

    def forward(self, tokens: Tensor, step: Step, sizes: Tensor) -> Tensor:
        """Return logits (batch, literals + 1), the last to end; `tokens` are what `token` makes."""
        seen = self.step(step_features(step.literals, step.totals, sizes, step.place))
        mixed = self.mix(tokens + seen)
        pooled = _pool(mixed)
        logits = self.literal(mixed + self.context(pooled)[:, None])[..., 0]
        logits = at_least_single(logits).masked_fill(step.banned, -torch.inf)
        return torch.cat([logits, at_least_single(self.end(pooled))], -1)


def _pool(values: Tensor) -> Tensor:
    """Return mean and maximum over the last axis but one; 0 where it is empty.

    A table has no anchors where too many literals look the same.
    """
    if not values.shape[-2]:
        return values.new_zeros(*values.shape[:-2], 2 * values.shape[-1])
    return torch.cat([values.mean(-2), values.amax(-2)], -1)


def _gather(tokens: Tensor, places: Tensor) -> Tensor:
    return tokens.gather(1, places[..., None].expand(-1, -1, tokens.shape[-1]))
