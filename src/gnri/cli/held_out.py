"""How well rules made this way do on rows they were not made from."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cli.console import progress
from gnri.cli.learning import Learnt, Task
from gnri.errors import GnriError

FOLDS = 5

LONGEST = 60.0
"""Seconds that it may be expected to take; beyond, it is left to be asked for."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The share of rows predicted right, overall and by fold, and that of the largest class."""

    accuracy: float
    by_fold: tuple[float, ...]
    majority: float


@dataclass(frozen=True, slots=True)
class Tried:
    """The estimate, or why there is none, and the seconds it took."""

    estimate: Estimate | None
    skipped: str | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        if self.estimate is None:
            return {"skipped": self.skipped}
        return {
            "accuracy": self.estimate.accuracy,
            "by_fold": list(self.estimate.by_fold),
            "majority": self.estimate.majority,
        }


def try_held_out(task: Task, learnt: Learnt, wanted: bool | None) -> Tried:
    """The estimate, if it is wanted or, where nobody said, if it does not take long."""
    started = time.perf_counter()
    estimate, skipped = None, _reason_against(task, learnt, wanted)
    if skipped is None:
        try:
            estimate = held_out(task, learnt)
        except GnriError as error:
            skipped = f"without a fifth of the rows there is no rule: {error}"
    return Tried(estimate, skipped, time.perf_counter() - started)


def held_out(task: Task, learnt: Learnt) -> Estimate:
    """Each fold predicted by rules from the others; every fold has the classes in their shares."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    labels, folds = task.labels, fold_count(task.labels)
    right = np.zeros(len(labels), np.bool_)
    by_fold = []
    split = StratifiedKFold(folds, shuffle=True, random_state=0).split(labels, labels)
    with progress("trying it on held-out rows", folds) as advance:
        for shown, hidden in split:
            rules = clone(learnt.classifier).fit(task.frame.take(shown), labels[shown])
            right[hidden] = rules.predict(task.frame.take(hidden)) == labels[hidden]
            by_fold.append(float(right[hidden].mean()))
            advance()
    largest = np.unique(labels, return_counts=True)[1].max()
    return Estimate(float(right.mean()), tuple(by_fold), float(largest / len(labels)))


def fold_count(labels: NDArray[Any]) -> int:
    """Five folds, or as many as the smallest class has rows."""
    return min(FOLDS, int(np.unique(labels, return_counts=True)[1].min()))


def _reason_against(task: Task, learnt: Learnt, wanted: bool | None) -> str | None:
    folds = fold_count(task.labels)
    expected = learnt.seconds * folds
    if wanted is False:
        return "not asked for"
    if folds < 2:
        return "a class has one row only, so no rows can be held out"
    if wanted is None and expected > LONGEST:
        return f"it would take about {expected:.0f} s; ask for it with --estimate"
    return None
