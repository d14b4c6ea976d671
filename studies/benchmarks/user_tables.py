"""Tables of raw columns: those of a user's folder, and scikit-learn's."""

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.binarizer import Binarizer
from gnri.data.kinds import ColumnKind
from gnri.data.sources import read_table
from gnri.data.table import Column, Table
from gnri.data.target import read_target
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.cross_validation import Codes
from gnri.estimator.point_tables import FORMS
from studies.benchmarks.budgets import BUDGETS, OF_TWO_CLASSES
from studies.benchmarks.fitted import FoldLearner
from studies.benchmarks.learners import (
    OTHERS,
    by_classifier,
    fit_and_score,
    learner_named,
    weights_of,
)
from studies.benchmarks.public_tables import (
    FOLDS,
    draw_rows,
    draw_tasks,
    fold_tasks,
    measure_folds,
    split,
    table,
)
from studies.datasets import BENCHMARK, load
from studies.results import Row, Rows
from studies.study import Context, measure
from studies.training.streams import stable_seed

ENDINGS = (".csv", ".csv.gz", ".tsv", ".parquet")
OF_NUMBERS = {*OTHERS, "figs"} - {"ripper"}  # learners that take numbers; the rest takes atoms
NUMERIC_SETS = ("breast-cancer", "wine", "iris", "digits")
OF_RAW_NUMBERS: dict[str, FoldLearner] = {
    "dnf": by_classifier("dnf"),
    "dnf, median": by_classifier("dnf", binarize="median"),
    "auto": by_classifier("auto"),
    "cart": OTHERS["cart"],
}

Encode = Callable[[Table], Any]


def measure_folder(
    learners: Sequence[str],
    folder: Path,
    context: Context,
    *,
    sets: Sequence[str] | None = None,
    folds: Sequence[int] = range(FOLDS),
    name: str = "own",
) -> Rows:
    """Measure a row for each table of the folder, fold and learner, in NAME.csv; return them.

    A table is known by its name and its content: another one of the same name is measured too.
    """
    chosen = list(tables(folder)) if sets is None else sets
    return _measure_tasks(fold_tasks(learners, chosen, folds), folder, context, name)


def measure_few_rows(learners: Sequence[str], folder: Path, context: Context) -> Rows:
    """Measure a row for each table, number of training rows, draw and learner, in few_raw.csv."""
    rows = {name: len(read_columns(path)[1]) for name, path in tables(folder).items()}
    return _measure_tasks(draw_tasks(learners, rows), folder, context, "few_raw")


def _measure_tasks(tasks: list[Row], folder: Path, context: Context, name: str) -> Rows:
    files = tables(folder)
    sums = {name: sha256(path.read_bytes()).hexdigest()[:12] for name, path in files.items()}
    known = [task | {"data": sums[str(task["set"])]} for task in tasks]
    rows = measure(name, known, lambda task, _: _measure_table(task, folder), context)
    return [row for row in rows if sums.get(row["set"]) == row["data"]]


def tables(folder: Path) -> dict[str, Path]:
    """Return the tables in a folder by the names of their files, in order."""
    found: dict[str, Path] = {}
    for ending in ENDINGS:
        for path in folder.glob(f"*{ending}"):
            other = found.setdefault(path.name.removesuffix(ending), path)
            if other != path:
                raise GnriError(
                    f"a table has the name of its file, but {folder} has {other.name} and "
                    f"{path.name}; rename one of them"
                )
    if not found:
        raise GnriError(f"{folder} has no table; put files there that end in {', '.join(ENDINGS)}")
    return dict(sorted(found.items()))


@lru_cache(maxsize=2)
def read_columns(path: Path) -> tuple[Table, Codes]:
    """Return all columns but the last, and the class of each row."""
    read = read_table(path)
    *features, target = read
    if not features:
        raise GnriError(f"{path} has one column; the last is the class, add some to learn from")
    labels = read[target]
    return read.select(features).decide(), read_target(count_values(labels)).encode(labels)


