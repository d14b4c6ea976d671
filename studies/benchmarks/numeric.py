"""Tables of raw numbers: the classifier as a user meets it, beside a tree on the same columns."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.classifier import RuleClassifier
from gnri.estimator.baselines import distinct_literals
from studies.benchmarks.measuring import Place, measure, one_thread
from studies.benchmarks.results import Row, provenance
from studies.datasets import load

SETS = ("breast-cancer", "wine", "iris", "digits")
FOLDS = 5
SEED = 42


def _cart() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0)


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "rules": RuleClassifier,
    "rules, median": lambda: RuleClassifier(binarize="median"),
    "cart": _cart,
}


def numeric(
    place: Place, *, sets: Sequence[str] = SETS, classifiers: Sequence[str] = tuple(CLASSIFIERS)
) -> list[dict[str, str]]:
    """A row for each set, fold and classifier, in numeric.csv."""
    tasks: list[Row] = [
        {"set": name, "fold": fold, "learner": learner}
        for learner in classifiers
        for name in sets
        for fold in range(FOLDS)
    ]
    return measure("numeric", tasks, _run, place)


@lru_cache(maxsize=1)
def _numbers(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    dataset = load(name)
    return np.array(dataset.rows, dtype=np.float64), np.array(dataset.labels)


def _run(task: Row, _: Place) -> Row:
    from sklearn.model_selection import StratifiedKFold

    table, labels = _numbers(str(task["set"]))
    dealt = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    shown, hidden = list(dealt.split(table, labels))[int(task["fold"])]
    model = CLASSIFIERS[str(task["learner"])]()
    with one_thread():
        start = process_time()
        model.fit(table[shown], labels[shown])
        seconds = process_time() - start
    accuracy = float(np.mean(model.predict(table[hidden]) == labels[hidden]))
    facts: Row = {"accuracy": round(accuracy, 6), "seconds": round(seconds, 4)}
    return facts | _sizes(model, table[shown]) | provenance("cpu")


def _sizes(model: Any, table: NDArray[np.float64]) -> Row:
    """Clauses and literals of a rule on average; of a tree, its leaves."""
    if not isinstance(model, RuleClassifier):
        return {"clauses": int(model.get_n_leaves()), "literals": "", "distinct_literals": ""}
    values = model.binarizer_.transform(table)
    rules = [rule for rule in model.rules_.values() if rule is not None]
    counted = {
        "clauses": [len(rule.clauses) for rule in rules],
        "literals": [rule.size for rule in rules],
        "distinct_literals": [distinct_literals(rule, values) for rule in rules],
    }
    return {name: round(float(np.mean(sizes)), 3) for name, sizes in counted.items()}
