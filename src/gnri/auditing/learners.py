"""Ordinary rule learners as inducers, so that the same audit can be run on them.

Both break ties by position, as such learners do; nothing here is meant to be symmetric.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.episodes.episode import Episode
from gnri.logic.formula import Clause, Literal, SignedDNF


def cart(max_leaf_nodes: int | None = None) -> Callable[[Episode], SignedDNF | None]:
    """scikit-learn's decision tree, read as a rule: one clause for each leaf of the label +1.

    The tree sees the cells as the numbers they are. A branch above its threshold becomes the
    atom and one below it the negation, so tree and rule agree on every row without missing cells;
    a leaf that only missing cells can reach gives no clause. Rows without a label are left out.
    """

    def induce(episode: Episode) -> SignedDNF | None:
        from sklearn.tree import DecisionTreeClassifier

        shown = episode.labels != 0
        if not shown.any():
            return None
        model = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, random_state=0)
        model.fit(episode.values[shown], episode.labels[shown])
        return SignedDNF(clause for clause in _positive_paths(model) if _satisfiable(clause))

    return induce


def greedy(episode: Episode) -> SignedDNF | None:
    """Sequential covering: grow the purest clause, set aside the rows it covers, repeat.

    Among equally pure literals the one with the lowest index is taken.
    """
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


def _purest_clause(
    truth: NDArray[np.bool_], positive: NDArray[np.bool_], negative: NDArray[np.bool_]
) -> tuple[list[int], NDArray[np.bool_]]:
    """Literals added while they raise the Laplace-corrected share of positive rows."""
    covered = np.ones(len(truth), dtype=bool)
    chosen: list[int] = []
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


def _purity(
    covered: NDArray[np.bool_], positive: NDArray[np.bool_], negative: NDArray[np.bool_]
) -> NDArray[np.float64]:
    hits, misses = covered[positive].sum(axis=0), covered[negative].sum(axis=0)
    return np.asarray((hits + 1) / (hits + misses + 2))


def _positive_paths(model: Any) -> Iterator[Clause]:
    tree = model.tree_
    pending: list[tuple[int, Clause]] = [(0, frozenset())]
    while pending:
        node, path = pending.pop()
        below, above = tree.children_left[node], tree.children_right[node]
        if below == above:  # both are -1 at a leaf
            if model.classes_[np.argmax(tree.value[node])] == 1:
                yield path
            continue
        atom = int(tree.feature[node])
        pending.append((above, path | {Literal(atom, True)}))
        pending.append((below, path | {Literal(atom, False)}))


def _satisfiable(clause: Clause) -> bool:
    return not any(~literal in clause for literal in clause)
