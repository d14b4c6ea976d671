"""The slow and obvious way to compare rules, beside which the fast one is held."""

import numpy as np

from gnri.rules.dnf import SignedDNF


def same_truth_table(a: SignedDNF, b: SignedDNF) -> bool:
    """Whether two rules agree on every row of the truth table of their atoms."""
    order = sorted(a.atoms | b.atoms)
    assert len(order) <= 16, "a larger table takes too long"
    rows = np.arange(2 ** len(order))[:, None] >> np.arange(len(order))
    table = (2 * (rows & 1) - 1).astype(np.int8)
    one, other = (_renumbered(rule, order).evaluate(table) for rule in (a, b))
    return bool(np.array_equal(one, other))


def _renumbered(rule: SignedDNF, order: list[int]) -> SignedDNF:
    column = {atom: i for i, atom in enumerate(order)}
    moved = ([(column[atom], positive) for atom, positive in clause] for clause in rule.clauses)
    return SignedDNF(moved, rule.positive)
