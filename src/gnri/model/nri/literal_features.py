"""The 18 numbers that describe a literal to the network, from its counts."""

import torch
from torch import Tensor

from gnri.model.nri.gram_statistics import Statistics

FEATURES = 18
EPSILON = 1e-6


def literal_features(stats: Statistics, counts: Tensor) -> Tensor:
    """Return the features of each literal, (batch, atoms, 2, FEATURES) in float64.

    Truth, falsity and observation rate in each class and overall, entropy, two reserved zeros,
    and covariation. An entry stands for `counts` (batch, atoms) atoms, 0 for padding.
    """
    # Convert first: in torch a whole number plus a fraction is a float32.
    sizes, known, signed = (
        torch.cat([part, part.sum(1, keepdim=True)], 1).double() for part in stats[:3]
    )
    polarity = torch.arange(1, -2, -2, device=known.device)
    seen = known[..., None].expand(*known.shape, 2)
    true = (known[..., None] + signed[..., None] * polarity) / 2  # (batch, 3, atoms, 2)
    rate = true / (seen + EPSILON)
    rates = torch.stack([rate, 1 - rate, seen / (sizes[..., None, None] + EPSILON)], -1)
    inside = rate[:, 2].clamp(EPSILON, 1 - EPSILON)
    entropy = -(inside * inside.log() + (1 - inside) * (1 - inside).log())[..., None]
    reserved = entropy.new_zeros(*entropy.shape[:-1], 2)
    covariation = _covariation(known, signed, stats.spread, counts.sum(1))
    return torch.cat([*rates.unbind(1), entropy, reserved, covariation], -1)


def _covariation(known: Tensor, signed: Tensor, spread: Tensor, atoms: Tensor) -> Tensor:
    """Return mean |covariance| with the other 2N - 1 literals, and mean covariance, (..., 6).

    Covariances with x and its negation cancel. The literal's own negation leaves minus its
    variance.
    """
    others = (2 * atoms.double() - 1).clamp(min=1)[:, None, None, None]
    variance = (known.square() - signed.square()) / (2 * known.clamp(min=1)).square()
    variance = variance[..., None].expand(*known.shape, 2)
    size = (spread[..., None] / 2 + variance) / others  # +-1 covariance is 4x, two signs
    drift = -variance / others
    positive, negative, both = size.unbind(1)
    columns = [both, positive, drift[:, 0], negative, drift[:, 1], drift[:, 0] - drift[:, 1]]
    return torch.stack(columns, -1)
