"""How much of the MONK's rules is found, clause by clause.

Two clauses are the same if they hold of the same robots: `jacket = red` and the negation of the
three other jackets say one thing.
"""

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gnri.data.samples import ROBOTS, all_monks
from gnri.rules.dnf import Clause, SignedDNF, evaluate
from gnri.rules.simplify import simplify
from studies.datasets import encode

Robots = bytes
"""Of which robots a clause holds."""

MONKS = {"monks-1": 1, "monks-2": 2, "monks-3": 3}


def clause_f1(name: str, rule: SignedDNF | None) -> float:
    """Clauses found that are the problem's own, against those found and those there are."""
    wanted, found = _targets(MONKS[name]), _said(rule)
    return 2 * len(wanted & found) / (len(wanted) + len(found))


def targets_in(name: str, rule: SignedDNF | None) -> int:
    """How many of the problem's own clauses a rule has; none for a table that is no MONK's."""
    return len(_targets(MONKS[name]) & _said(rule)) if name in MONKS else 0


def positive_form(rule: SignedDNF) -> SignedDNF:
    """The rule as an OR of clauses: a complement is multiplied out.

    >>> print(positive_form(~SignedDNF([[(0, True), (1, True)]])))
    ~x0 | ~x1
    """
    if rule.positive:
        return rule
    product = SignedDNF([[]])
    for clause in rule.clauses:
        product = simplify(
            SignedDNF(kept | {~literal} for kept in product.clauses for literal in clause)
        )
    return product


def _said(rule: SignedDNF | None) -> frozenset[Robots]:
    if rule is None:
        return frozenset()
    found = (_robots(clause) for clause in positive_form(rule).clauses)
    return frozenset(robots for robots in found if any(robots))


def _robots(clause: Clause) -> Robots:
    return (evaluate(SignedDNF([clause]), _cells()) == 1).tobytes()


@lru_cache(maxsize=1)
def _cells() -> NDArray[np.int8]:
    return encode(all_monks(1)).values


@lru_cache(maxsize=3)
def _targets(problem: int) -> frozenset[Robots]:
    """The clauses of the published rules; monks-2 has one for each pair of attributes."""
    cells = np.array(ROBOTS)
    head, body, _, holding, jacket, _ = cells.T
    if problem == 1:
        masks = [(head == shape) & (body == shape) for shape in "123"] + [jacket == "1"]
    elif problem == 2:
        first = cells == "1"
        masks = [
            first[:, i] & first[:, j] & (first.sum(1) == 2) for i, j in combinations(range(6), 2)
        ]
    else:
        masks = [(jacket == "3") & (holding == "1"), (jacket != "4") & (body != "3")]
    return frozenset(mask.tobytes() for mask in masks)
