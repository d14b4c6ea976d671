"""Fit the rules of a table, and cross-validate them."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from gnri.cli.console import progress
from gnri.data.kinds import ColumnsError
from gnri.data.sources import Source, TableSource, feature_names
from gnri.errors import GnriError, shorten
from gnri.estimator.cross_validation import ENOUGH, Validation, cross_validate, fold_count
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.settings import FitSettings
from gnri.processes import freeze_imports

LARGE = 1 << 28
"""A file with more bytes than this is read in parts."""

LONGEST = 60.0
"""Cross-validation that would take more seconds than this needs --estimate."""


@dataclass(frozen=True, slots=True)
class FileFit:
    """The rules of a table, the name of the table, and notes on its columns."""

    fitted: Fitted
    origin: str
    notes: list[str]


def is_in_parts(file: str, memory: str | None, scheduler: str | None) -> bool:
    """Return whether to read the table in parts, by the options, the path and its size."""
    path, asked = Path(file), memory is not None or scheduler is not None
    if file == "-" or path.is_fifo():
        if asked:
            name = "standard input" if file == "-" else file
            raise GnriError(f"{name} cannot be read twice; write it to a file first")
        return False
    if path.is_file():
        return asked or path.stat().st_size > LARGE
    return asked or path.is_dir() or any(mark in path.name for mark in "*?[")


def fit_source(
    source: Source,
    target: str | None,
    ignore: Sequence[str],
    settings: FitSettings,
    memory: str | None = None,
    scheduler: str | None = None,
) -> FileFit:
    """Return the rules of the target, learnt from all other columns but the ignored ones."""
    if target is None:
        raise GnriError(
            f"name the column to predict with --target; {source.origin} has the columns "
            f"{shorten(source.names)}"
        )
    feature_names(source, target, ignore)  # raises if a named column is missing
    source, notes = source.without(ignore), list[str]()
    with progress() as report, ExitStack() as stack:
        executor = None
        if isinstance(source, TableSource):
            report("looking for the rule")
            columns = [source.table[name] for name in source.names]
            notes = [note for column in columns if (note := column.near_number_note())]
        _load_packages()  # before the executor, which gets the memory they leave
        if not isinstance(source, TableSource):
            from gnri.counts.executors import make_executor

            executor = stack.enter_context(closing(make_executor(memory, scheduler, report)))
        try:
            fitted = fit(source, target, settings, executor)
        except ColumnsError as error:
            options = " ".join(f"--ignore {shlex.quote(name)}" for name in error.columns)
            them = "it" if len(error.columns) == 1 else "them"
            raise GnriError(error.explain(f"leave {them} out with {options}")) from None
    return FileFit(fitted, source.origin, notes)


@cache
def _load_packages() -> None:
    """Import the learners once."""
    with freeze_imports():
        import gnri.estimator.learners  # noqa: F401


def estimate(fitted: Fitted, wanted: bool | None) -> Validation | str:
    """Cross-validate the rules; return the result, or the reason why there is none.

    If `wanted` is None, cross-validate only if that is quick.
    """
    if fitted.codes is None:
        return "the table was read in parts; keep some files back to try it on"
    if wanted is False:
        return "not asked for"
    folds = fold_count(fitted.codes)
    if folds < 2:
        return f"a class has one row only, and there are fewer than {ENOUGH} rows"
    expected = fitted.seconds * folds
    if wanted is None and expected > LONGEST:
        return f"it would take about {expected:.0f} s; ask for it with --estimate"
    try:
        with progress() as report:
            return cross_validate(fitted, report=partial(report, "cross-validating"))
    except GnriError as error:
        return f"without the rows of one fold no rule can be learnt: {error}"
