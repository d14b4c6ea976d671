"""Pair memory: the best-scoring pairs of literals initialise the clause slots.

A pair {a, b} scores s_ab = sigmoid((<W_q h_a, W_k h_b> + <W_q h_b, W_k h_a>) / 2 sqrt(d)) and
carries the value s_ab (z_a + z_b). Keys and values are sums over the two literals, so the
attention of a slot over any set of pairs comes down to products with the matrix of chosen
pairs, and no pair ever gets a vector of its own. Literals may stand for several (`counts`), so
an entry stands for m_a m_b pairs, or m_a (m_a - 1) on the diagonal; each pair is met twice.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from gnri.model.config import ModelConfig
from gnri.model.layers import at_least_single

TIE_EPS = 1e-6
BLOCK = 256  # literals whose pair scores are held at once


class PairMemory(nn.Module):
    """What the chosen pairs say to each slot."""

    def __init__(self, config: ModelConfig, tie_complete: bool) -> None:
        super().__init__()
        self.wanted = 2 * config.pairs
        self.tie_complete = tie_complete
        self.query = nn.Linear(config.width, config.pair_width, bias=False)
        self.key = nn.Linear(config.width, config.pair_width, bias=False)
        self.value = nn.Linear(config.width, config.width)

    def forward(self, slots: Tensor, literals: Tensor, counts: Tensor) -> Tensor:
        """(batch, slots, width) from literals (batch, atoms, 2, width), counts (batch, atoms).

        Never in half precision, which would tie pairs that are not tied.
        """
        with torch.autocast(slots.device.type, enabled=False):
            slots, literals = at_least_single(slots), at_least_single(literals)
            left, right = self._sides(literals.flatten(1, 2))
            counts = counts.repeat_interleave(2, 1)
            best = _best_partner(left.detach(), right.detach(), counts)
            last = self._last(left.detach(), right.detach(), counts, best)
            kept = self._kept(best, last)
            values = self.value(self._averaged(literals, kept))
            left, right, counts = (tensor[:, kept] for tensor in (left, right, counts))
            scores, pairs = left @ right.mT, _pairs(counts)
            if self.tie_complete:
                chosen = pairs * (scores >= last[..., None])
            else:
                chosen = _first_by_index(scores, pairs, self.wanted // 2)
            return _attend(slots, values, chosen, chosen * torch.sigmoid(scores))

    def _kept(self, best: Tensor, last: Tensor) -> Tensor:
        """The literals among which every chosen pair lies: the rest need not be looked at.

        In training tables are narrow, and waiting for this answer would cost more than it saves.
        """
        if self.training:
            return torch.arange(best.shape[1], device=best.device)
        return (best >= last).any(0).nonzero()[:, 0]

    def _averaged(self, literals: Tensor, kept: Tensor) -> Tensor:
        """The kept literals, or with tie completion the mean of each one's two signs."""
        if not self.tie_complete:
            return literals.flatten(1, 2)[:, kept]
        return literals[:, kept // 2].mean(2)

    def _sides(self, literals: Tensor) -> tuple[Tensor, Tensor]:
        """Two maps whose product is the symmetric pair score before its sigmoid."""
        both = functional.linear(literals, torch.cat([self.query.weight, self.key.weight]))
        query, key = both.chunk(2, -1)
        scale = 1 / (2 * math.sqrt(query.shape[-1]))
        return both * scale, torch.cat([key, query], -1)

    def _last(self, left: Tensor, right: Tensor, counts: Tensor, best: Tensor) -> Tensor:
        """The lowest score that is chosen, (batch, 1), less the tolerance of ties.

        The best entries lie in the rows with the best partners: only those are ranked. Where
        ties are cut the tolerance is that of rounding: the same pair, met in another product,
        may differ in its last bits.
        """
        rows = best.topk(min(self.wanted, best.shape[1])).indices
        chosen_left = left.gather(1, rows[..., None].expand(-1, -1, left.shape[-1]))
        pairs = counts.gather(1, rows)[..., None] * counts[:, None]
        own = torch.zeros_like(pairs).scatter_(2, rows[..., None], 1.0)
        pairs = (pairs - own * counts[:, None]).flatten(1)
        scores = (chosen_left @ right.mT).flatten(1).masked_fill(pairs <= 0, -math.inf)
        top, where = scores.topk(min(self.wanted, scores.shape[1]))
        reached = pairs.gather(1, where).cumsum(1) >= self.wanted
        last = top.masked_fill(~reached, -math.inf).amax(1, keepdim=True)
        tied = torch.sigmoid(last.double()) - TIE_EPS
        return torch.logit(tied.clamp(min=0)).to(last).minimum(last)


def _best_partner(left: Tensor, right: Tensor, counts: Tensor) -> Tensor:
    """The best score of each literal with any other, (batch, literals).

    The scores are symmetric: a block of rows is computed from its diagonal on, and serves the
    literals of its rows and those of its columns.
    """
    empty = counts <= 0
    hidden = empty if bool(empty.any()) else None
    best = torch.full_like(counts, -math.inf)
    for start in range(0, left.shape[1], BLOCK):
        rows, rest = slice(start, start + BLOCK), slice(start, None)
        scores = left[:, rows] @ right[:, rest].mT
        scores.diagonal(0, -2, -1).masked_fill_(counts[:, rows] <= 1, -math.inf)
        if hidden is not None:
            scores.masked_fill_(hidden[:, None, rest], -math.inf)
            scores.masked_fill_(hidden[:, rows, None], -math.inf)
        best[:, rest] = torch.maximum(best[:, rest], scores.amax(-2))
        best[:, rows] = torch.maximum(best[:, rows], scores.amax(-1))
    return best.masked_fill(empty, -math.inf)


def _pairs(counts: Tensor) -> Tensor:
    return counts[:, :, None] * counts[:, None] - torch.diag_embed(counts)


def _first_by_index(scores: Tensor, pairs: Tensor, wanted: int) -> Tensor:
    """The baseline's choice: the best pairs, a tie at the boundary cut by position."""
    possible = (pairs > 0).triu(1).flatten(1)
    ranked = scores.flatten(1).masked_fill(~possible, -math.inf)
    first = ranked.sort(dim=1, descending=True, stable=True).indices[:, :wanted]
    chosen = (torch.zeros_like(ranked).scatter_(1, first, 1.0) * possible).view_as(scores)
    return chosen + chosen.mT


def _attend(slots: Tensor, values: Tensor, chosen: Tensor, scored: Tensor) -> Tensor:
    """Softmax attention of each slot over the chosen pairs, from their literals' shares."""
    logits = slots @ values.mT / math.sqrt(values.shape[-1])
    member = (chosen > 0).any(-1)[:, None]
    peak = logits.masked_fill(~member, -math.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    share = (logits - peak).masked_fill(~member, -math.inf).exp()
    total = (share * (share @ chosen)).sum(-1, keepdim=True) / 2
    weights = share * (share @ scored) / total.clamp(min=torch.finfo(total.dtype).tiny)
    return weights @ values
