"""Pair memory: the best-scoring pairs of literals initialise the clause slots.

A pair {a, b} scores s_ab = sigmoid((<W_q h_a, W_k h_b> + <W_q h_b, W_k h_a>) / 2 sqrt(d)) and
carries the value s_ab (z_a + z_b). Keys and values are sums over the two literals, so the
attention of a slot over any set of pairs comes down to products with the literals x literals
matrix of chosen pairs, and no pair ever gets a vector of its own.
"""

import math

import torch
from torch import Tensor, nn

from gnri.model.config import ModelConfig
from gnri.model.layers import at_least_single

TIE_EPS = 1e-6


class PairMemory(nn.Module):
    """What the chosen pairs say to each slot."""

    def __init__(self, config: ModelConfig, tie_complete: bool) -> None:
        super().__init__()
        self.pairs = config.pairs
        self.tie_complete = tie_complete
        self.query = nn.Linear(config.width, config.pair_width, bias=False)
        self.key = nn.Linear(config.width, config.pair_width, bias=False)
        self.value = nn.Linear(config.width, config.width)

    def forward(self, slots: Tensor, literals: Tensor, counts: Tensor) -> Tensor:
        """(batch, slots, width) from literals (batch, atoms, 2, width), counts (batch, atoms)."""
        values = self.value(literals)
        if self.tie_complete:  # the average over an atom's two signs, which a negation keeps
            values = values.mean(2, keepdim=True).expand_as(values)
        literals, values = literals.flatten(1, 2), values.flatten(1, 2)
        multiplicity = counts.repeat_interleave(2, 1)
        chosen = self._choose(self._scores(literals), multiplicity)
        return _attend(slots, values, *chosen)

    def _scores(self, literals: Tensor) -> Tensor:
        """Pair scores before the sigmoid, (batch, literals, literals), symmetric.

        Never in half precision, which would tie pairs that are not tied.
        """
        with torch.autocast(literals.device.type, enabled=False):
            literals = at_least_single(literals)
            query, key = self.query(literals), self.key(literals)
            half = query @ key.mT / (2 * math.sqrt(query.shape[-1]))
            return half + half.mT

    def _choose(self, scores: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """How often each pair is chosen, and that times its score, (batch, literals, literals).

        Literals that share an entry stand for `counts` of them, so an entry stands for
        m_a m_b pairs, or m_a (m_a - 1) on the diagonal; each pair is met twice.
        """
        pairs = counts[:, :, None] * counts[:, None] - torch.diag_embed(counts)
        raw = scores.masked_fill(pairs <= 0, -math.inf)
        if self.tie_complete:
            chosen = pairs * (raw >= _boundary(raw, pairs, 2 * self.pairs))
        else:
            chosen = _first_by_index(raw, self.pairs)
        return chosen, chosen * torch.sigmoid(scores)


def _boundary(raw: Tensor, pairs: Tensor, wanted: int) -> Tensor:
    """The score of the wanted-th best entry less the tie tolerance, (batch, 1, 1)."""
    best, where = _best(raw, wanted)
    reached = pairs.flatten(1).gather(1, where).cumsum(1) >= wanted
    last = best.masked_fill(~reached, -math.inf).amax(1)  # minus infinity: there are fewer
    tied = torch.sigmoid(last.double()) - TIE_EPS
    return torch.logit(tied.clamp(min=0)).to(raw).minimum(last)[:, None, None]


def _best(raw: Tensor, wanted: int) -> tuple[Tensor, Tensor]:
    """The best entries of each matrix and their flat places.

    Each of them lies in one of the `wanted` rows with the best maxima: only those are ranked.
    """
    size = raw.shape[-1]
    rows = raw.amax(-1).topk(min(wanted, size)).indices
    inside = raw.gather(1, rows[..., None].expand(-1, -1, size)).flatten(1)
    best, where = inside.topk(min(wanted, inside.shape[1]))
    return best, rows.gather(1, where // size) * size + where % size


def _first_by_index(raw: Tensor, wanted: int) -> Tensor:
    """The baseline's choice: the best pairs, a tie at the boundary cut by position."""
    above = torch.ones_like(raw, dtype=torch.bool).triu(1)
    upper = raw.masked_fill(~above, -math.inf)
    last = _best(upper, wanted)[0].amin(1)[:, None, None]
    better, tied = (upper > last).flatten(1), (upper == last).flatten(1)
    room = wanted - better.sum(1, keepdim=True)
    chosen = (better | (tied & (tied.cumsum(1) <= room))) & upper.isfinite().flatten(1)
    matrix = chosen.view_as(raw).to(raw)
    return matrix + matrix.mT


def _attend(slots: Tensor, values: Tensor, chosen: Tensor, scored: Tensor) -> Tensor:
    """Softmax attention of each slot over the chosen pairs, from their literals' shares."""
    logits = slots @ values.mT / math.sqrt(values.shape[-1])  # (batch, slots, literals)
    member = (chosen > 0).any(-1)[:, None]
    peak = logits.masked_fill(~member, -math.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    share = (logits - peak).masked_fill(~member, -math.inf).exp().to(chosen)
    total = (share * (share @ chosen)).sum(-1, keepdim=True) / 2
    weights = share * (share @ scored) / total.clamp(min=torch.finfo(total.dtype).tiny)
    return weights.to(values) @ values
