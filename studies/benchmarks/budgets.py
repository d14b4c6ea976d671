"""Learners held to a budget: at most so many lines, or so many conditions, for each rule.

Two classes have one rule, more classes one each. `cart:5` has at most five lines and `cart:5c` five
conditions. A test of a tree is a condition, and a line; a tree has a leaf more than tests. For
FasterRisk a line is one condition.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Schema
from gnri.errors import GnriError
from gnri.estimator.baselines import tree
from gnri.estimator.cross_validation import Codes, Values
from studies.benchmarks.fitted import Fitted, FoldLearner, spread_shares
from studies.benchmarks.one_against_rest import one_against_rest
from studies.benchmarks.rule_learners import fit_ripper, imported

LINES, CONDITIONS = (3, 5, 8, 12), (3, 5, 10, 20)
BUDGETS = (*map(str, LINES), *(f"{size}c" for size in CONDITIONS))
Chances = Callable[[Any], NDArray[np.float64]]  # of each class, by cells of 0, 1/2 and 1
Size = Callable[[Iterable[int]], int]  # how many columns these atoms are of


def read_budget(name: str) -> tuple[str, int | None, int | None]:
    """Return a learner's name, its lines and its conditions; None where they are not bounded.

    >>> read_budget("cart:5"), read_budget("auto:20c"), read_budget("auto")
    (('cart', 5, None), ('auto', None, 20), ('auto', None, None))
    """
    learner, _, text = name.partition(":")
    size = text.removesuffix("c")
    if text and not size.isdecimal():
        raise GnriError(f"a budget is a whole number, as in {learner}:5 or {learner}:5c")
    if size == text:
        return learner, int(text) if text else None, None
    return learner, None, int(size)


def bounded(name: str, schema: Schema | None) -> FoldLearner:
    """Return one of `PEERS` within its budget, over the atoms of a schema or over numbers."""
    learner, lines, conditions = read_budget(name)
    size = lines or conditions or 1

    def columns(atoms: Iterable[int]) -> int:
        return len({schema.atoms[atom].column if schema else atom for atom in atoms})

    def fit(values: Values, codes: Codes) -> Fitted:
        if learner == "ripper":
            return _ripper(values, codes, columns, max_rules=lines, max_total_conds=conditions)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of their use of NumPy and scikit-learn
            return PEERS[learner]((values + 1.0) / 2, codes, columns, size)

    return fit


def _fitted(chances: Chances, used: list[int], columns: Size, rules: int = 1) -> Fitted:
    """Return a model by its probabilities and the atom or number of each of its conditions."""
    size = len(used) / rules
    return Fitted(
        lambda rows: chances((rows + 1.0) / 2).argmax(axis=1),
        clauses=size,
        predict_proba=lambda rows: chances((rows + 1.0) / 2),
        literals=size,
        columns=columns(used),
    )


def _cart(values: Any, codes: Codes, columns: Size, size: int) -> Fitted:
    rules = 1 if codes.max() < 2 else int(codes.max()) + 1
    model = tree(1 + size * rules).fit(values, codes)
    tested = [int(one) for one in model.tree_.feature if one >= 0]
    return _fitted(spread_shares(model.predict_proba, model.classes_), tested, columns, rules)


def _figs(values: Any, codes: Codes, columns: Size, size: int) -> Fitted:
    model = imported("imodels").FIGSClassifier(max_rules=size, random_state=0)
    model.fit(values, codes)
    pending, tested = list(model.trees_), []
    while pending:
        node = pending.pop()
        if node.left is not None:
            tested.append(int(node.feature))
            pending += [node.left, node.right]
    return _fitted(model.predict_proba, tested, columns)


def _fasterrisk(values: Any, codes: Codes, columns: Size, size: int) -> Fitted:
    risk = imported("fasterrisk.fasterrisk").RiskScoreOptimizer
    found = risk(values, np.where(codes == 1, 1.0, -1.0), k=min(size, values.shape[1]))
    found.optimize()
    worth, start, points = found.get_models(model_index=0)

    def chances(rows: Any) -> NDArray[np.float64]:
        positive = 1 / (1 + np.exp(-(start + rows @ points) / worth))
        return np.stack([1 - positive, positive], axis=1)

    return _fitted(chances, np.flatnonzero(points).tolist(), columns)


def _ripper(values: Values, codes: Codes, columns: Size, **limits: int | None) -> Fitted:
    found = one_against_rest(lambda one: fit_ripper(one.values, one.labels == 1, **limits))
    fitted = found(values, codes)
    rule: Any = fitted.rules[0]
    used = columns(atom for clause in rule.clauses for atom, _ in clause)
    return Fitted(fitted.predict, clauses=len(rule.clauses), literals=rule.size, columns=used)


PEERS: dict[str, Callable[..., Fitted]]
PEERS = {"cart": _cart, "ripper": _ripper, "figs": _figs, "fasterrisk": _fasterrisk}
OF_TWO_CLASSES = ("ripper", "figs", "fasterrisk")
