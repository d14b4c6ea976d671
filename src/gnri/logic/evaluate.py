"""Kleene truth of a rule on rows: AND is min, OR is max, NOT is minus."""

import numpy as np
from numpy.typing import NDArray

from gnri.errors import RuleError, ShapeError
from gnri.logic.formula import Clause, SignedDNF


def evaluate(rule: SignedDNF, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Truth of `rule` on each row of `values`, as +1, -1 or 0 where it cannot be known.

    The empty clause is true and the empty rule false, as the neutral elements of min and max.
    """
    values = np.asarray(values)
    check_fits(rule, values)
    columns = _columns(rule, values)
    truth = np.full(len(values), -1, dtype=np.int8)
    for clause in rule.clauses:
        np.maximum(truth, _conjunction(clause, columns, len(values)), out=truth)
    return truth if rule.positive else -truth


def coverage(rule: SignedDNF, values: NDArray[np.int8]) -> dict[Clause, NDArray[np.int8]]:
    """Truth of each clause by itself, on each row."""
    values = np.asarray(values)
    check_fits(rule, values)
    columns = _columns(rule, values)
    return {clause: _conjunction(clause, columns, len(values)) for clause in rule.clauses}


def check_fits(rule: SignedDNF, values: NDArray[np.int8]) -> None:
    """Raise unless `values` is a table with every atom the rule reads."""
    if values.ndim != 2:
        raise ShapeError(f"values must have 2 axes, rows and atoms, got {values.ndim}")
    if rule.atoms and max(rule.atoms) >= values.shape[1]:
        raise RuleError(
            f"the rule reads atom x{max(rule.atoms)}, but the table has {values.shape[1]} "
            "atoms; pass the table the rule was induced from, or one with the same columns"
        )


def _columns(rule: SignedDNF, values: NDArray[np.int8]) -> dict[int, NDArray[np.int8]]:
    # Copied once, so that each literal then reads contiguous memory.
    return {atom: np.ascontiguousarray(values[:, atom], dtype=np.int8) for atom in rule.atoms}


def _conjunction(
    clause: Clause, columns: dict[int, NDArray[np.int8]], rows: int
) -> NDArray[np.int8]:
    truth = np.ones(rows, dtype=np.int8)
    for atom, positive in clause:
        np.minimum(truth, columns[atom] if positive else -columns[atom], out=truth)
    return truth
