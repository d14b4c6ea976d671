"""Other learners, for the audit and the comparison: a tree, greedy rules, logistic regression.

Tree and greedy rules are also inducers of one rule, so that the same audit runs on them. Both break
ties by position, as such learners do; nothing here is meant to be symmetric.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.episode import Episode
from gnri.estimator.fitting import learn_rules
from gnri.estimator.learners import EpisodeLearner, Induce
from gnri.rules.dnf import Clause, Literal, SignedDNF

Values = NDArray[np.int8]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a learner has learnt: how it predicts, its rules, and how large a rule is on average.

    A tree counts its leaves as clauses. `literals` is None where there are none to count, and
    `distinct` counts literals that are true on the same training rows once.
    """

    predict: Callable[[Values], Codes]
    rules: tuple[SignedDNF | None, ...] = ()
    clauses: float | None = None
    literals: float | None = None
    distinct: float | None = None


Learner = Callable[[Values, Codes], Fitted]


def majority(_: Values, codes: Codes) -> Fitted:
    """The most frequent class, always; the first of equally frequent ones."""
    most = np.bincount(codes).argmax()
    return Fitted(lambda rows: np.full(len(rows), most))


def mean_size(sizes: Sequence[float]) -> float | None:
    """The mean, or None where there is nothing to count."""
    return float(np.mean(sizes)) if sizes else None


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


RuleOf = Callable[[Episode], SignedDNF | None]


def by_rules(rule_of: RuleOf, glances: Induce | None = None) -> Learner:
    """Rules as `RuleClassifier` has them: one for two classes, more are asked for in turn.

    `glances` gives quick rules by which several classes are put in order, `rule_of` if none.
    """
    learner = EpisodeLearner(_each(rule_of), glances or _each(rule_of))

    def fit(values: Values, codes: Codes) -> Fitted:
        classes, places = np.unique(codes, return_inverse=True)
        if len(classes) == 1:
            return Fitted(majority(values, codes).predict, rules=(None,))
        schema = Schema(tuple(IsTrue(f"x{atom}") for atom in range(values.shape[1])))
        counter = Counter.from_values(values, places, len(classes))
        ruleset = learn_rules(schema, classes, counter, learner)
        return measured(lambda rows: classes[ruleset.choose(rows)], ruleset.rules, values)

    return fit


def measured(
    predict: Callable[[Values], Codes], rules: Sequence[SignedDNF | None], values: Values
) -> Fitted:
    """What was fitted to these rows, with the sizes of its rules."""
    found = [rule for rule in rules if rule is not None]
    return Fitted(
        predict,
        tuple(rules),
        clauses=mean_size([len(rule.clauses) for rule in found]),
        literals=mean_size([rule.size for rule in found]),
        distinct=mean_size([distinct_literals(rule, values) for rule in found]),
    )


def distinct_literals(rule: SignedDNF, values: Values) -> int:
    """The literals of a rule, those of one clause that are true on the same rows counted once.

    >>> twice = np.array([[1, 1], [-1, -1]], np.int8)
    >>> distinct_literals(SignedDNF([[(0, True), (1, True)]]), twice)
    1
    """
    return sum(
        len({(values[:, atom] == (1 if sign else -1)).tobytes() for atom, sign in clause})
        for clause in rule.clauses
    )


def _each(rule_of: RuleOf) -> Induce:
    return lambda episodes: [rule_of(episode) for episode in episodes]


def by_scikit_learn(make: Callable[[], Any]) -> Learner:
    """A scikit-learn classifier on 0 and 1, a missing cell halfway between."""

    def fit(values: Values, codes: Codes) -> Fitted:
        model = make().fit(_halves(values), codes)
        leaves = float(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else None
        return Fitted(lambda rows: model.predict(_halves(rows)), clauses=leaves)

    return fit


def _halves(values: Values) -> NDArray[np.float64]:
    return (values + 1.0) / 2


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def tree(leaves: int | None = None) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
