"""Cross-validation; thresholds and categories are learnt anew in each fold.

`estimate` is the one figure that the command line, reports and the page show.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnri.data.encode import encode
from gnri.data.schema import Schema
from gnri.data.table import Table
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.fitting import Fitted
from gnri.estimator.training_rows import LabelledRows, pack_rows
from gnri.processes import map_in_background
from gnri.rules.rule_list import RuleList

if TYPE_CHECKING:
    from gnri.estimator.learners import ModelLearner

Values = NDArray[np.int8]
Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The training rows, and those to predict."""

FOLDS = 5
MAX_SECONDS = 60.0  # seconds that it may take where nobody asked for it
MIN_ROWS = 10  # rows from which on there are five folds, however few rows a class has


class BaselineModel(NamedTuple):
    """A fitted baseline, and its number of clauses or of tree leaves, if it has any."""

    predict: Callable[[Table], Codes]
    clauses: float | None = None


Baseline = Callable[[Schema, Table, Codes], BaselineModel]
"""Fit another learner to rows; the classes are 0, 1, ..., and each has a row.

The schema has the atoms from which our rules would be learnt.
"""


@dataclass(frozen=True, eq=False)
class Validation:
    """The class of each row, and the class predicted by a model fitted without its fold."""

    classes: NDArray[Any]
    codes: Codes
    answers: Codes
    folds: tuple[NDArray[np.intp], ...]  # the rows of each
    clauses: float | None  # the mean over the folds
    seconds: float
    repeats: int = 0  # rows with the same cells as an earlier row
    together: bool = True  # whether equal rows are in one fold
    imbalanced: bool = False  # whether the classes are, so that the accuracy alone says little
    rules: tuple[RuleList | None, ...] = ()  # of each fold; None where a class was not seen

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


def estimate(
    fitted: Fitted,
    *,
    folds: int | None = None,
    max_seconds: float = math.inf,
    report: Callable[[int, int], None] = lambda *_: None,
) -> Validation | str:
    """Cross-validate the rules; return the result, or the reason why there is none.

    There is none with 0 `folds`, or if it is expected to take more than `max_seconds`.
    """
    whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
    if folds is not None and (not whole or folds < 0 or folds == 1):
        raise GnriError(f"folds must be 0, for none, or a whole number from 2 up, got {folds!r}")
    if folds == 0:
        return "not asked for"
    if fitted.codes is None:
        return "the table was read in parts; keep some files back to try it on"
    if fitted.table is None:
        return "the training table is not kept in a saved classifier"
    count = fold_count(fitted.codes) if folds is None else int(folds)
    if count < 2:
        return f"a class has one row only, and there are fewer than {MIN_ROWS} rows"
    if count > len(fitted.codes):
        return f"there are fewer rows than {count} folds"
    if fitted.seconds * count > max_seconds:
        seconds = f"{fitted.seconds * count:.0f} s"
        return f"it would take about {seconds}; ask for it with --estimate on the command line"
    try:
        return cross_validate(fitted, folds=count, report=report)
    except GnriError as error:
        return f"without the rows of one fold no rule can be learnt: {error}"


def cross_validate(
    fitted: Fitted,
    learner: "Baseline | ModelLearner | None" = None,
    *,
    folds: int | None = None,
    parts: Sequence[Fold] | None = None,
    report: Callable[[int, int], None] = lambda *_: None,
) -> Validation:
    """Return how models fitted without a fold predict its rows, for the training rows of `fitted`.

    Atoms are learnt anew in each fold, from as many copies of a row as `fitted` was; a row held out
    counts once. Without a `learner`, rules are learnt as those of `fitted` were, half of the folds
    in a second process; where `fitted` has no rule, all answers are its default. `parts` are the
    folds to use. `report` is called with the number of folds that this process has done, and will
    do.
    """
    from gnri.model.layers import one_thread

    started, (_, codes) = time.perf_counter(), fitted.rows()
    assert fitted.table is not None, "a table is kept where its atoms are"
    repeats, together = 0, True
    if parts is None:
        parts, repeats, together = deal_rows(fitted.table, codes, folds or fold_count(codes))
    hidden_rows = tuple(rows for _, rows in parts)
    found = partial(
        Validation, repeats=repeats, together=together, imbalanced=is_imbalanced(fitted)
    )
    if learner is None and not fitted.rule_list.steps:
        answers = np.full_like(codes, fitted.rule_list.default)
        return found(fitted.classes, codes, answers, hidden_rows, None, 0.0)
    learn = learner or fitted.settings.learner()
    answer = partial(_answer_fold, fitted, learn)
    here = parts if learner else parts[: (len(parts) + 1) // 2]
    each = []
    with one_thread(), map_in_background(answer, parts[len(here) :]) as others:
        for done, fold in enumerate(here, start=1):
            each.append(answer(fold))
            report(done, len(here))
        each += others()
    answers = np.empty_like(codes)
    for hidden, (predicted, _, _) in zip(hidden_rows, each, strict=True):
        answers[hidden] = predicted
    clauses, seconds = mean_size(size for _, size, _ in each), time.perf_counter() - started
    rules = tuple(one for _, _, one in each)
    return found(fitted.classes, codes, answers, hidden_rows, clauses, seconds, rules=rules)


def mean_size(sizes: Iterable[float | None]) -> float | None:
    """Return the mean of the known sizes, or None if there are none."""
    known = [size for size in sizes if size is not None]
    return float(np.mean(known)) if known else None


def deal_rows(table: Table, codes: Codes, count: int) -> tuple[list[Fold], int, bool]:
    """Return folds, how many rows repeat an earlier one, and whether equal rows are in one fold.

    They are not if there are so few different rows that each occurs as often as there are folds,
    on average, or if a fold would have more than twice the rows of another, or all of a class.
    """
    groups, plain = table.number_rows(), split_folds(codes, count)
    different = int(groups.max()) + 1
    repeats = len(codes) - different
    if repeats and len(codes) < count * different:
        joined = split_folds(codes, count, groups)
        sizes = [len(hidden) for _, hidden in joined]
        learnable, before = (
            sum(np.isin(codes[hidden], codes[shown]).all() for shown, hidden in folds)
            for folds in (joined, plain)
        )
        if max(sizes) <= 2 * min(sizes) and learnable >= before:
            return joined, repeats, True
    return plain, repeats, not repeats


def split_folds(codes: Codes, count: int, groups: Codes | None = None) -> list[Fold]:
    """Return the folds of scikit-learn's StratifiedKFold(count, shuffle=True, random_state=0).

    scikit-learn itself takes a second to load. A class with fewer rows than folds has at most one
    row in each. Rows of one of the `groups`, numbered by their first rows, are then moved into one
    fold, and as few other rows as it takes to have as many rows of a class in each fold as before.
    """
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # in the order in which the classes come up
    ordered, random = np.sort(codes), np.random.RandomState(0)
    fold, shares = np.empty(len(codes), np.intp), np.zeros((count, len(first)), np.intp)
    for k in range(len(first)):
        shares[:, k] = [np.sum(ordered[i::count] == k) for i in range(count)]
        mine = np.arange(count).repeat(shares[:, k])
        random.shuffle(mine)
        fold[codes == k] = mine
    if groups is not None:
        _join_groups(fold, codes, groups, shares)
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(count)]


