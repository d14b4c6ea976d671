"""The learners that ours is measured against, each as its package has it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.estimator.baselines import (
    Codes,
    Fitted,
    Learner,
    Values,
    by_scikit_learn,
    logistic,
    majority,
    mean_size,
    tree,
)
from studies.benchmarks.ripper import RipperRule, fit_ripper
from studies.paper.tasks import episodes_of


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
    "logistic": by_scikit_learn(logistic),
    "cart": by_scikit_learn(tree),
    "cart-16": by_scikit_learn(lambda: tree(16)),
    "forest": by_scikit_learn(_forest),
    "boosted": by_scikit_learn(_boosted),
    "ripper": _ripper,
}
