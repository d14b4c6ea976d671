"""How well rules made this way do on rows they were not made from."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.cli.console import progress
from gnri.cli.learning import Learnt, Task
from gnri.errors import GnriError
from gnri.estimator.background import beside

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
Right = NDArray[np.bool_]

FOLDS = 5

ENOUGH = 10
"""Rows from which there are five folds, however few a class has."""

LONGEST = 60.0
"""Seconds that it may be expected to take; beyond, it is left to be asked for."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The share of rows predicted right, overall and by fold, and that of the largest class.

    `rare` are the classes with too few rows for every fold to have one.
    """

    accuracy: float
    by_fold: tuple[float, ...]
    majority: float
    rare: tuple[str, ...]


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
            "rare": list(self.estimate.rare),
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
    labels = task.labels
    folds = folds_of(labels, fold_count(labels))
    right = _right(task, learnt, folds)
    classes, sizes = np.unique(labels, return_counts=True)
    return Estimate(
        accuracy=float(np.concatenate(right).mean()),
        by_fold=tuple(float(fold.mean()) for fold in right),
        majority=float(sizes.max() / len(labels)),
        rare=tuple(map(str, classes[sizes < len(folds)])),
    )


def _right(task: Task, learnt: Learnt, folds: list[Fold]) -> list[Right]:
    """Which of its hidden rows are predicted right, for each fold."""
    try_one = partial(_try_one, task, learnt)
    middle = (len(folds) + 1) // 2
    found = []
    with (
        _meanwhile(learnt, lambda: list(map(try_one, folds[middle:]))) as others,
        progress("trying it on held-out rows", middle) as advance,
    ):
        for fold in folds[:middle]:
            found.append(try_one(fold))
            advance()
        return found + others()


@contextmanager
def _meanwhile(
    learnt: Learnt, work: Callable[[], list[Right]]
) -> Iterator[Callable[[], list[Right]]]:
    """Do it beside this process, if the model computes on one thread and so takes one core."""
    from gnri.model.guided.guided import Guided
    from gnri.model.load import load_model
    from gnri.model.threads import one_thread

    if not isinstance(load_model(learnt.wishes.model), Guided):
        yield work
        return
    with one_thread(), beside(work) as result:
        yield result


def _try_one(task: Task, learnt: Learnt, fold: Fold) -> Right:
    from gnri.estimator.plain import answers, fit_frame

    shown, hidden = fold
    if len(np.unique(task.labels[shown])) == 1:  # all that is left to answer
        return np.asarray(task.labels[hidden] == task.labels[shown][0])
    found = fit_frame(task.frame.take(shown), task.labels[shown], learnt.wishes)
    right: Right = answers(found, task.frame.take(hidden)) == task.labels[hidden]
    return right


def folds_of(labels: NDArray[Any], count: int) -> list[Fold]:
    """The rows to learn from and the rows to hide, so many times.

    They are those of StratifiedKFold(count, shuffle=True, random_state=0), so that figures can be
    compared; scikit-learn itself would take a second to load. The rows of a class that has fewer
    than there are folds are dealt out one by one.
    """
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # in the order in which the classes come up
    ordered = np.sort(codes)
    random = np.random.RandomState(0)
    fold = np.empty(len(labels), np.intp)
    for k in range(len(first)):
        shares = [np.sum(ordered[i::count] == k) for i in range(count)]
        mine = np.arange(count).repeat(shares)
        random.shuffle(mine)
        fold[codes == k] = mine
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(count)]


def fold_count(labels: NDArray[Any]) -> int:
    """Five folds or, of very few rows, as many as the smallest class has."""
    smallest = int(np.unique(labels, return_counts=True)[1].min())
    return FOLDS if len(labels) >= ENOUGH else min(FOLDS, smallest)


def _reason_against(task: Task, learnt: Learnt, wanted: bool | None) -> str | None:
    folds = fold_count(task.labels)
    expected = learnt.seconds * folds
    if wanted is False:
        return "not asked for"
    if folds < 2:
        return (
            f"a class has one row only, and there are fewer than {ENOUGH}, so none can be held out"
        )
    if wanted is None and expected > LONGEST:
        return f"it would take about {expected:.0f} s; ask for it with --estimate"
    return None
