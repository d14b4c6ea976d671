"""Pair memory: the best-scoring pairs of literals initialise the clause slots.

A pair {a, b} scores s_ab = sigmoid((<W_q h_a, W_k h_b> + <W_q h_b, W_k h_a>) / 2 sqrt(d)) and
carries the value s_ab (z_a + z_b). Keys and values are sums over the two literals, so attention
over pairs is a product with the matrix of chosen pairs. An entry stands for m_a m_b pairs, where a
literal stands for m_a (`counts`), or for m_a (m_a - 1) on the diagonal; each pair is met twice.
"""

import math

import torch
from torch import Tensor, nn

from gnri.model.layers import at_least_single, fits_gpu
from gnri.model.nri.config import ModelConfig

TIE_EPS = 1e-6
BLOCK = 128  # literals whose pair scores are held at once: at 2,048 literals, in the cache


class PairMemory(nn.Module):
    """Attention of each slot to the chosen pairs."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.wanted = config.pairs
        self.query = nn.Linear(config.width, config.pair_width, bias=False)
        self.key = nn.Linear(config.width, config.pair_width, bias=False)
        self.value = nn.Linear(config.width, config.width)

    def forward(self, slots: Tensor, literals: Tensor, counts: Tensor) -> Tensor:
        """Return (batch, slots, width), never in half precision, which would tie pairs."""
        with torch.autocast(slots.device.type, enabled=False):
            slots, literals = at_least_single(slots), at_least_single(literals)
            left, right = self._sides(literals)
            counts = counts.repeat_interleave(2, 1)
            kept, last = self._select(left.detach(), right.detach(), counts)
            values = self.value(self.contents(literals, kept))
            left, right, counts = (tensor[:, kept] for tensor in (left, right, counts))
            scores = left @ right.mT
            pairs = counts[:, :, None] * counts[:, None] - torch.diag_embed(counts)
            chosen = self.choose(scores, pairs, last)
            return _attend(slots, values, chosen, chosen * torch.sigmoid(scores))

    def contents(self, literals: Tensor, kept: Tensor) -> Tensor:
        """Return the mean of the two signs of each kept literal."""
        return (literals[:, kept] + literals[:, kept ^ 1]) / 2

    def choose(self, scores: Tensor, pairs: Tensor, last: Tensor) -> Tensor:
        """Return how many pairs each entry of `scores` stands for; all tied ones are chosen."""
        return pairs * (scores >= last[..., None])

    def _select(self, left: Tensor, right: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """Return the literals of the chosen pairs, or all, and the lowest chosen score."""
        whole = self.training or fits_gpu(left.device, *left.shape[:2])
        best = _best_before(left, right, counts, left.shape[1] if whole else BLOCK)
        last = self._last(left, right, counts, best)
        if whole:
            return torch.arange(left.shape[1], device=left.device), last
        later = (best >= last).any(0)
        before = (left[:, later] @ right.mT >= last[..., None]).flatten(0, 1).any(0)
        return (later | before).nonzero()[:, 0], last

    def _sides(self, literals: Tensor) -> tuple[Tensor, Tensor]:
        """Return two maps whose product is the symmetric pair score before its sigmoid."""
        both = literals @ torch.cat([self.query.weight, self.key.weight]).mT
        query, key = both.chunk(2, -1)
        scale = 1 / (2 * math.sqrt(query.shape[-1]))
        return both * scale, torch.cat([key, query], -1)

    def _last(self, left: Tensor, right: Tensor, counts: Tensor, best: Tensor) -> Tensor:
        """Return the lowest chosen score, (batch, 1), less the tolerance of ties.

        The best pairs lie in the rows with the best partners, so only those are ranked, each
        pair in the row of its later literal.
        """
        wanted = self.wanted
        rows = best.topk(min(wanted, best.shape[1])).indices[..., None]
        scores = left.gather(1, rows.expand(-1, -1, left.shape[-1])) @ right.mT
        own = counts.gather(1, rows[..., 0])[..., None]
        places = torch.arange(best.shape[1], device=best.device)
        pairs = own * counts[:, None] * (places < rows) + own * (own - 1) / 2 * (places == rows)
        pairs = pairs.flatten(1)
        ranked = scores.flatten(1).masked_fill(pairs <= 0, -math.inf)
        top, where = ranked.topk(min(wanted, ranked.shape[1]))
        reached = pairs.gather(1, where).cumsum(1) >= wanted
        score = top.masked_fill(~reached, -math.inf).amax(1, keepdim=True)
        chance = torch.sigmoid(score.double()) - TIE_EPS
        return torch.logit(chance.clamp(min=0)).to(score).minimum(score)


def _best_before(left: Tensor, right: Tensor, counts: Tensor, block: int) -> Tensor:
    """Return the best score of each literal with one before it or, if several, with itself.

    (batch, literals). So each pair is met once, in the row of its later literal.
    """
    empty = counts <= 0
    hidden = empty if block >= left.shape[1] or bool(empty.any()) else None
    after = torch.ones(block, block, dtype=torch.bool, device=left.device).triu(1)
    best = []
    for start in range(0, left.shape[1], block):
        rows, before = slice(start, start + block), slice(0, start + block)
        scores = left[:, rows] @ right[:, before].mT
        own = scores[..., start:]
        own.masked_fill_(after[: own.shape[1], : own.shape[1]], -math.inf)
        own.diagonal(0, -2, -1).masked_fill_(counts[:, rows] <= 1, -math.inf)
        if hidden is not None:
            scores.masked_fill_(hidden[:, None, before], -math.inf)
        best.append(scores.amax(-1))
    return torch.cat(best, 1).masked_fill(empty, -math.inf)


def _attend(slots: Tensor, values: Tensor, chosen: Tensor, scored: Tensor) -> Tensor:
    """Return softmax attention of each slot over the chosen pairs, by their literals' shares."""
    logits = slots @ values.mT / math.sqrt(values.shape[-1])
    member = (chosen > 0).any(-1)[:, None]
    peak = logits.masked_fill(~member, -math.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    share = (logits - peak).masked_fill(~member, -math.inf).exp()
    total = (share * (share @ chosen)).sum(-1, keepdim=True) / 2
    weights = share * (share @ scored) / total.clamp(min=torch.finfo(total.dtype).tiny)
    return weights @ values
