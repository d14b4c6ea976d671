"""Many clauses at once, as masks over literals: where they hold, and a short set of them, found.

Masks are bool (batch, clauses, atoms, 2), the last axis (x, not x).
"""

import torch
from torch import Tensor, nn

CLAUSES = 12
"""Room for clauses in a mask; those without literals are not there."""

GREEDY_CLAUSES, GREEDY_LITERALS = 4, 3
"""How long a greedy rule gets, and each clause of it."""

GREEDY_GAIN = 0.01
"""The share of the rows that a literal must right."""


def holds(clauses: Tensor, truth: Tensor) -> Tensor:
    """Return whether each clause is true on each row: (batch, clauses, rows).

    A clause without literals is false.
    """
    cells = truth.float()
    wrong = clauses[..., 0].float() @ (1 - cells).mT + clauses[..., 1].float() @ cells.mT
    return (wrong < 0.5) & clauses.any(-1).any(-1)[..., None]


def greedy(truth: Tensor, labels: Tensor) -> Tensor:
    """Return a short DNF, (batch, CLAUSES, atoms, 2), that covers most of the labels."""
    batch, rows, atoms = truth.shape
    cells = torch.stack([truth, ~truth], -1).flatten(2).float()
    sign = 2.0 * labels.float() - 1
    free = torch.ones(batch, rows, device=truth.device)
    clauses = torch.zeros(batch, CLAUSES, 2 * atoms, dtype=torch.bool, device=truth.device)
    for slot in range(GREEDY_CLAUSES):
        clauses[:, slot], cover = _grown(cells, sign, free)
        found = clauses[:, slot].any(1)
        free = torch.where(found[:, None], free * (1 - cover), free)
    return clauses.view(batch, CLAUSES, atoms, 2)


def _grown(cells: Tensor, sign: Tensor, free: Tensor) -> tuple[Tensor, Tensor]:
    """Return the best clause on the free rows, (batch, literals), and the free rows that it covers.

    It is grown by the literal that rights most rows, as long as that rights enough of them.
    """
    batch, rows, literals = cells.shape
    clause = torch.zeros(batch, literals, dtype=torch.bool, device=cells.device)
    cover, gain = free, torch.zeros(batch, device=cells.device)
    for _ in range(GREEDY_LITERALS):
        gains = ((cover * sign)[:, None] @ cells)[:, 0]
        top, best = gains.max(1)
        better = top > gain + GREEDY_GAIN * rows
        true = cells.gather(2, best[:, None, None].expand(batch, rows, 1))[..., 0]
        cover = torch.where(better[:, None], cover * true, cover)
        clause |= nn.functional.one_hot(best, literals).bool() & better[:, None]
        gain = torch.where(better, top, gain)
    return clause, cover
