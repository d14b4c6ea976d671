"""The learners that ours is measured against, each as its package has it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.bench.fitted import Codes, Fitted, Learner, Values, majority, mean_size
from gnri.bench.ripper import RipperRule, fit_ripper
from gnri.estimator.learning import episodes_of


def _scikit(make: Callable[[], Any]) -> Learner:
    """A scikit-learn classifier on 0 and 1, a missing cell halfway between."""

    def fit(values: Values, codes: Codes) -> Fitted:
        model = make().fit(_halves(values), codes)
        leaves = float(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else None
        return Fitted(lambda rows: model.predict(_halves(rows)), clauses=leaves)

    return fit


def _halves(values: Values) -> NDArray[np.float64]:
    return (values + 1.0) / 2


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _tree(leaves: int | None = None) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(300, random_state=0)


def _boosted() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # To stop early it would set rows aside by class, which a class of one row does not allow.
    return HistGradientBoostingClassifier(early_stopping=False, random_state=0)


def _ripper(values: Values, codes: Codes) -> Fitted:
    """RIPPER for each class against the rest; of several, the one that is likeliest by its rule."""
    classes, places = np.unique(codes, return_inverse=True)
    two = len(classes) == 2
    members = [one.labels == 1 for one in episodes_of(values, places, len(classes))]
    rules = [fit_ripper(values, member) for member in members]
    said = [(rule.holds(values), member) for rule, member in zip(rules, members, strict=True)]
    likely = [(_share(member[holds]), _share(member[~holds])) for holds, member in said]
    # Of equally likely classes the larger one wins, and of equally large ones the earlier.
    order = sorted(range(len(rules)), key=lambda k: -int(members[k].sum()))
    literals = mean_size([sum(map(len, rule.clauses)) for rule in rules])
    return Fitted(
        lambda rows: classes[_places(rules, likely, order, rows, two)],
        clauses=mean_size([len(rule.clauses) for rule in rules]),
        literals=literals,
        distinct=literals,
    )


def _share(member: NDArray[np.bool_]) -> float:
    return (int(member.sum()) + 1) / (len(member) + 2)


def _places(
    rules: list[RipperRule],
    likely: list[tuple[float, float]],
    order: list[int],
    rows: Values,
    two: bool,
) -> Codes:
    if two:
        return rules[0].holds(rows).astype(np.intp)
    said = [np.where(rules[k].holds(rows), *likely[k]) for k in order]
    return np.array(order)[np.argmax(said, axis=0)]


OTHERS: dict[str, Learner] = {
    "majority": majority,
    "logistic": _scikit(_logistic),
    "cart": _scikit(_tree),
    "cart-16": _scikit(lambda: _tree(16)),
    "forest": _scikit(_forest),
    "boosted": _scikit(_boosted),
    "ripper": _ripper,
}
