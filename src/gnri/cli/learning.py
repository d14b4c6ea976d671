"""From a file and a target column to a fitted classifier."""

import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.cli.column_notes import columns_to_ignore
from gnri.cli.console import progress
from gnri.cli.loading import load_packages
from gnri.data.table import Table
from gnri.data.target import read_labels
from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.tables.reading import read_table

if TYPE_CHECKING:
    from gnri.estimator.plain import Wishes
    from gnri.estimator.statistics import RuleCard
    from gnri.rules.rule_list import RuleSet


@dataclass(frozen=True, slots=True)
class Task:
    """What to learn: the columns, the class of each row, where both came from, and what is odd."""

    source: str
    target: str
    frame: Table
    labels: NDArray[Any]
    odd: list[str]

    def about(self) -> "About":
        """What is said of the table."""
        names, counts = np.unique(self.labels, return_counts=True)
        sizes = dict(zip(map(str, names), counts.tolist(), strict=True))
        missing = {name: column.missing for name, column in self.frame.items()}
        return About(self.source, self.target, sizes, missing, self.odd)


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a table: its rows by class, the missing cells of each column, what is odd.

    `passes` over its files, and then over its packed rows, where it was read in parts.
    """

    source: str
    target: str
    sizes: dict[str, int]
    missing: dict[str, int]
    odd: list[str]
    passes: tuple[int, int] | None = None

    @property
    def rows(self) -> int:
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Learnt:
    """The rules as induced and in fewer literals, their cards, how they were wished for, and the
    seconds that the fit took.
    """

    ruleset: "RuleSet"
    printed: "RuleSet"
    cards: tuple["RuleCard", ...]
    wishes: "Wishes"
    seconds: float


def task_of(file: str, target: str | None, ignore: list[str]) -> Task:
    """The task in a file."""
    table = read_table(file)
    if target is None:
        raise GnriError(
            f"name the column to predict with --target; {table.origin} has the columns "
            f"{shorten(list(table))}"
        )
    labels = read_labels(table, target)
    for name in ignore:
        table.check_has(name)
    names = [name for name in table if name not in (target, *ignore)]
    if not names:
        raise GnriError(
            f"{table.origin} has no column besides {shorten(target)}; add columns to learn from"
        )
    notes = (table[name].near_number_note() for name in names)
    odd = [note for note in notes if note is not None]
    frame = table.select(names).decide()
    return Task(table.origin, target, frame, labels, odd)


def learn(task: Task, settings: dict[str, Any]) -> Learnt:
    """The rules of the task; a setting that is None is left as the classifier has it."""
    with progress("looking for the rule"):
        load_packages()  # under the bar and before the clock, as the weights are
        from gnri.estimator.plain import fit_frame
        from gnri.model.load import load_model

        wishes = wishes_of(settings)
        load_model(wishes.model)
        started = time.perf_counter()
        with columns_to_ignore():
            found = fit_frame(task.frame, task.labels, wishes)
        seconds = time.perf_counter() - started
        return Learnt(found.ruleset, found.printed, found.cards, wishes, seconds)


def wishes_of(settings: dict[str, Any]) -> "Wishes":
    """The settings that are not None, and the classifier's own for the others."""
    from gnri.estimator.plain import Wishes

    return Wishes(**{name: value for name, value in settings.items() if value is not None})


def save(learnt: Learnt, path: Path) -> None:
    """Write the rules to `path`, in the form that `gnri predict` and `gnri export` read."""
    from gnri.rules.documents import save_ruleset

    save_ruleset(learnt.ruleset, path)


def write_page(task: Task, learnt: Learnt, path: Path) -> None:
    """Write a page about the rules, which the classifier finds again with all that it says."""
    with progress("writing the page"), warnings.catch_warnings():
        from gnri.classifier import RuleClassifier

        # Of small tables scikit-learn supposes that they may have too many classes.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        RuleClassifier(**asdict(learnt.wishes)).fit(task.frame, task.labels).report(path)