def _join_groups(fold: Codes, codes: Codes, groups: Codes, shares: Codes) -> None:
    """Move rows so that each group is in one fold; `shares` are the rows of a class in each.

    The largest group comes first. It goes where its first row is or, if a class would have more
    than its share there, to the fold that so far has the fewest rows of its classes.
    """
    count, classes = shares.shape
    _, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    pairs = np.bincount(groups * classes + codes, minlength=len(sizes) * classes)
    several, held = np.flatnonzero(sizes > 1), np.zeros_like(shares)
    for group in several[np.argsort(-sizes[several], kind="stable")]:
        own, place = pairs[group * classes : (group + 1) * classes], fold[first[group]]
        if (held[place] + own > shares[place]).any():
            place = np.lexsort((held.sum(axis=1), held @ own))[0]
        held[place] += own
        fold[first[group]] = place
    fold[:] = fold[first][groups]
    alone = sizes[groups] == 1
    for k in range(classes):
        mine = codes == k
        more = np.bincount(fold[mine], minlength=count) - shares[:, k]
        movable = (np.flatnonzero(mine & alone & (fold == i)) for i in range(count))
        moved = np.concatenate([one[: max(n, 0)] for one, n in zip(movable, more, strict=True)])
        fold[moved] = np.arange(count).repeat(np.maximum(-more, 0))[: len(moved)]


def fold_count(codes: Codes) -> int:
    """Return 5 or, for very few rows, at most the size of the smallest class."""
    smallest = int(np.unique(codes, return_counts=True)[1].min())
    return FOLDS if len(codes) >= MIN_ROWS else min(FOLDS, smallest)


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
    """Return whether a class has over 3 rows for each 2 of another, or weights were used."""
    return fitted.copies is not None or 2 * max(fitted.sizes) > 3 * min(fitted.sizes)


def _answer_fold(
    fitted: Fitted, learner: "Baseline | ModelLearner", fold: Fold
) -> tuple[Codes, float | None, RuleList | None]:
    """Return the predictions for the held-out rows, the mean number of clauses, and the rules."""
    (shown, hidden), (_, codes) = fold, fitted.rows()
    settings, table = fitted.settings, fitted.table
    assert table is not None, "a table is kept where its atoms are"
    if fitted.copies is not None:
        shown = np.repeat(shown, fitted.copies[shown])
    present, places = np.unique(codes[shown], return_inverse=True)
    if len(present) == 1:
        return np.full(len(hidden), present[0]), None, None
    seen = table.take(shown)
    counts, _ = settings.select_usable([count_values(one) for one in seen.values()])
    limits = fitted.constraints
    if callable(learner):
        model = learner(settings.learn_atoms(counts, limits), seen, places)
        return present[model.predict(table.take(hidden))], model.clauses, None
    names = fitted.classes[present]
    target = replace(fitted.target, classes=names)
    copies = fitted.class_copies and [fitted.class_copies[kind] for kind in present]
    labelled = LabelledRows(
        target=target, counts=counts, codes=places, table=seen, class_copies=copies
    )
    with pack_rows(labelled, settings, limits) as rows:
        move = settings.make_mover(counts, rows.pack, limits)
        bounds = None if limits is None else limits.bind(rows.schema, present.tolist())
        learnt = settings.learn_rules(rows.schema, names, rows.counter, learner, move, bounds)
    rules = learnt.moved.compact()
    answers = rules.choose(encode(rules.schema, table.select(rules.columns).take(hidden)))
    every = len(present) == len(fitted.classes)
    clauses = mean_size(len(rule.lines) for rule in rules.rules)
    return present[answers], clauses, rules if every else None
