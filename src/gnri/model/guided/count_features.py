"""Features of a literal, of a pair of literals, and of a step of the decoder.

All are functions of two counts: the target rows and the other rows on which something is true.
"""

from gnri.model.layers import Array, library

LITERAL_FEATURES, PAIR_FEATURES, STEP_FEATURES = 12, 8, 20
_SCALE = 0.3  # brings logarithms of counts near one


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
