"""The rule beside other learners: the same folds, the same questions."""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.estimator.baselines import (
    Fitted,
    Learner,
    by_rules,
    by_scikit_learn,
    greedy,
    logistic,
    tree,
)
from gnri.induction import glances
from gnri.web.jobs import rule_of
from gnri.web.learnt import Learnt, Report

FOLDS = 5
SEED = 0

LEARNERS: dict[str, Learner] = {
    "this rule learner": by_rules(rule_of, glances),
    "decision tree": by_scikit_learn(tree),
    "greedy rules, RIPPER-style": by_rules(greedy),
    "logistic regression": by_scikit_learn(logistic),
}

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def compare(learnt: Learnt, report: Report) -> dict[str, Any]:
    """How often each learner is right on rows that it was not shown."""
    folds = min(FOLDS, int(np.bincount(learnt.codes).min()))
    if folds < 2:
        raise GnriError("a class has one row only, so no rows can be held out to compare on")
    splits = list(_splits(learnt, folds))
    found = []
    for i, (name, learner) in enumerate(LEARNERS.items()):
        report(i / len(LEARNERS), f"trying {name}")
        found.append(_tried(name, learner, learnt, splits, report, i))
    majority = float(np.bincount(learnt.codes).max() / len(learnt.codes))
    return {"folds": folds, "rows": len(learnt.codes), "majority": majority, "learners": found}


def _splits(learnt: Learnt, folds: int) -> Iterator[Split]:
    from sklearn.model_selection import StratifiedKFold

    dealt = StratifiedKFold(folds, shuffle=True, random_state=SEED)
    yield from dealt.split(learnt.values, learnt.codes)


def _tried(
    name: str, learner: Learner, learnt: Learnt, splits: list[Split], report: Report, place: int
) -> dict[str, Any]:
    started, shares, sizes = time.perf_counter(), [], []
    for fold, (shown, hidden) in enumerate(splits):
        fitted = _fitted(learner, learnt.values[shown], learnt.codes[shown])
        answers = fitted.predict(learnt.values[hidden])
        shares.append(float(np.mean(answers == learnt.codes[hidden])))
        sizes.append(fitted.clauses)
        report((place + (fold + 1) / len(splits)) / len(LEARNERS), f"trying {name}")
    known = [size for size in sizes if size is not None]
    return {
        "name": name,
        "accuracy": float(np.mean(shares)),
        "by_fold": shares,
        "clauses": float(np.mean(known)) if known else None,
        "seconds": time.perf_counter() - started,
    }


def _fitted(learner: Learner, values: NDArray[np.int8], codes: NDArray[np.intp]) -> Fitted:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # logistic regression says so when it stops early
        return learner(values, codes)
