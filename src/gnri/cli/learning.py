"""Fit the rules of a table."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gnri.cli.console import progress
from gnri.data.kinds import ColumnsError
from gnri.data.sources import Source, TableSource, feature_names
from gnri.data.table import check_has
from gnri.data.target import AnyTarget, label_name
from gnri.errors import GnriError, shorten
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.settings import FitSettings
from gnri.processes import freeze_imports

LARGE_FILE = 1 << 28
"""A file with more bytes than this is read in parts."""


@dataclass(frozen=True, slots=True)
class FileFit:
    """The rules of a table, the name of the table, and notes on its columns."""

    fitted: Fitted
    origin: str
    notes: dict[str, str]  # by column


def is_in_parts(file: str, memory: str | None, scheduler: str | None) -> bool:
    """Return whether to read the table in parts, by the options, the path and its size."""
    path, asked = Path(file), memory is not None or scheduler is not None
    if file == "-" or path.is_fifo():
        if asked:
            name = "standard input" if file == "-" else file
            raise GnriError(f"{name} cannot be read twice; write it to a file first")
        return False
    if path.is_file():
        return asked or path.stat().st_size > LARGE_FILE
    return asked or path.is_dir() or any(mark in path.name for mark in "*?[")


def fit_source(
    source: Source,
    target: AnyTarget | None,
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
    feature_names(source, label_name(target), ignore)  # raises if a named column is missing
    for name in settings.use:
        check_has(name, source.names, source.origin)
    source, notes = source.without(ignore), dict[str, str]()
    with progress() as report, ExitStack() as stack:
        executor = None
        if isinstance(source, TableSource):
            report("looking for the rule")
            columns = [source.table[name] for name in source.names]
            notes = {one.name: note for one in columns if (note := one.near_number_note())}
        _load_packages()  # before the executor, which gets the memory they leave
        if not isinstance(source, TableSource):
            from gnri.counts.executors import make_executor

            executor = stack.enter_context(closing(make_executor(memory, scheduler, report)))
        try:
            fitted = fit(source, target, settings, executor)
        except ColumnsError as error:
            forced = [
                f"--use {shlex.quote(name)}" for name in error.columns if name in settings.use
            ]
            advice = f"leave {' and '.join(forced)} out" if forced else "add a column that does"
            raise GnriError(error.explain(advice)) from None
        except GnriError as error:
            odd = [f"{name} {note}" for name, note in notes.items() if shorten(name) in str(error)]
            if not odd:
                raise
            raise GnriError(f"{error} ({'; '.join(odd)})") from None
    return FileFit(fitted, source.origin, notes)


@cache
def _load_packages() -> None:
    """Import the learners once."""
    with freeze_imports():
        import gnri.estimator.learners  # noqa: F401
