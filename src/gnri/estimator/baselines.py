"""Other learners, for the audit and for comparison: a tree, greedy rules, logistic regression.

Tree and greedy rules break ties by position, as such learners do; they are not symmetric.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episode import Episode
from gnri.estimator.cross_validation import Codes, FoldLearner, FoldModel, Values
from gnri.rules.dnf import Clause, Literal, SignedDNF

RuleOf = Callable[[Episode], SignedDNF | None]
Mask = NDArray[np.bool_]


def by_scikit_learn(make: Callable[[], Any]) -> FoldLearner:
    """Return a scikit-learn classifier as a learner; it reads 0 and 1, and 1/2 if missing."""

    def fit(values: Values, codes: Codes) -> FoldModel:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # logistic regression warns when it stops early
            model = make().fit((values + 1.0) / 2, codes)
        leaves = float(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else None

        def predict_proba(rows: Values) -> NDArray[np.float64]:
            shares = np.zeros((len(rows), int(model.classes_[-1]) + 1))
            shares[:, model.classes_] = model.predict_proba((rows + 1.0) / 2)
            return shares

        predict = lambda rows: model.predict((rows + 1.0) / 2)  # noqa: E731
        return FoldModel(predict, clauses=leaves, predict_proba=predict_proba)

    return fit


def logistic() -> Any:
    """Return scikit-learn's logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def tree(leaves: int | None = None) -> Any:
    """Return scikit-learn's decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)


def cart(max_leaf_nodes: int | None = None) -> RuleOf:
    """Return a function that fits a decision tree and returns a clause for each leaf of label +1.

    A branch above its threshold becomes the atom and one below it the negation, so tree and rule
    agree on every row without missing cells; a leaf that only missing cells can reach gives no
    clause. Rows without a label are left out.
    """

    def induce(episode: Episode) -> SignedDNF | None:
        shown = episode.labels != 0
        if not shown.any():
            return None
        model = tree(max_leaf_nodes).fit(episode.values[shown], episode.labels[shown])
        return SignedDNF(_positive_paths(model))

    return induce


def _positive_paths(model: Any) -> Iterator[Clause]:
    nodes = model.tree_
    pending: list[tuple[int, Clause]] = [(0, frozenset())]
    while pending:
        node, path = pending.pop()
        below, above = nodes.children_left[node], nodes.children_right[node]
        if below == above:  # both are -1 at a leaf
            if model.classes_[np.argmax(nodes.value[node])] == 1:
                yield path
            continue
        literal = Literal(int(nodes.feature[node]))
        pending += [
            (child, path | {step})
            for child, step in ((above, literal), (below, ~literal))
            if ~step not in path
        ]


def greedy(episode: Episode) -> SignedDNF | None:
    """Return a rule by sequential covering: grow the purest clause, drop its rows, repeat."""
    if not episode.labels.any():
        return None
    truth = np.stack([episode.values == 1, episode.values == -1], axis=-1)
    truth = truth.reshape(episode.rows, -1)  # literal 2i is the atom i, 2i + 1 its negation
    left, negative = episode.labels == 1, episode.labels == -1
    clauses = []
    while left.any():
        chosen, covered = _purest_clause(truth, left, negative)
        if (covered & left).sum() <= (covered & negative).sum():
            break
        clauses.append([Literal(j // 2, j % 2 == 0) for j in chosen])
        left = left & ~covered
    return SignedDNF(clauses)


def _purest_clause(truth: Mask, positive: Mask, negative: Mask) -> tuple[list[int], Mask]:
    """Add literals, the first of equals, while the Laplace-corrected share of positives rises."""
    covered, chosen = np.ones(len(truth), dtype=bool), list[int]()
    purity = _purity(covered[:, None], positive, negative)[0]
    while (covered & negative).any():
        candidates = _purity(truth & covered[:, None], positive, negative)
        best = int(np.argmax(candidates))
        if candidates[best] <= purity:
            break
        purity = candidates[best]
        chosen.append(best)
        covered = covered & truth[:, best]
    return chosen, covered


def _purity(covered: Mask, positive: Mask, negative: Mask) -> NDArray[np.float64]:
    hits, misses = covered[positive].sum(axis=0), covered[negative].sum(axis=0)
    return np.asarray((hits + 1) / (hits + misses + 2))
