"""Cross-validation; thresholds and categories are learnt anew in each fold."""

import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.multiclass import Learner
from gnri.estimator.training_rows import count_table
from gnri.processes import exit_with_parent
from gnri.rules.rule_list import RuleList
from gnri.rules.scorecard import AnyRule, Scorecard

Item = TypeVar("Item")
Result = TypeVar("Result")
Values = NDArray[np.int8]
Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The training rows, and those to predict."""

FOLDS = 5
ENOUGH = 10  # rows from which on there are five folds, however few rows a class has


@dataclass(frozen=True, slots=True)
class FoldModel:
    """A fitted model: `predict`, its rules, and their mean number of clauses, or of tree leaves.

    `predict_proba`, if there is one, returns the probability of each of the classes 0, 1, ...
    """

    predict: Callable[[Values], Codes]
    rules: tuple[AnyRule | None, ...] = ()
    clauses: float | None = None
    predict_proba: Callable[[Values], NDArray[np.float64]] | None = None


FoldLearner = Callable[[Values, Codes], FoldModel]
"""Fit a model to atoms and classes; the classes are 0, 1, ..., and each has a row."""


@dataclass(frozen=True, eq=False)
class Validation:
    """The class of each row, and the class predicted by a model fitted without its fold."""

    classes: NDArray[Any]
    codes: Codes
    answers: Codes
    folds: tuple[NDArray[np.intp], ...]  # the rows of each
    clauses: float | None  # the mean over the folds
    seconds: float

    @property
    def accuracy(self) -> float:
        """The share of rows predicted right."""
        return float((self.answers == self.codes).mean())

    @property
    def by_fold(self) -> list[float]:
        """The accuracy in each fold."""
        return [float((self.answers[fold] == self.codes[fold]).mean()) for fold in self.folds]

    @property
    def majority(self) -> float:
        """The share of the largest class."""
        return float(np.bincount(self.codes).max() / len(self.codes))

    @property
    def shares(self) -> "ClassShares":
        """The balanced accuracy, and the figures of the rarest class."""
        return measure_classes(count_answers(self.codes, self.answers, len(self.classes)))

    @property
    def rare(self) -> list[str]:
        """The classes with too few rows for every fold to have one."""
        sizes = np.bincount(self.codes, minlength=len(self.classes))
        return [str(label) for label in self.classes[sizes < len(self.folds)]]


def cross_validate(
    fitted: Fitted,
    learner: FoldLearner | Learner | None = None,
    *,
    folds: int | None = None,
    report: Callable[[int, int], None] = lambda *_: None,
) -> Validation:
    """Return how models fitted without a fold predict its rows, for the training rows of `fitted`.

    Atoms are learnt anew in each fold, from as many copies of a row as `fitted` was; a row held out
    counts once. Without a `learner`, rules are learnt as those of `fitted`
    were, half of the folds in a second process; where `fitted` has no rule, all answers are its
    default.
    `report` is called with the number of folds that this process has done, and will do.
    """
    from gnri.model.layers import one_thread

    started, (_, codes) = time.perf_counter(), fitted.rows()
    parts = split_folds(codes, folds or fold_count(codes))
    if learner is None and not fitted.rule_list.steps:
        answers = np.full_like(codes, fitted.rule_list.default)
        hidden_rows = tuple(rows for _, rows in parts)
        return Validation(fitted.classes, codes, answers, hidden_rows, None, 0.0)
    learn = learner or fitted.settings.learner()
    answer = partial(_answer_fold, fitted, learn)
    here = parts if learner else parts[: (len(parts) + 1) // 2]
    found = []
    with one_thread(), map_in_background(answer, parts[len(here) :]) as others:
        for done, fold in enumerate(here, start=1):
            found.append(answer(fold))
            report(done, len(here))
        found += others()
    answers = np.empty_like(codes)
    for (_, hidden), (predicted, _) in zip(parts, found, strict=True):
        answers[hidden] = predicted
    hidden_rows, clauses = tuple(rows for _, rows in parts), mean_size(size for _, size in found)
    seconds = time.perf_counter() - started
    return Validation(fitted.classes, codes, answers, hidden_rows, clauses, seconds)


def mean_clauses(rules: RuleList) -> float | None:
    """Return the mean number of clauses of a rule; a line of a scorecard counts as one."""
    sizes = [
        len(rule.points if isinstance(rule, Scorecard) else rule.clauses) for rule in rules.rules
    ]
    return mean_size(sizes)


def mean_size(sizes: Iterable[float | None]) -> float | None:
    """Return the mean of the known sizes, or None if there are none."""
    known = [size for size in sizes if size is not None]
    return float(np.mean(known)) if known else None


def split_folds(codes: Codes, count: int) -> list[Fold]:
    """Return the folds of scikit-learn's StratifiedKFold(count, shuffle=True, random_state=0).

    scikit-learn itself takes a second to load. A class with fewer rows than folds has at most one
    row in each.
    """
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # in the order in which the classes come up
    ordered, random = np.sort(codes), np.random.RandomState(0)
    fold = np.empty(len(codes), np.intp)
    for k in range(len(first)):
        shares = [np.sum(ordered[i::count] == k) for i in range(count)]
        mine = np.arange(count).repeat(shares)
        random.shuffle(mine)
        fold[codes == k] = mine
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(count)]


def fold_count(codes: Codes) -> int:
    """Return 5 or, for very few rows, at most the size of the smallest class."""
    smallest = int(np.unique(codes, return_counts=True)[1].min())
    return FOLDS if len(codes) >= ENOUGH else min(FOLDS, smallest)


def count_answers(codes: Codes, answers: Codes, classes: int) -> NDArray[np.int64]:
    """Return the confusion matrix: classes on the first axis, predictions on the second."""
    counts = np.zeros((classes, classes), np.int64)
    np.add.at(counts, (codes, answers), 1)
    return counts


@dataclass(frozen=True, slots=True)
class ClassShares:
    """The balanced accuracy, and the rarest class with its precision and recall.

    >>> measure_classes(np.array([[90, 0], [5, 5]]))
    ClassShares(balanced_accuracy=0.75, rarest=1, precision=1.0, recall=0.5)
    """

    balanced_accuracy: float
    rarest: int
    precision: float | None  # None: it is never the answer
    recall: float


def measure_classes(counts: NDArray[np.int64]) -> ClassShares:
    """Return the shares of a confusion matrix; of equally rare classes, the last is the rarest."""
    sizes, answered, right = counts.sum(axis=1), counts.sum(axis=0), counts.diagonal()
    there = sizes > 0
    rarest = max(np.flatnonzero(there), key=lambda kind: (-sizes[kind], kind))
    return ClassShares(
        float(np.mean(right[there] / sizes[there])),
        int(rarest),
        float(right[rarest] / answered[rarest]) if answered[rarest] else None,
        float(right[rarest] / sizes[rarest]),
    )


def is_imbalanced(fitted: Fitted) -> bool:
    """Return whether one class has four fifths of the rows, or weights were used."""
    return fitted.copies is not None or 5 * max(fitted.sizes) >= 4 * sum(fitted.sizes)


@contextmanager
def map_in_background(
    function: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[Callable[[], list[Result]]]:
    """Map over the items in a forked process; yield a function that waits for the results.

    With one core, or if the fork fails, that function does the work itself.
    """

    def work() -> list[Result]:
        return [function(item) for item in items]

    if not items or not _can_fork():
        yield work
        return
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_send_results, args=(work, ours, theirs), daemon=True)
    with warnings.catch_warnings():
        # Python warns of the threads of Arrow, which are idle; the fork never calls Arrow.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()

    def results() -> list[Result]:
        try:
            return ours.recv()
        except EOFError:
            return work()

    try:
        yield results
    finally:
        process.kill()
        process.join()
        ours.close()


def _can_fork() -> bool:
    """Return whether there is a second core, on a system where a fork is safe."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def _send_results(work: Callable[[], Any], ours: Connection, theirs: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent reports an interrupt
    exit_with_parent()
    ours.close()  # or else `send` would not fail once the parent is gone
    with suppress(GnriError):
        theirs.send(work())


