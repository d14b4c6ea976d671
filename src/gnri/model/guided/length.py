"""How long it takes to tell the labels with the help of a rule."""

import torch
from torch import Tensor

NATS_A_LITERAL = 2.0


def label_nats(errors: Tensor, rows: Tensor) -> Tensor:
    """log(rows + 1) + log(rows choose errors).

    What the labels cost beyond the rule if it errs at an unknown rate: an error weighs less the
    more there are.
    """
    return torch.lgamma(rows + 2) - torch.lgamma(errors + 1) - torch.lgamma(rows - errors + 1)


def description_length(errors: float, rows: float, literals: int) -> float:
    """Nats for the rule and for the labels it gets wrong.

    >>> description_length(0, 10, 1) < description_length(1, 10, 1) < description_length(5, 10, 0)
    True
    """
    counts = torch.tensor([errors, rows], dtype=torch.float64)
    return label_nats(*counts).item() + NATS_A_LITERAL * literals
