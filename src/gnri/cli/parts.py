"""`gnri induce` on a table that is read in parts."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gnri.cli.column_notes import columns_to_ignore
from gnri.cli.console import stages
from gnri.cli.held_out import Tried
from gnri.cli.learning import About, Learnt, wishes_of
from gnri.cli.loading import load_packages
from gnri.errors import GnriError
from gnri.messages import shorten

LARGE = 1 << 28
"""Bytes of a file from which it is read in parts unasked."""


@dataclass(frozen=True, slots=True)
class Where:
    """The files, their target, the columns to leave out, and what may be used to count."""

    files: str
    target: str | None
    ignore: list[str]
    memory: str | None
    scheduler: str | None


def in_parts(file: str, memory: str | None, scheduler: str | None) -> bool:
    """Whether a table is read in parts: where that is asked for, and where it has to be."""
    path = Path(file)
    asked = memory is not None or scheduler is not None
    if file == "-":
        if asked:
            raise GnriError("standard input cannot be read twice; write it to a file first")
        return False
    if path.is_file():
        return asked or path.stat().st_size > LARGE
    return asked or path.is_dir() or any(mark in path.name for mark in "*?[")


def check_unasked(html: Path | None, estimate: bool | None) -> None:
    """Raise, before any work is done, if something is asked for that needs rows in memory."""
    if html is not None:
        raise GnriError("a page pictures the rows, which takes them in memory; leave --html out")
    if estimate:
        raise GnriError(
            "rows of a table in parts are not held out; leave --estimate out, keep some files "
            "back, and try the rule on them with `gnri predict`"
        )


def not_tried() -> Tried:
    """No held-out rows."""
    return Tried(None, "the table was read in parts; keep some files back to try it on", 0.0)


def learn_parts(where: Where, settings: dict[str, Any]) -> tuple[About, Learnt]:
    """The rules of a table in parts; a setting that is None is left as the classifier has it."""
    from gnri.scale.source import parts_of, source_of

    parts = parts_of(where.files)
    if where.target is None:
        names = list(parts[0].types())
        raise GnriError(
            f"name the column to predict with --target; the columns are {shorten(names)}"
        )
    source = source_of(parts, where.target, where.ignore)
    with stages() as report:
        load_packages()  # under the bar and before the clock
        from gnri.classifier import RuleClassifier
        from gnri.estimator.streaming import fit_parts, place_of
        from gnri.estimator.training import CountedRows

        wishes = wishes_of(settings)
        classifier = RuleClassifier(**asdict(wishes))
        place = place_of(where.memory, where.scheduler, report)
        started = time.perf_counter()
        try:
            with columns_to_ignore():
                fit_parts(classifier, source, place)
        finally:
            place.close()
    rows = classifier.training_
    assert isinstance(rows, CountedRows)
    sizes = dict(zip(map(str, classifier.classes_), rows.sizes, strict=True))
    about = About(where.files, where.target, sizes, rows.missing, [], rows.passes)
    seconds = time.perf_counter() - started
    found = classifier.ruleset_, classifier.printed_, classifier.cards_
    return about, Learnt(*found, wishes, seconds)
