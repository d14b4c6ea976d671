"""How long it takes to tell the labels with the help of a rule."""

from collections.abc import Iterable, Sequence
from math import lgamma, log

import torch
from torch import Tensor

FEW, MANY = 2 / 3, 1 / 6
"""What a clause costs, of what it would if all clauses of its length were equally likely.

FEW of it, or MANY times log(rows + 1) of it if that is more, from fifty rows on, where rows are
twice those of the rarer class: of many rows there is much to tell, and a cheap clause would pay
for itself by what chance made of a few.
"""

_LEAST = 0.3  # nats of an error, also where nearly half of the rows are errors


def label_nats(errors: Tensor, rows: Tensor) -> Tensor:
    """Return log(rows + 1) + log(rows choose errors).

    What the labels cost beyond the rule if it errs at an unknown rate: an error weighs less the
    more there are.
    """
    return torch.lgamma(rows + 2) - torch.lgamma(errors + 1) - torch.lgamma(rows - errors + 1)


def share_of(target: int, rest: int) -> float:
    """Return what a clause costs in a rule that is to tell so many rows from so many others."""
    return max(FEW, MANY * log(2 * min(target, rest) + 1))


def rule_nats(sizes: Iterable[int], literals: int, share: float) -> float:
    """Return a share of log(literals choose size), summed over the clauses' sizes.

    The more literals a table has, the more each one in a rule must tell.
    """
    return share * sum(_log_choose(literals, size) for size in sizes)


def description_length(
    errors: int, rows: int, sizes: Iterable[int], literals: int, share: float = FEW
) -> float:
    """Return nats for a rule with clauses of these sizes, and for the labels it gets wrong.

    >>> one, none = [1], []
    >>> description_length(0, 10, one, 8) < description_length(1, 10, one, 8)
    True
    >>> description_length(0, 10, one, 8) < description_length(5, 10, none, 8)
    True
    """
    labels = log(rows + 1) + _log_choose(rows, errors)  # label_nats, of two plain numbers
    return labels + rule_nats(sizes, literals, share)


def literal_price(
    errors: int, rows: int, sizes: Sequence[int], literals: int, share: float
) -> float:
    """Return how many errors lengthen the description as much as a literal of the rule does.

    On average over its literals; `sizes` must not be empty.

    >>> literal_price(0, 100, [2], 8, FEW) < literal_price(20, 100, [2], 8, FEW)
    True
    """
    one_more = max(log(max(rows - errors, 1) / (errors + 1)), _LEAST)
    return rule_nats(sizes, literals, share) / sum(sizes) / one_more


def _log_choose(among: int, size: int) -> float:
    return lgamma(among + 1) - lgamma(size + 1) - lgamma(among - size + 1)
