"""The description length of a rule and of the labels that it gets wrong."""

from collections.abc import Iterable, Sequence
from math import lgamma, log

from gnri.model.layers import Array, log_gamma

FEW, MANY = 2 / 3, 1 / 6
"""A clause costs log(literals choose size), times max(FEW, MANY * log(rows + 1)).

Here rows are twice the rows of the rarer class. With many rows, a cheap clause would pay for itself
by chance.
"""

_LEAST = 0.3  # nats of an error, also where nearly half of the rows are errors


def label_nats(errors: Array, rows: Array) -> Array:
    """Return log(rows + 1) + log(rows choose errors), the cost of the labels given the rule."""
    return log_gamma(rows + 2) - log_gamma(errors + 1) - log_gamma(rows - errors + 1)


def share_of(target: int, rest: int) -> float:
    """Return the share that a clause costs, from the number of target rows and others."""
    return max(FEW, MANY * log(2 * min(target, rest) + 1))


def rule_nats(sizes: Iterable[int], literals: int, share: float) -> float:
    """Return `share` times log(literals choose size), summed over the clauses in a fixed order."""
    return share * sum(_log_choose(literals, size) for size in sorted(sizes))


def description_length(
    errors: int, rows: int, sizes: Iterable[int], literals: int, share: float = FEW
) -> float:
    """Return nats for a rule with clauses of these sizes, and for the labels it gets wrong."""
    labels = log(rows + 1) + _log_choose(rows, errors)  # label_nats, of two plain numbers
    return labels + rule_nats(sizes, literals, share)


def literal_price(
    errors: int, rows: int, sizes: Sequence[int], literals: int, share: float
) -> float:
    """Return the cost of an average literal, in errors; `sizes` must not be empty."""
    one_more = max(log(max(rows - errors, 1) / (errors + 1)), _LEAST)
    return rule_nats(sizes, literals, share) / sum(sizes) / one_more


def _log_choose(among: int, size: int) -> float:
    return lgamma(among + 1) - lgamma(size + 1) - lgamma(among - size + 1)
