"""Features of a literal, of a pair of literals, and of a step of the decoder.

All are functions of two counts: the target rows and the other rows on which something is true.
"""

import torch
from torch import Tensor

LITERAL_FEATURES, PAIR_FEATURES, STEP_FEATURES = 12, 8, 20
_SCALE = 0.3  # brings logarithms of counts near one


def literal_features(counts: Tensor, sizes: Tensor) -> Tensor:
    """Return features (..., literals, LITERAL_FEATURES) of counts (..., literals, 2).

    `sizes` (..., 2) are all rows; (..., 3) where not all literals are among the counts, with how
    many there are.
    """
    target, rest = counts.unbind(-1)
    all_target, all_rest = (size[..., None].clamp(min=1) for size in sizes[..., :2].unbind(-1))
    in_target, in_rest = target / all_target, rest / all_rest
    share = (target + rest) / (all_target + all_rest)
    spread = (share * (1 - share) * (1 / all_target + 1 / all_rest)).clamp(min=1e-6).sqrt()
    whole = torch.tensor([float(target.shape[-1])], device=counts.device)
    literals = sizes[..., 2:].to(whole) if sizes.shape[-1] > 2 else whole
    parts = [
        in_target,
        in_rest,
        in_target - in_rest,
        _odds(target, rest),
        _odds(all_target - target, all_rest - rest),
        torch.log1p(target) * _SCALE,
        torch.log1p(rest) * _SCALE,
        torch.log(all_target) * _SCALE,
        torch.log(all_rest) * _SCALE,
        torch.log(all_target / all_rest),
        (in_target - in_rest) / spread * 0.2,
        torch.log(literals) * _SCALE,
    ]
    return _stack(parts, target)


def pair_features(pairs: Tensor, counts: Tensor, anchors: Tensor, sizes: Tensor) -> Tensor:
    """Return features (..., literals, anchors, PAIR_FEATURES) of pairs (..., 2)."""
    target, rest = pairs.unbind(-1)
    rows = sizes[..., :2].unbind(-1)
    all_target, all_rest = (size[..., None, None].clamp(min=1) for size in rows)
    alone = counts[..., :, None, :] * anchors[..., None, :, :]
    in_target, in_rest = target / all_target, rest / all_rest
    parts = [
        in_target,
        in_rest,
        in_target - in_rest,
        _odds(target, rest),
        torch.log1p(target) * _SCALE,
        torch.log1p(rest) * _SCALE,
        in_target - alone[..., 0] / all_target.square(),
        in_rest - alone[..., 1] / all_rest.square(),
    ]
    return _stack(parts, target)


def step_features(step: Tensor, totals: Tensor, sizes: Tensor, place: Tensor) -> Tensor:
    """Return features (..., literals, STEP_FEATURES) of a literal at a step of the decoder.

    `step` (..., literals, 4, 2) counts the rows where the literal is true: among the rows the
    clause covers and no finished clause does; that the clause covers; that are free; all rows.
    `totals` (..., 4, 2) the same without the literal. `place` (..., 2) is the number of literals
    in the clause and of finished clauses.
    """
    within = step[..., 0, :]  # true on rows that the clause covers and no finished clause does
    of = totals[..., None, :, :]
    shares = step[..., ::2, :] / of[..., ::2, :].clamp(min=1)
    others = of[..., :2, :] - step[..., :2, :]
    logs = torch.log1p(totals) * _SCALE
    state = [
        _odds(*totals[..., 0, :].unbind(-1))[..., None],
        logs[..., 0, :],
        logs[..., 2, :1],
        place * _SCALE,
    ]
    constant = torch.cat(state, -1)[..., None, :]
    parts = [
        within / sizes[..., None, :].clamp(min=1),
        shares.flatten(-2),
        _odds(*step.unbind(-1)),
        _odds(*others.unbind(-1)),
        torch.log1p(within) * _SCALE,
        constant.expand(*within.shape[:-1], constant.shape[-1]),
    ]
    return torch.cat(parts, -1)


def _odds(target: Tensor, rest: Tensor) -> Tensor:
    return torch.log((target + 0.5) / (rest + 0.5))


def _stack(parts: list[Tensor], like: Tensor) -> Tensor:
    return torch.stack([part.expand_as(like) for part in parts], -1)
