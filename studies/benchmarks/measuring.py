"""Figures measured piece by piece: each once, in several processes, taken up where it stopped."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np

from gnri.estimator.baselines import Codes, Fitted, Values
from studies.benchmarks.learners import learner_named
from studies.benchmarks.progress import shown
from studies.benchmarks.results import Row, append, drop, read


@dataclass(frozen=True, slots=True)
class Place:
    """Where tables are read and figures written, by how many processes, and whether anew."""

    results: Path = Path("results")
    data_dir: Path | None = None
    jobs: int = 1
    again: bool = False


def measure(
    name: str, tasks: Sequence[Row], run: Callable[[Row, Place], Row], place: Place
) -> list[dict[str, str]]:
    """Run each task whose row is not in the file NAME.csv yet; all the rows that are there then.

    A task is what tells its row from the others; `run` adds the figures. A row is written as soon
    as it is there, so that a run that was cut off goes on where it stopped.
    """
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    path, keys = place.results / f"{name}.csv", list(tasks[0]) if tasks else []
    done = set() if place.again else {_key(row, keys) for row in read(path)}
    left = [task for task in tasks if _key(task, keys) not in done]
    pool = Parallel(n_jobs=place.jobs, return_as="generator_unordered")
    rows = pool(delayed(_joined)(run, task, place) for task in left)
    for row in shown(rows, len(left), name):
        if place.again:
            drop(path, partial(_same_task, row, keys))
        append(path, [row])
    return read(path)


def fit_and_score(name: str, shown: tuple[Values, Codes], hidden: tuple[Values, Codes]) -> Row:
    """Accuracy on the hidden rows, size of the rules, and seconds of one thread for the fit."""
    with one_thread():
        start = process_time()
        fitted = learner_named(name)(*shown)
        seconds = process_time() - start
        accuracy = float(np.mean(fitted.predict(hidden[0]) == hidden[1]))
    return {"accuracy": round(accuracy, 6), **sizes(fitted), "seconds": round(seconds, 4)}


def sizes(fitted: Fitted) -> Row:
    """Clauses and literals of a rule on average; nothing where there is nothing to count."""
    counted = (fitted.clauses, fitted.literals, fitted.distinct)
    cells = ("" if size is None else round(size, 3) for size in counted)
    return dict(zip(("clauses", "literals", "distinct_literals"), cells, strict=True))


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for linear algebra, trees and networks, so that seconds can be compared."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    from gnri.model import threads as device

    with device.one_thread(), threadpool_limits(1):
        yield


def _joined(run: Callable[[Row, Place], Row], task: Row, place: Place) -> Row:
    return task | run(task, place)


def _same_task(new: Row, keys: Sequence[str], old: dict[str, str]) -> bool:
    return _key(old, keys) == _key(new, keys)


def _key(row: Row | dict[str, str], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in keys)
