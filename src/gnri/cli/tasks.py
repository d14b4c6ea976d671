"""From a file and a target column to fitted rules, and how they do on unseen rows."""

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnri.cli.console import progress, stages
from gnri.cli.display import columns_to_ignore
from gnri.data.sources import Source, TableSource, open_source, read_table
from gnri.errors import GnriError
from gnri.messages import shorten
from gnri.processes import kept_for_good

if TYPE_CHECKING:
    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.fitting import Fitted

LARGE = 1 << 28
"""Bytes of a file from which it is read in parts unasked."""

LONGEST = 60.0
"""Seconds that cross-validation may be expected to take; beyond, it is left to be asked for."""


@dataclass(frozen=True, slots=True)
class Task:
    """The file, its target, the columns to leave out, and what may be used to count."""

    file: str
    target: str | None
    ignore: tuple[str, ...] = ()
    memory: str | None = None
    scheduler: str | None = None

    @property
    def in_parts(self) -> bool:
        """Whether the table is read in parts: where that is asked for, and where it has to be."""
        path = Path(self.file)
        asked = self.memory is not None or self.scheduler is not None
        if self.file == "-":
            if asked:
                raise GnriError("standard input cannot be read twice; write it to a file first")
            return False
        if path.is_file():
            return asked or path.stat().st_size > LARGE
        return asked or path.is_dir() or any(mark in path.name for mark in "*?[")

    def check(self, html: Path | None, estimate: bool | None) -> None:
        """Raise, before any work is done, if something is asked for that needs rows in memory."""
        if not self.in_parts:
            return
        if html is not None:
            raise GnriError(
                "a page pictures the rows, which takes them in memory; leave --html out"
            )
        if estimate:
            raise GnriError(
                "rows of a table in parts are not held out; leave --estimate out, keep some files "
                "back, and try the rule on them with `gnri predict`"
            )

    def learn(self, settings: dict[str, Any]) -> "Learnt":
        """Return the rules of the target, by the parameters of `FitSettings`."""
        return self._learn_parts(settings) if self.in_parts else self.learn_in_memory(settings)

    def learn_in_memory(self, settings: dict[str, Any]) -> "Learnt":
        """Return the same, with the rows, of one file however large it is."""
        table = read_table(self.file)
        source, target = self._source(TableSource.of(table))
        notes = [note for name in source.names if (note := table[name].near_number_note())]
        with progress("looking for the rule"):
            fitted = _fit(TableSource.of(table.select(source.names)), target, settings)
        return Learnt(fitted, table.origin, notes)

    def _learn_parts(self, settings: dict[str, Any]) -> "Learnt":
        source, target = self._source(open_source(self.file))
        with stages() as report:
            load_packages()  # under the bar and before the clock
            from gnri.counts.executors import make_executor

            executor = make_executor(self.memory, self.scheduler, report)
            try:
                return Learnt(_fit(source, target, settings, executor), self.file, [])
            finally:
                executor.close()

    def _source(self, source: Source) -> tuple[Source, str]:
        """Return the source without the columns to ignore, and its target, both checked."""
        from gnri.estimator.fitting import feature_names

        if self.target is None:
            raise GnriError(
                f"name the column to predict with --target; {source.origin} has the columns "
                f"{shorten(source.names)}"
            )
        feature_names(source, self.target, self.ignore)
        return source.without(self.ignore), self.target


@dataclass(frozen=True, slots=True)
class Learnt:
    """Fitted rules, what their table is called, and what is odd about its columns."""

    fitted: "Fitted"
    origin: str
    odd: list[str]

    def save(self, path: Path) -> None:
        """Write the rules to `path`, in the form that `gnri predict` and `gnri export` read."""
        from gnri.rules.documents import save_ruleset

        save_ruleset(self.fitted.ruleset, path)

    def write_page(self, path: Path) -> None:
        """Write a page about the rules."""
        with progress("writing the page"):
            from gnri.report.facts import facts_of
            from gnri.report.page import write_page

            write_page(facts_of(self.fitted, folds=5), path)

    def estimate(self, wanted: bool | None) -> "Estimate":
        """Return the cross-validation, if wanted or, where nobody said, if it is quick."""
        started = time.perf_counter()
        skipped = self._reason_against(wanted)
        if skipped is not None:
            return Estimate(None, skipped, time.perf_counter() - started)
        from gnri.estimator.cross_validation import cross_validate, fold_count

        codes = self.fitted.codes
        assert codes is not None, "rows in parts are not tried"
        try:
            with progress("trying it on held-out rows", (fold_count(codes) + 1) // 2) as advance:
                found = cross_validate(self.fitted, report=lambda *_: advance())
        except GnriError as error:
            skipped = f"without a fifth of the rows there is no rule: {error}"
            return Estimate(None, skipped, time.perf_counter() - started)
        return Estimate(found, None, time.perf_counter() - started)

    def _reason_against(self, wanted: bool | None) -> str | None:
        from gnri.estimator.cross_validation import ENOUGH, fold_count

        if self.fitted.codes is None:
            return "the table was read in parts; keep some files back to try it on"
        folds = fold_count(self.fitted.codes)
        expected = self.fitted.seconds * folds
        if wanted is False:
            return "not asked for"
        if folds < 2:
            return (
                f"a class has one row only, and there are fewer than {ENOUGH}, so none can be held "
                "out"
            )
        if wanted is None and expected > LONGEST:
            return f"it would take about {expected:.0f} s; ask for it with --estimate"
        return None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cross-validation, or why there is none, and the seconds it took."""

    validation: "Validation | None"
    skipped: str | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        if self.validation is None:
            return {"skipped": self.skipped}
        return {
            "accuracy": self.validation.accuracy,
            "by_fold": self.validation.by_fold,
            "majority": self.validation.majority,
            "rare": self.validation.rare,
        }


@cache
def load_packages() -> None:
    """Import what finds rules, with torch behind it."""
    with kept_for_good():
        import gnri.estimator.fitting
        import gnri.estimator.learners  # noqa: F401


def _fit(source: Source, target: str, settings: dict[str, Any], executor: Any = None) -> "Fitted":
    load_packages()  # under the bar and before the clock, as the weights are
    from gnri.estimator.fitting import fit
    from gnri.estimator.settings import FitSettings

    with columns_to_ignore():
        return fit(source, target, FitSettings(**settings), executor)
