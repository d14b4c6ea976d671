"""Other learners, for the audit and for comparison: trees, rules, a forest, logistic regression.

Tree and greedy rules break ties by position, as such learners do; they are not symmetric.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode
from gnri.data.kinds import ColumnKind
from gnri.data.schema import Schema
from gnri.data.table import Column, Table
from gnri.episode import Episode
from gnri.estimator.cross_validation import FOLDS, Baseline, BaselineModel, Codes, Values
from gnri.rules.dnf import Clause, Literal, SignedDNF

RuleOf = Callable[[Episode], SignedDNF | None]
Mask = NDArray[np.bool_]
Conditions = tuple[tuple[tuple[int, int], ...], ...]
"""Clauses, each of pairs of an atom and its cell."""

MAX_PRUNINGS = 12
"""Sizes of a tree, at most, from which cross-validation chooses."""


def of_columns(make: Callable[[], Any]) -> Baseline:
    """Return a scikit-learn classifier as a learner of columns as they are.

    Numbers stay numbers, each value of a category becomes a column, and a missing cell the median,
    with a column that says so. All of this is learnt from the rows shown.
    """

    def fit(_: Schema, seen: Table, codes: Codes) -> BaselineModel:
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline

        values = [np.unique(_known(one)) for one in seen.values()]
        model = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), make())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes with few rows, and of empty columns
            model.fit(_to_numbers(seen, values), codes)
        last = getattr(model[-1], "best_estimator_", model[-1])
        leaves = float(last.get_n_leaves()) if hasattr(last, "get_n_leaves") else None
        return BaselineModel(lambda table: model.predict(_to_numbers(table, values)), leaves)

    return fit


def _known(column: Column) -> NDArray[Any]:
    return column.values if column.known is None else column.values[column.known]


def _to_numbers(table: Table, values: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Return columns of numbers; `values` are those of each column that are known."""
    columns = []
    for column, own in zip(table.values(), values, strict=True):
        if column.kind == ColumnKind.CATEGORY:
            hits = column.values[:, None] == own
            columns.append(hits if column.known is None else hits & column.known[:, None])
        else:
            cells = column.values.astype(np.float64)
            if column.known is not None:
                cells[~column.known] = np.nan
            columns.append(cells[:, None])
    return np.hstack(columns).astype(np.float64)


def pruned_tree() -> Any:
    """Return scikit-learn's decision tree, cut back as much as cross-validation finds best."""
    from sklearn.model_selection import GridSearchCV

    class Pruned(GridSearchCV):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            costs = np.unique(tree().cost_complexity_pruning_path(X, y).ccp_alphas)
            chosen = (
                np.linspace(0, len(costs) - 1, min(len(costs), MAX_PRUNINGS)).round().astype(int)
            )
            self.param_grid = {"ccp_alpha": np.maximum(costs[chosen], 0.0)}
            self.cv = min(FOLDS, int(np.bincount(y).max()))
            return super().fit(X, y)

    return Pruned(tree(), {})


def forest() -> Any:
    """Return scikit-learn's random forest."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=0)


def scaled_logistic() -> Any:
    """Return scikit-learn's logistic regression, of columns brought to one scale."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), logistic())


def ripper(schema: Schema, seen: Table, codes: Codes) -> BaselineModel:
    """Fit RIPPER to atoms: the rarest class first, then the others on the rows that are left."""
    values = encode(schema, seen)
    *kinds, default = np.argsort(np.bincount(codes), kind="stable").tolist()
    left, steps = np.ones(len(codes), bool), list[tuple[Conditions, int]]()
    for kind in kinds:
        if 0 < (codes[left] == kind).sum() < left.sum():
            clauses = find_ripper_clauses(values[left], codes[left] == kind)
            steps.append((clauses, kind))
            left &= ~_any_met(clauses, values)

    def predict(table: Table) -> Codes:
        rows = encode(schema, table)
        found = np.full(len(rows), default)
        for clauses, kind in reversed(steps):
            found[_any_met(clauses, rows)] = kind
        return found

    return BaselineModel(predict, float(sum(len(clauses) for clauses, _ in steps)))


def find_ripper_clauses(values: Values, member: Mask, **limits: int | None) -> Conditions:
    """Return the clauses that the package wittgenstein finds for the rows of `member`.

    Each is of pairs of an atom and its cell, which may be 0, a missing one.
    """
    import pandas
    import wittgenstein

    frame = pandas.DataFrame(values.astype(str), columns=[str(i) for i in range(values.shape[1])])
    model = wittgenstein.RIPPER(random_state=0, **limits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its use of pandas
        model.fit(frame, y=member.astype(int), pos_class=1)
    return tuple(
        tuple((int(one.feature), int(one.val)) for one in rule.conds)
        for rule in model.ruleset_.rules
    )


def _any_met(clauses: Conditions, values: Values) -> Mask:
    met = np.zeros(len(values), bool)
    for clause in clauses:
        met |= np.all([values[:, atom] == cell for atom, cell in clause], axis=0)
    return met


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
