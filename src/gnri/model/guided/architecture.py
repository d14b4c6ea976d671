"""A small transformer over literals, on counts alone.

Each literal is a token. It attends to the `anchors`, the most informative single literals. The
attention biases come from counts of rows where both are true. The cost is literals x anchors. All
features are functions of two counts: the target rows and the other rows on which something is true.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

from gnri.model.guided.critic import critic_shapes
from gnri.model.layers import (
    Array,
    Shapes,
    Weights,
    at_least_single,
    attend,
    check_config,
    gelu,
    layer_norm,
    library,
    linear,
    linear_shapes,
    norm_shapes,
    perceptron,
    perceptron_shapes,
    split_heads,
)

LITERAL_FEATURES, PAIR_FEATURES, STEP_FEATURES = 12, 8, 20
_SCALE = 0.3  # brings logarithms of counts near one


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
        check_config(asdict(self))

    def shapes(self) -> Shapes:
        """Return the name and shape of every array of the network."""
        width, biases = self.width, self.heads * self.layers
        found = perceptron_shapes("embed", LITERAL_FEATURES, width, width)
        found |= perceptron_shapes("pair", PAIR_FEATURES, self.pair_width, biases + self.pooled)
        found |= linear_shapes("pool", 2 * self.pooled, width)
        for block in (f"blocks.{number}." for number in range(self.layers)):
            found |= norm_shapes(f"{block}first", width) | norm_shapes(f"{block}second", width)
            found |= linear_shapes(f"{block}query", width, width)
            found |= linear_shapes(f"{block}key_value", width, 2 * width)
            found |= linear_shapes(f"{block}out", width, width)
            found |= perceptron_shapes(f"{block}feed", width, 2 * width, width)
        found |= norm_shapes("norm", width) | linear_shapes("belief", width, 1)
        found |= perceptron_shapes("noise", 2 * width, width, 1)
        found |= linear_shapes("policy.token", width, width)
        found |= linear_shapes("policy.step", STEP_FEATURES, width)
        found |= linear_shapes("policy.mix.1", width, width)
        found |= linear_shapes("policy.context", 2 * width, width)
        found |= linear_shapes("policy.literal.1", width, 1)
        found |= perceptron_shapes("policy.end", 2 * width, width, 1)
        return found | {f"critic.{name}": shape for name, shape in critic_shapes().items()}


class Counts(NamedTuple):
    """Target rows and other rows where a literal is true, and where a literal and an anchor are."""

    literals: Array  # (batch, literals, 2)
    pairs: Array  # (batch, literals, anchors, 2)
    anchors: Array  # whole numbers (batch, anchors): which literals they are
    sizes: Array  # (batch, 2): all rows


class Step(NamedTuple):
    """The state of the decoder; see `step_features`."""

    literals: Array  # (batch, literals, 4, 2)
    totals: Array  # (batch, 4, 2)
    place: Array  # (batch, 2)
    banned: Array  # bool (batch, literals): what the clause holds already


class GuidedNetwork(Weights):
    """Tokens, then a logit for each literal, the share of noise, and the decoder's next action."""

    def __init__(self, config: GuidedConfig, arrays: Mapping[str, Array]) -> None:
        super().__init__(arrays)
        self.config = config

    def tokens(self, counts: Counts) -> Array:
        """Return tokens (batch, literals, width)."""
        anchors = _gather(counts.literals, counts.anchors)
        features = pair_features(counts.pairs, counts.literals, anchors, counts.sizes)
        pairs, heads = perceptron(self.pair, features), self.config.heads
        tokens = perceptron(self.embed, literal_features(counts.literals, counts.sizes))
        tokens = tokens + linear(self.pool, _pool(pairs[..., -self.config.pooled :]))
        biases = library(pairs).moveaxis(pairs, -1, 1)
        for number in range(self.config.layers):
            bias = biases[:, number * heads : (number + 1) * heads]
            tokens = self._block(self.blocks[number], tokens, counts.anchors, bias)
        return layer_norm(self.norm, tokens)

    def _block(self, block: Weights, tokens: Array, anchors: Array, bias: Array) -> Array:
        """Return tokens after attention to the anchors and a feed-forward layer."""
        normed, width = layer_norm(block.first, tokens), self.config.width
        both = linear(block.key_value, _gather(normed, anchors))
        parts = linear(block.query, normed), both[..., :width], both[..., width:]
        query, key, value = (split_heads(part, self.config.heads) for part in parts)
        tokens = tokens + linear(block.out, attend(query, key, value, bias))
        return tokens + perceptron(block.feed, layer_norm(block.second, tokens))

    def beliefs(self, tokens: Array) -> Array:
        """Return the logit that a literal belongs in the rule."""
        return linear(self.belief, tokens)[..., 0]

    def noise_logit(self, tokens: Array, anchors: Array) -> Array:
        """Return the logit of the share of rows that the best short rule gets wrong."""
        return perceptron(self.noise, _pool(_gather(tokens, anchors)))[..., 0]

    def policy_tokens(self, tokens: Array) -> Array:
        """Return what the policy reads of the tokens, whatever the step."""
        return linear(self.policy.token, tokens)

    def actions(self, tokens: Array, step: Step, sizes: Array) -> Array:
        """Return logits (batch, literals + 1) to put in a literal or, the last, to end.

        `tokens` are what `policy_tokens` makes.
        """
        policy, xp = self.policy, library(tokens)
        features = step_features(step.literals, step.totals, sizes, step.place)
        mixed = gelu(linear(policy.mix[1], gelu(tokens + linear(policy.step, features))))
        pooled = _pool(mixed)
        context = linear(policy.context, pooled)[:, None]
        logits = at_least_single(linear(policy.literal[1], gelu(mixed + context))[..., 0])
        end = at_least_single(perceptron(policy.end, pooled))
        return xp.concatenate([xp.where(step.banned, -xp.inf, logits), end], axis=-1)


