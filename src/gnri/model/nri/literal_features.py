"""The 18 numbers that describe a literal to the network, from its counts."""

from gnri.model.layers import Array, cast, library
from gnri.model.nri.gram_statistics import Statistics

FEATURES = 18
EPSILON = 1e-6
LOG_SCALE = 4.0  # brings the logarithm of a number of atoms near 1


def literal_features(stats: Statistics, counts: Array, *, sized: bool = False) -> Array:
    """Return the features of each literal, (batch, atoms, 2, FEATURES) in float64.

    Truth, falsity and observation rate in each class and overall, entropy, two reserved zeros,
    and covariation; `sized` has the logarithm of the number of atoms for the second zero. An entry
    stands for `counts` (batch, atoms) atoms, 0 for padding.
    """
    xp = library(counts)
    # Convert first: in torch a whole number plus a fraction is a float32.
    sizes, known, signed = (
        cast(xp.concatenate([part, part.sum(1, keepdims=True)], axis=1), xp.float64)
        for part in stats[:3]
    )
    seen = known[..., None]
    true = xp.stack([known + signed, known - signed], axis=-1) / 2  # (batch, 3, atoms, 2)
    rate = true / (seen + EPSILON)
    shown = xp.broadcast_to(seen / (sizes[..., None, None] + EPSILON), rate.shape)
    rates = xp.stack([rate, 1 - rate, shown], axis=-1)
    inside = rate[:, 2].clip(EPSILON, 1 - EPSILON)
    entropy = -(inside * xp.log(inside) + (1 - inside) * xp.log(1 - inside))[..., None]
    reserved = [xp.zeros_like(entropy)] * 2
    atoms = cast(counts.sum(1), xp.float64)
    if sized:
        reserved[1] = reserved[0] + xp.log(atoms.clip(min=1))[:, None, None, None] / LOG_SCALE
    covariation = _covariation(known, signed, stats.spread, atoms)
    groups = [rates[:, group] for group in range(3)]
    return xp.concatenate([*groups, entropy, *reserved, covariation], axis=-1)


def _covariation(known: Array, signed: Array, spread: Array, atoms: Array) -> Array:
    """Return mean |covariance| with the other 2N - 1 literals, and mean covariance, (..., 6).

    Covariances with x and its negation cancel. The literal's own negation leaves minus its
    variance.
    """
    xp = library(known)
    others = (2 * cast(atoms, xp.float64) - 1).clip(min=1)[:, None, None]
    variance = (known**2 - signed**2) / (2 * known.clip(min=1)) ** 2
    size = (spread / 2 + variance) / others  # +-1 covariance is 4x, two signs
    drift = -variance / others
    parts = size[:, 2], size[:, 0], drift[:, 0], size[:, 1], drift[:, 1], drift[:, 0] - drift[:, 1]
    columns = xp.stack(parts, axis=-1)[..., None, :]
    return xp.concatenate([columns, columns], axis=-2)
