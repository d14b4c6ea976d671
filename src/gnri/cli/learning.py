"""From a file and a target column to a fitted classifier."""

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.cli.columns import missing_cells
from gnri.cli.console import progress
from gnri.errors import GnriError
from gnri.logic.names import shorten
from gnri.tables.frame import Frame
from gnri.tables.reading import read_table

if TYPE_CHECKING:
    from gnri.estimator.classifier import RuleClassifier


@dataclass(frozen=True, slots=True)
class Task:
    """What to learn: the columns, the class of each row, and where both came from."""

    source: str
    target: str
    frame: Frame
    labels: NDArray[Any]

    def about(self) -> "About":
        """What is said of the table."""
        names, counts = np.unique(self.labels, return_counts=True)
        sizes = dict(zip(map(str, names), counts.tolist(), strict=True))
        return About(self.source, self.target, sizes, missing_cells(self.frame))


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a table: its rows by class, and the missing cells of each column.

    `passes` over its files, and then over its packed rows, where it was read in parts.
    """

    source: str
    target: str
    sizes: dict[str, int]
    missing: dict[str, int]
    passes: tuple[int, int] | None = None

    @property
    def rows(self) -> int:
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Learnt:
    """A fitted classifier and the seconds that the fit took."""

    classifier: "RuleClassifier"
    seconds: float


def task_of(file: str, target: str | None, ignore: list[str]) -> Task:
    """The task in a file."""
    table = read_table(file)
    if target is None:
        raise GnriError(
            f"name the column to predict with --target; {table.source} has the columns "
            f"{shorten(list(table.columns))}"
        )
    labels = table.labels(target)
    for name in ignore:
        table.check_has(name)
    names = [name for name in table.columns if name not in (target, *ignore)]
    if not names:
        raise GnriError(
            f"{table.source} has no column besides {shorten(target)}; add columns to learn from"
        )
    return Task(table.source, target, table.features(names), labels)


def learn(task: Task, settings: dict[str, Any]) -> Learnt:
    """The rules of the task; a setting that is None is left as the classifier has it."""
    with progress("looking for the rule"):
        # Under the bar and before the clock: torch, scikit-learn and weights take a while to load.
        from gnri.estimator.classifier import RuleClassifier
        from gnri.model.loading import load_model

        classifier = RuleClassifier(**{k: v for k, v in settings.items() if v is not None})
        load_model(str(classifier.model))
        started = time.perf_counter()
        with warnings.catch_warnings():
            # Of small tables scikit-learn supposes that they may have too many classes.
            warnings.filterwarnings("ignore", message="The number of unique classes")
            classifier.fit(task.frame, task.labels)
        return Learnt(classifier, time.perf_counter() - started)


def save(learnt: Learnt, path: Path) -> None:
    """Write the rules to `path`, in the form that `gnri predict` and `gnri export` read."""
    from gnri.render.saved import save_ruleset

    save_ruleset(learnt.classifier.ruleset_, path)