def _answer_fold(
    fitted: Fitted, learn: FoldLearner | Learner, fold: Fold
) -> tuple[Codes, float | None]:
    """Return the predictions for the held-out rows, and the mean number of clauses."""
    (shown, hidden), (_, codes), settings, table = (
        fold,
        fitted.rows(),
        fitted.settings,
        fitted.table,
    )
    assert table is not None, "a table is kept where its atoms are"
    codes = fitted.rows()[1]
    if fitted.copies is not None:
        shown = np.repeat(shown, fitted.copies[shown])
    present, places = np.unique(codes[shown], return_inverse=True)
    if len(present) == 1:
        return np.full(len(hidden), present[0]), None
    seen = table.take(shown)
    counts = [count_values(one) for one in seen.values()]
    schema = settings.learn_atoms(counts, seen.rows)
    if callable(learn):
        found = learn(encode(schema, seen), places)
        return present[found.predict(encode(schema, table.take(hidden)))], found.clauses
    schema, counter, _ = settings.count_rows(schema, seen, places, len(present))
    move = settings.mover(
        counts, lambda atoms: nullcontext(count_table(atoms, seen, places, len(present)))
    )
    limits = fitted.constraints
    bounds = None if limits is None else limits.bind(schema, present.tolist())
    rules = settings.learn_rules(schema, present, counter, learn, move, bounds).moved.compact()
    answers = rules.choose(encode(rules.schema, table.select(rules.columns).take(hidden)))
    return present[answers], mean_clauses(rules)
