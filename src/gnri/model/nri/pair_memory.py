"""Pair memory: the best-scoring pairs of literals initialise the clause slots.

A pair {a, b} scores s_ab = sigmoid((<W_q h_a, W_k h_b> + <W_q h_b, W_k h_a>) / 2 sqrt(d)) and
carries the value s_ab (z_a + z_b). Keys and values are sums over the two literals, so attention
over pairs is a product with the matrix of chosen pairs. An entry stands for m_a m_b pairs, where a
literal stands for m_a (`counts`), or for m_a (m_a - 1) on the diagonal; each pair is met twice.
"""

import math

import numpy as np

from gnri.model.layers import (
    Array,
    Weights,
    at_least_single,
    cast,
    fits_gpu,
    full_precision,
    library,
    linear,
    sigmoid,
)
from gnri.model.nri.config import ModelConfig

TIE_EPS = 1e-6
BLOCK = 128  # literals whose pair scores are held at once: at 2,048 literals, in the cache
_LEAST = 1e-300  # in place of no chance, whose logit would be infinite


class PairMemory(Weights):
    """Attention of each slot to the chosen pairs."""

    config: ModelConfig
    training = False  # in training all pairs are looked at, not only the best

    def remember(self, weights: Weights, slots: Array, literals: Array, counts: Array) -> Array:
        """Return (batch, slots, width), never in half precision, which would tie pairs."""
        with full_precision(slots):
            slots, literals = at_least_single(slots), at_least_single(literals)
            left, right = _sides(weights, literals)
            counts = repeat_twice(counts)
            kept, last = self._select(_constant(left), _constant(right), counts)
            values = linear(weights.value, self.contents(literals, kept))
            left, right, counts = (part[:, kept] for part in (left, right, counts))
            scores = left @ right.mT
            pairs = counts[:, :, None] * counts[:, None]
            diagonal = library(kept).arange(len(kept), device=kept.device)
            pairs[:, diagonal, diagonal] -= counts
            chosen = self.choose(scores, pairs, last)
            return _attend(slots, values, chosen, chosen * sigmoid(scores))

    def contents(self, literals: Array, kept: Array) -> Array:
        """Return the mean of the two signs of each kept literal."""
        return (literals[:, kept] + literals[:, kept ^ 1]) / 2

    def choose(self, scores: Array, pairs: Array, last: Array) -> Array:
        """Return how many pairs each entry of `scores` stands for; all tied ones are chosen."""
        return pairs * (scores >= last[..., None])

    def _select(self, left: Array, right: Array, counts: Array) -> tuple[Array, Array]:
        """Return the literals of the chosen pairs, or all, and the lowest chosen score."""
        whole = self.training or fits_gpu(left, *left.shape[:2])
        best = _best_before(left, right, counts, left.shape[1] if whole else BLOCK)
        last = _last(left, right, counts, best, self.config.pairs)
        places = library(left).arange(left.shape[1], device=left.device)
        if whole:
            return places, last
        later = (best >= last).any(0)
        before = (left[:, later] @ right.mT >= last[..., None]).any(1).any(0)
        return places[later | before], last


def repeat_twice(counts: Array) -> Array:
    """Return (batch, atoms) as (batch, literals): each atom has two."""
    return library(counts).stack([counts, counts], axis=-1).reshape(len(counts), -1)


def _sides(weights: Weights, literals: Array) -> tuple[Array, Array]:
    """Return two maps whose product is the symmetric pair score before its sigmoid."""
    xp = library(literals)
    both = literals @ xp.concatenate([weights.query.weight, weights.key.weight]).mT
    width = both.shape[-1] // 2
    return both / (2 * math.sqrt(width)), xp.concatenate(
        [both[..., width:], both[..., :width]], axis=-1
    )


def _last(left: Array, right: Array, counts: Array, best: Array, wanted: int) -> Array:
    """Return the lowest chosen score, (batch, 1), less the tolerance of ties.

    The best pairs lie in the rows with the best partners, so only those are ranked, each
    pair in the row of its later literal.
    """
    xp, batch = library(best), len(best)
    every = xp.arange(batch, device=best.device)[:, None]
    _, rows = _largest(best, wanted)
    own, rows = counts[every, rows][..., None], rows[..., None]
    scores = left[every, rows[..., 0]] @ right.mT
    places = xp.arange(best.shape[1], device=best.device)
    pairs = own * counts[:, None] * (places < rows) + own * (own - 1) / 2 * (places == rows)
    pairs = pairs.reshape(batch, -1)
    ranked = xp.where(pairs <= 0, -xp.inf, scores.reshape(batch, -1))
    top, where = _largest(ranked, wanted)
    reached = xp.cumsum(pairs[every, where], axis=1) >= wanted
    score = xp.amax(xp.where(reached, top, -xp.inf), 1, keepdims=True)
    chance = (sigmoid(cast(score, xp.float64)) - TIE_EPS).clip(min=_LEAST)
    logit = xp.log(chance) - xp.log1p(-chance)
    return xp.minimum(cast(logit, score.dtype), score)


def _largest(values: Array, most: int) -> tuple[Array, Array]:
    """Return the largest values of each row, in order, and where they are."""
    most = min(most, values.shape[1])
    if library(values) is not np:
        return values.topk(most)
    places = np.argsort(-values, axis=1, kind="stable")[:, :most]
    return np.take_along_axis(values, places, 1), places


def _best_before(left: Array, right: Array, counts: Array, block: int) -> Array:
    """Return the best score of each literal with one before it or, if several, with itself.

    (batch, literals). So each pair is met once, in the row of its later literal.
    """
    xp, empty = library(left), counts <= 0
    hidden = empty if block >= left.shape[1] or bool(empty.any()) else None
    places, best = xp.arange(left.shape[1], device=left.device), []
    for start in range(0, left.shape[1], block):
        rows, before = slice(start, start + block), slice(0, start + block)
        scores = left[:, rows] @ right[:, before].mT
        own, here = scores[..., start:], places[rows]
        single = (counts[:, rows] <= 1)[..., None] & (here[:, None] == here)
        own[...] = xp.where((here[:, None] < here) | single, -xp.inf, own)
        if hidden is not None:
            scores = xp.where(hidden[:, None, before], -xp.inf, scores)
        best.append(xp.amax(scores, -1))
    return xp.where(empty, -xp.inf, xp.concatenate(best, axis=1))


def _attend(slots: Array, values: Array, chosen: Array, scored: Array) -> Array:
    """Return softmax attention of each slot over the chosen pairs, by their literals' shares."""
    xp = library(slots)
    logits = slots @ values.mT / math.sqrt(values.shape[-1])
    member = (chosen > 0).any(-1)[:, None]
    peak = xp.amax(xp.where(member, logits, -xp.inf), -1, keepdims=True)
    peak = xp.where(peak == -xp.inf, 0.0, peak)
    share = xp.exp(xp.where(member, logits - peak, -xp.inf))
    total = (share * (share @ chosen)).sum(-1, keepdims=True) / 2
    weights = share * (share @ scored) / total.clip(min=float(xp.finfo(total.dtype).tiny))
    return weights @ values


def _constant(array: Array) -> Array:
    """Return the array without its gradient."""
    return array if library(array) is np else array.detach()