def _pool(values: Array) -> Array:
    """Return mean and maximum over the last axis but one; 0 where it is empty.

    A table has no anchors where too many literals look the same.
    """
    xp = library(values)
    if not values.shape[-2]:
        return xp.concatenate([values.sum(-2)] * 2, axis=-1)
    return xp.concatenate([values.mean(-2), xp.amax(values, -2)], axis=-1)


def _gather(tokens: Array, places: Array) -> Array:
    rows = library(tokens).arange(len(tokens), device=tokens.device)
    return tokens[rows[:, None], places]


def literal_features(counts: Array, sizes: Array) -> Array:
    """Return features (..., literals, LITERAL_FEATURES) of counts (..., literals, 2).

    `sizes` (..., 2) are all target rows and all other rows. If `counts` has only some literals,
    `sizes` is (..., 3), and ends with the number of all literals.
    """
    xp = library(counts)
    target, rest = counts[..., 0], counts[..., 1]
    all_target, all_rest = (sizes[..., i, None].clip(min=1) for i in (0, 1))
    in_target, in_rest = target / all_target, rest / all_rest
    share = (target + rest) / (all_target + all_rest)
    spread = xp.sqrt((share * (1 - share) * (1 / all_target + 1 / all_rest)).clip(min=1e-6))
    literals = sizes[..., 2:] if sizes.shape[-1] > 2 else xp.full_like(all_rest, target.shape[-1])
    parts = [
        in_target,
        in_rest,
        in_target - in_rest,
        _odds(target, rest),
        _odds(all_target - target, all_rest - rest),
        xp.log1p(target) * _SCALE,
        xp.log1p(rest) * _SCALE,
        xp.log(all_target) * _SCALE,
        xp.log(all_rest) * _SCALE,
        xp.log(all_target / all_rest),
        (in_target - in_rest) / spread * 0.2,
        xp.log(literals) * _SCALE,
    ]
    return xp.stack([xp.broadcast_to(part, target.shape) for part in parts], axis=-1)


def pair_features(pairs: Array, counts: Array, anchors: Array, sizes: Array) -> Array:
    """Return features (..., literals, anchors, PAIR_FEATURES) of pairs (..., 2)."""
    xp = library(pairs)
    target, rest = pairs[..., 0], pairs[..., 1]
    all_target, all_rest = (sizes[..., i, None, None].clip(min=1) for i in (0, 1))
    alone = counts[..., :, None, :] * anchors[..., None, :, :]
    in_target, in_rest = target / all_target, rest / all_rest
    parts = [
        in_target,
        in_rest,
        in_target - in_rest,
        _odds(target, rest),
        xp.log1p(target) * _SCALE,
        xp.log1p(rest) * _SCALE,
        in_target - alone[..., 0] / all_target**2,
        in_rest - alone[..., 1] / all_rest**2,
    ]
    return xp.stack(parts, axis=-1)


def step_features(step: Array, totals: Array, sizes: Array, place: Array) -> Array:
    """Return features (..., literals, STEP_FEATURES) of a literal at a step of the decoder.

    `step` (..., literals, 4, 2) counts the rows where the literal is true, in four sets of rows:
    covered by the clause and not by finished clauses; covered by the clause; not covered by
    finished clauses; all. `totals` (..., 4, 2) are the sizes of these sets. `place` (..., 2) has
    the number of literals in the clause, and of finished clauses.
    """
    xp = library(step)
    within = step[..., 0, :]  # true on rows that the clause covers and no finished clause does
    of = totals[..., None, :, :]
    shares = step[..., ::2, :] / of[..., ::2, :].clip(min=1)
    others = of[..., :2, :] - step[..., :2, :]
    logs = xp.log1p(totals) * _SCALE
    state = [
        _odds(totals[..., 0, 0], totals[..., 0, 1])[..., None],
        logs[..., 0, :],
        logs[..., 2, :1],
        place * _SCALE,
    ]
    constant = xp.concatenate(state, axis=-1)[..., None, :]
    parts = [
        within / sizes[..., None, :].clip(min=1),
        shares.reshape(*within.shape[:-1], 4),
        _odds(step[..., 0], step[..., 1]),
        _odds(others[..., 0], others[..., 1]),
        xp.log1p(within) * _SCALE,
        xp.broadcast_to(constant, (*within.shape[:-1], constant.shape[-1])),
    ]
    return xp.concatenate(parts, axis=-1)


def _odds(target: Array, rest: Array) -> Array:
    return library(target).log((target + 0.5) / (rest + 0.5))
