"""The rule beside other learners: the same folds, the same questions."""

import time
import warnings
from typing import Any

from gnri.data.schema import Schema
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.estimator.baselines import (
    Codes,
    Learner,
    Values,
    by_rules,
    by_scikit_learn,
    greedy,
    logistic,
    mean_size,
    tree,
)
from gnri.estimator.cross_validation import FOLDS, cross_validate
from gnri.induction import glances
from gnri.web.jobs import restore, rule_of
from gnri.web.learnt import Learnt, Report

LEARNERS: dict[str, Learner] = {
    "this rule learner": by_rules(rule_of, glances),
    "decision tree": by_scikit_learn(tree),
    "greedy rules, RIPPER-style": by_rules(greedy),
    "logistic regression": by_scikit_learn(logistic),
}


def compare(table: Table, learnt: Learnt, report: Report) -> dict[str, Any]:
    """Return how often each learner is right on rows that it was not shown."""
    fitted = restore(table, learnt)
    folds = min(FOLDS, *fitted.sizes)
    if folds < 2:
        raise GnriError("a class has one row only, so no rows can be held out to compare on")
    steps, done, found = len(LEARNERS) * folds, 0, []
    for name, learner in LEARNERS.items():

        def advance(name: str = name) -> None:
            nonlocal done
            done += 1
            report(done / steps, f"trying {name}")

        started, sizes = time.perf_counter(), list[float]()
        validation = cross_validate(fitted, _fold(learner, sizes), folds=folds, report=advance)
        found.append(
            {
                "name": name,
                "accuracy": validation.accuracy,
                "by_fold": validation.by_fold,
                "clauses": mean_size(sizes),
                "seconds": time.perf_counter() - started,
            }
        )
    rows, majority = sum(fitted.sizes), max(fitted.sizes) / sum(fitted.sizes)
    return {"folds": folds, "rows": rows, "majority": majority, "learners": found}


def _fold(learner: Learner, sizes: list[float]) -> Any:
    """Return the learner as cross-validation asks for it; the sizes of what it learns are kept."""

    def learn(_: Schema, values: Values, codes: Codes) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # logistic regression says so when it stops early
            found = learner(values, codes)
        sizes.extend([] if found.clauses is None else [found.clauses])
        return found.predict

    return learn
