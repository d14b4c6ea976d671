"""How well a learner does on rows it was not shown: folds, with cut points learnt inside each."""

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.encode import encode
from gnri.data.schema import Schema
from gnri.data.table import Table
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted, learn_atoms, learn_rules
from gnri.estimator.settings import FitSettings
from gnri.processes import leave_with_parent

Result = TypeVar("Result")


@contextmanager
def beside(work: Callable[[], Result]) -> Iterator[Callable[[], Result]]:
    """Start `work` in a fork of this process; call what this gives for its result.

    Where there is one core, `work` is done here, when its result is asked for. So it is if it fails
    there, for the error.
    """
    if not _can_fork():
        yield work
        return
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=_do, args=(work, ours, theirs), daemon=True)
    with warnings.catch_warnings():
        # Python warns of the threads of Arrow, which are idle; the fork never calls Arrow.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    theirs.close()

    def result() -> Result:
        try:
            found: Result = ours.recv()
        except EOFError:
            return work()
        return found

    try:
        yield result
    finally:
        process.kill()
        process.join()
        ours.close()


def _can_fork() -> bool:
    """Return whether there is a second core, on a system where a fork is safe."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def _do(work: Callable[[], Result], ours: Connection, theirs: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the one who asked says that it was interrupted
    leave_with_parent()
    ours.close()  # else nobody would notice here that nobody is there to read
    with suppress(GnriError):
        theirs.send(work())


Values = NDArray[np.int8]
Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
FoldLearner = Callable[[Schema, Values, Codes], Callable[[Values], Codes]]
"""From the atoms and classes of the rows shown to what answers others."""

FOLDS = 5

ENOUGH = 10
"""Rows from which there are five folds, however few a class has."""


@dataclass(frozen=True, eq=False)
class Validation:
    """The class of each row, and the one answered by what was learnt without its fold."""

    classes: NDArray[Any]
    codes: Codes
    answers: Codes
    folds: tuple[NDArray[np.intp], ...]  # the rows of each

    @property
    def accuracy(self) -> float:
        """The share of rows answered right."""
        return float((self.answers == self.codes).mean())

    @property
    def by_fold(self) -> list[float]:
        """The same in each fold."""
        return [float((self.answers[fold] == self.codes[fold]).mean()) for fold in self.folds]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    @property
    def majority(self) -> float:
        """The share of the largest class."""
        return float(self.sizes.max() / len(self.codes))

    @property
    def rare(self) -> list[str]:
        """The classes with too few rows for every fold to have one."""
        return [str(label) for label in self.classes[self.sizes < len(self.folds)]]

    def confusion(self) -> NDArray[np.int64]:
        """Return how many rows of each class (first axis) got each answer (second)."""
        return count_answers(self.codes, self.answers, len(self.classes))


def cross_validate(
    fitted: Fitted,
    learner: FoldLearner | None = None,
    *,
    folds: int | None = None,
    report: Callable[[], None] = lambda: None,
) -> Validation:
    """Return how `learner` answers the rows of each fold when it is not shown them.

    The rows are those that `fitted` was learnt from. Without a `learner`, rules are learnt as it
    was. Atoms are learnt anew from the rows shown.
    """
    _, codes = fitted.rows()
    assert fitted.table is not None, "a table is kept where its atoms are"
    parts = split_folds(codes, folds or fold_count(codes))
    found = learner or rule_learner(fitted.settings)
    answer = partial(_answer_fold, fitted.table, codes, fitted.settings, found)
    answer_all = _answer_all if learner else _answer_beside
    answers = np.empty_like(codes)
    for (_, hidden), said in zip(parts, answer_all(answer, parts, report), strict=True):
        answers[hidden] = said
    return Validation(fitted.classes, codes, answers, tuple(hidden for _, hidden in parts))


def rule_learner(settings: FitSettings) -> FoldLearner:
    """Return the learner of rules by these settings."""
    learner = settings.learner()

    def learn(schema: Schema, values: Values, codes: Codes) -> Callable[[Values], Codes]:
        classes = int(codes.max()) + 1
        counter = Counter.from_values(values, codes, classes)
        return learn_rules(schema, np.arange(classes), counter, learner).choose

    return learn


def split_folds(codes: Codes, count: int) -> list[Fold]:
    """Return the rows to show and the rows to hide, so many times.

    They are those of StratifiedKFold(count, shuffle=True, random_state=0), so that figures can be
    compared; scikit-learn itself would take a second to load. The rows of a class that has fewer
    than there are folds are dealt out one by one.
    """
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # in the order in which the classes come up
    ordered = np.sort(codes)
    random = np.random.RandomState(0)
    fold = np.empty(len(codes), np.intp)
    for k in range(len(first)):
        shares = [np.sum(ordered[i::count] == k) for i in range(count)]
        mine = np.arange(count).repeat(shares)
        random.shuffle(mine)
        fold[codes == k] = mine
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(count)]


def fold_count(codes: Codes) -> int:
    """Return five folds or, of very few rows, as many as the smallest class has."""
    smallest = int(np.unique(codes, return_counts=True)[1].min())
    return FOLDS if len(codes) >= ENOUGH else min(FOLDS, smallest)


def count_answers(codes: Codes, answers: Codes, classes: int) -> NDArray[np.int64]:
    """Return how many rows of each class (first axis) got each answer (second)."""
    counts = np.zeros((classes, classes), np.int64)
    np.add.at(counts, (codes, answers), 1)
    return counts


def _answer_all(
    answer: Callable[[Fold], Codes], folds: Sequence[Fold], report: Callable[[], None]
) -> list[Codes]:
    """Return the answers of each fold."""
    found = []
    for fold in folds:
        found.append(answer(fold))
        report()
    return found


def _answer_beside(
    answer: Callable[[Fold], Codes], folds: Sequence[Fold], report: Callable[[], None]
) -> list[Codes]:
    """Return the same, half of it from a second process where there is a core for it."""
    from gnri.model.threads import one_thread

    middle = (len(folds) + 1) // 2
    with one_thread(), beside(lambda: list(map(answer, folds[middle:]))) as others:
        return _answer_all(answer, folds[:middle], report) + others()


def _answer_fold(
    table: Table, codes: Codes, settings: FitSettings, learner: FoldLearner, fold: Fold
) -> Codes:
    """Return the answers on the hidden rows; where one class is shown, that class."""
    shown, hidden = fold
    present, places = np.unique(codes[shown], return_inverse=True)
    if len(present) == 1:
        return np.full(len(hidden), present[0])
    seen = table.take(shown)
    schema = learn_atoms([count_values(column) for column in seen.values()], seen.rows, settings)
    predict = learner(schema, encode(schema, seen), places)
    return present[predict(encode(schema, table.take(hidden)))]