def _measure_table(task: Row, folder: Path) -> Row:
    """Return the row of a task; an error names its table, one of many in the folder."""
    path, learner = tables(folder)[str(task["set"])], str(task["learner"])
    try:
        frame, codes = read_columns(path)
        if "fold" in task:
            shown, hidden = split(codes, int(task["fold"]))
        else:
            seed = stable_seed("few rows", path.name, int(task["rows"]), int(task["draw"]))
            shown, hidden = draw_rows(codes, int(task["rows"]), rng=np.random.default_rng(seed))
        model, encode = _prepare(learner, frame.take(shown))
        known, unknown = ((encode(frame.take(part)), codes[part]) for part in (shown, hidden))
        figures = fit_and_score(model, known, unknown)
    except GnriError as error:
        said = str(error)
        raise GnriError(said if str(path) in said else f"{path}: {said}") from None
    return figures | {"labels": int(codes.max()) + 1, "weights": weights_of(learner)}


def _prepare(learner: str, shown: Table) -> tuple[FoldLearner, Encode]:
    """Return a learner, and what it reads of a table: all of it, numbers, or atoms."""
    form, _, _ = learner.partition(":")
    if form in FORMS:
        return by_classifier(learner), lambda table: table
    if form in OF_NUMBERS:
        return learner_named(learner), numbers(shown)
    binarizer = Binarizer().fit(shown)
    return learner_named(learner, binarizer.schema_), binarizer.transform


def numbers(shown: Table) -> Encode:
    """Return an encoder as numbers, scaled, the mean where missing; text one-hot."""
    seen = {name: _values(column) for name, column in shown.items()}

    def columns(table: Table) -> NDArray[np.float64]:
        found: list[NDArray[Any]] = []
        for name, column in table.items():
            values = seen[name]
            found += [column.values] if values is None else _one_hot(column, values)
        return np.array(found, np.float64).T

    raw = columns(shown)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column may have no cell at all
        mean, spread = np.nanmean(raw, axis=0), np.nanstd(raw, axis=0)
    spread[spread == 0] = 1
    return lambda frame: np.nan_to_num((columns(frame) - mean) / spread)


def _values(column: Column) -> list[Any] | None:
    """Return the values of a column; None where it is one of numbers as it stands."""
    if column.kind == ColumnKind.FLAG:
        return None if column.known is None else np.unique(column.values[column.known]).tolist()
    return None if column.kind == ColumnKind.NUMBER else sorted(column.counts(), key=str)


def _one_hot(column: Column, values: list[Any]) -> list[NDArray[np.bool_]]:
    """Return where the column is each of the values."""
    known = True if column.known is None else column.known
    names = (False, True) if column.kind == ColumnKind.FLAG else column.categories
    place = {name: i for i, name in enumerate(names)}
    return [(column.values == place.get(value, -1)) & known for value in values]


def measure_numbers(
    context: Context,
    *,
    sets: Sequence[str] = NUMERIC_SETS,
    learners: Sequence[str] = tuple(OF_RAW_NUMBERS),
) -> Rows:
    """Measure a row for each of scikit-learn's tables, fold and learner, in numeric.csv."""
    return measure("numeric", fold_tasks(learners, sets), _measure_numbers, context)


def _measure_numbers(task: Row, _: Context) -> Row:
    dataset = load(str(task["set"]))
    table: Any = np.array(dataset.rows, dtype=np.float64)
    codes = np.unique(np.array(dataset.labels), return_inverse=True)[1]
    known, unknown = ((table[part], codes[part]) for part in split(codes, int(task["fold"])))
    return fit_and_score(OF_RAW_NUMBERS[str(task["learner"])], known, unknown)


def measure_budgets(
    learners: Sequence[str],
    context: Context,
    folder: Path | None,
    sets: Sequence[str],
    folds: Sequence[int],
    name: str,
) -> Rows:
    """Measure a row for each budget, learner, table and fold, in NAME.csv.

    Learners for two classes meet the tables of two classes alone.
    """
    if folder is None:
        codes = {one: table(one, context.data_dir)[0].codes for one in sets or BENCHMARK}
        measured = partial(measure_folds, context=context)
    else:
        files = tables(folder)
        codes = {one: read_columns(files[one])[1] for one in sets or files}
        measured = partial(measure_folder, folder=folder, context=context)
    rows: Rows = []
    for two in (True, False):
        some = [one for one in codes if two == (codes[one].max() < 2)]
        able = [one for one in learners if two or one not in OF_TWO_CLASSES]
        words = [f"{one}:{size}" for one in able for size in BUDGETS]
        rows = measured(words, sets=some, folds=folds, name=name)
    return rows
