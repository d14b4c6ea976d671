"""Tables of your own, raw: our learners and others' on the columns of each file in a folder."""

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.binarizer import Binarizer
from gnri.data.column import Column
from gnri.data.kinds import ColumnKind
from gnri.data.sources import read_table
from gnri.data.table import Table
from gnri.data.target import target_of
from gnri.errors import GnriError
from gnri.estimator.baselines import Codes
from studies.benchmarks.learners import weights_of
from studies.benchmarks.measuring import Place, fit_and_score, measure
from studies.benchmarks.others import OTHERS
from studies.benchmarks.real import FOLDS, split
from studies.benchmarks.results import Row, provenance

ENDINGS = (".csv", ".csv.gz", ".tsv", ".parquet")
OF_NUMBERS = OTHERS.keys() - {"ripper"}
"""Learners that take numbers; the rest takes atoms."""

Encode = Callable[[Table], NDArray[Any]]


def own(learners: Sequence[str], folder: Path, place: Place) -> list[dict[str, str]]:
    """A row for each table of the folder, fold and learner, in own.csv; those of these tables.

    A table is known by its name and its content: another one of the same name is measured too.
    """
    sums = {name: checksum(path) for name, path in tables(folder).items()}
    tasks: list[Row] = [
        {"set": name, "fold": fold, "learner": learner, "data": data}
        for learner in learners
        for name, data in sums.items()
        for fold in range(FOLDS)
    ]
    rows = measure("own", tasks, lambda task, _: _run_or_name(task, folder), place)
    return [row for row in rows if sums.get(row["set"]) == row["data"]]


def tables(folder: Path) -> dict[str, Path]:
    """The tables in a folder by the names of their files, in the order of their names."""
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


def checksum(path: Path) -> str:
    """The start of the checksum of a file."""
    return sha256(path.read_bytes()).hexdigest()[:12]


@lru_cache(maxsize=2)
def table(path: Path) -> tuple[Table, Codes]:
    """All columns but the last, and the class of each row."""
    read = read_table(path)
    *features, target = read
    if not features:
        raise GnriError(f"{path} has one column; the last is the class, add some to learn from")
    return read.select(features).decide(), target_of(read[target])[1]


def _run_or_name(task: Row, folder: Path) -> Row:
    """The row of a task, or an error that names its table, one of many in the folder."""
    try:
        return _run(task, folder)
    except GnriError as error:
        path, said = str(tables(folder)[str(task["set"])]), str(error)
        raise GnriError(said if path in said else f"{path}: {said}") from None


def _run(task: Row, folder: Path) -> Row:
    frame, codes = table(tables(folder)[str(task["set"])])
    shown, hidden = split(codes, int(task["fold"]))
    learner = str(task["learner"])
    encode = (numbers if learner in OF_NUMBERS else atoms)(frame.take(shown))
    parts = [(encode(frame.take(part)), codes[part]) for part in (shown, hidden)]
    facts: Row = {"labels": int(codes.max()) + 1, "weights": weights_of(learner)}
    return fit_and_score(learner, *parts) | facts | provenance("cpu")


def atoms(shown: Table) -> Encode:
    """Yes-or-no questions, as `RuleClassifier` asks them by default."""
    encode: Encode = Binarizer().fit(shown).transform
    return encode


def numbers(shown: Table) -> Encode:
    """Numbers, centred and scaled, a missing one at the mean; of text, one for each value seen.

    >>> from gnri.data.frames import from_frame
    >>> shown = from_frame([[1.0, "foul"], [3.0, None]])
    >>> numbers(shown)(shown).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    """
    seen = {name: _values(column) for name, column in shown.items() if not _is_one(column)}

    def columns(table: Table) -> NDArray[np.float64]:
        found = [
            cells
            for name, column in table.items()
            for cells in (_one_hot(column, seen[name]) if name in seen else [column.values])
        ]
        return np.array(found, np.float64).T

    raw = columns(shown)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column may have no cell at all
        mean, spread = np.nanmean(raw, axis=0), np.nanstd(raw, axis=0)
    spread[spread == 0] = 1
    return lambda frame: np.nan_to_num((columns(frame) - mean) / spread)


def _is_one(column: Column) -> bool:
    """Whether the column is one of numbers as it stands."""
    flag = column.kind == ColumnKind.FLAG and column.known is None
    return flag or column.kind == ColumnKind.NUMBER


def _values(column: Column) -> list[Any]:
    if column.kind == ColumnKind.FLAG:
        return np.unique(column.values[column.known]).tolist()
    return sorted(column.counts(), key=str)


def _one_hot(column: Column, values: list[Any]) -> list[NDArray[np.bool_]]:
    """Where the column is each of the values."""
    known = True if column.known is None else column.known
    names = (False, True) if column.kind == ColumnKind.FLAG else column.categories
    place = {name: i for i, name in enumerate(names)}
    return [(column.values == place.get(value, -1)) & known for value in values]
