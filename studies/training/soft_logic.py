"""Soft truth of a rule under the product t-norm, as matrix products of logarithms."""

import math

import torch
from torch import Tensor

FLOOR = 1e-6  # no factor of a product falls below, so that every logarithm is finite
TINY, SMALL = 1e-30, 1e-4


def soft_clauses(literals: Tensor, gates: Tensor, values: Tensor) -> Tensor:
    """Return truth of each clause on each row, (batch, slots, rows), in float32 or better.

    clause = gate * nonnull * prod_l (1 - p_l + p_l * truth_l), where truth is 1/2 for a missing
    cell and nonnull = 1 - prod_l (1 - p_l) is the chance that the clause has a literal at all.
    `literals` are the p of shape (batch, slots, atoms, 2), `gates` (batch, slots), `values` in
    {-1, 0, +1} of (batch, rows, atoms).
    """
    weights, logs = _clause_parts(literals, gates, values)
    return weights[..., None] * torch.exp(logs)


def log_clauses(literals: Tensor, gates: Tensor, values: Tensor) -> Tensor:
    """Return the logarithms of `soft_clauses`, which no number of atoms makes underflow."""
    weights, logs = _clause_parts(literals, gates, values)
    return torch.log(weights.clamp(min=TINY))[..., None] + logs


def _clause_parts(literals: Tensor, gates: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return gate * nonnull (batch, slots), and the logarithm of the product on each row."""
    dtype = torch.promote_types(literals.dtype, torch.float32)
    with torch.autocast(literals.device.type, enabled=False):
        literals, gates = literals.to(dtype), gates.to(dtype)
        absent = log_complement(literals)  # log(1 - p)
        halved = log_complement(literals / 2).sum(-1)
        # A true cell violates the negative literal, a false one the positive literal.
        logs = torch.cat([absent[..., 1], absent[..., 0], halved], -1)
        cells = torch.cat([values > 0, values < 0, values == 0], -1).to(dtype)
        nonnull = -torch.expm1(absent.sum((-1, -2)))
        return gates * nonnull, logs @ cells.transpose(1, 2)


def soft_or(clauses: Tensor) -> Tensor:
    """Return 1 - prod_t (1 - clause_t), over the slots."""
    return -torch.expm1(log_complement(clauses).sum(1))


def log_truths(clauses: Tensor) -> tuple[Tensor, Tensor]:
    """Return log R and log(1 - R) for R = `soft_or`, from the logarithms of the clauses.

    A sum of clauses stands for R where all of them are small: they may be too small for a float.
    """
    absent = log_complement(torch.exp(clauses)).sum(1)
    whole = torch.log((-torch.expm1(absent)).clamp(min=SMALL))
    total = torch.logsumexp(clauses, 1)
    return torch.where(total < math.log(SMALL), total, whole), absent


def soft_truth(literals: Tensor, gates: Tensor, values: Tensor) -> Tensor:
    """Return truth of the rule on each row, (batch, rows)."""
    return soft_or(soft_clauses(literals, gates, values))


def log_complement(probability: Tensor) -> Tensor:
    """Return log(1 - p), clamped before the logarithm: else the gradient at p = 1 is NaN."""
    return torch.log1p(-probability.clamp(max=1 - FLOOR))
