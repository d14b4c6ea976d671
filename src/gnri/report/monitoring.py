"""Watch a rule in use: what changed between the training rows and new ones, and what broke first.

Every test is exact, and all of them together are corrected for their number. A limit is crossed
only where a change is both: larger than the limit, and not to be explained by chance.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnri.data.table import Table, check_has, check_size
from gnri.errors import GnriError, ShapeError
from gnri.estimator.statistics import wilson
from gnri.report.batch import (
    Batch,
    PartCounts,
    RowCounts,
    Slice,
    code_labels,
    column_cells,
    cut_rows,
    group_rows,
    measure_batch,
    read_training,
)
from gnri.report.change_checks import (
    Check,
    Limits,
    Part,
    check_answers,
    check_column,
    check_parts,
    find_parts,
    find_since,
)
from gnri.report.change_tests import holm
from gnri.rules.documents import load_rules, load_training
from gnri.rules.rule_list import RuleList

if TYPE_CHECKING:
    from gnri.estimator.cross_validation import Validation
    from gnri.estimator.fitting import Fitted


@dataclass(frozen=True, eq=False)
class WatchReport:
    """What changed between training rows and new rows; `alarms` has the limits that were crossed.

    `to_text`, `to_json` and `save` show it.
    """

    then: RowCounts
    now: Batch
    parts: list[Part]
    slices: list[Slice]
    checks: list[Check]
    limits: Limits

    @property
    def alarms(self) -> list[Check]:
        """The checks whose limit was crossed, those about parts of a rule by time."""
        found, last = [one for one in self.checks if one.alarm], len(self.slices)
        return sorted(found, key=lambda one: (last if one.since is None else one.since, one.p))

    @property
    def broke_first(self) -> Check | None:
        """The clause or line that broke first, by precision where there are labels."""
        parts = [
            one
            for one in self.alarms
            if one.part is not None and self.parts[one.part].kind in ("clause", "line")
        ]
        wrong = [one for one in parts if one.kind == "precision"]
        return next(iter(wrong or parts), None)

    @property
    def notes(self) -> list[str]:
        """What cannot be compared, or not well."""
        if self.now.labelled is None:
            return ["without labels, only coverage and columns are compared"]
        if not self.then.classes:
            return ["there were no labels then, so there is no precision to compare"]
        if self.then.answers is None:
            return [
                "the rules were not cross-validated: they are right more often on the rows they "
                "were learnt from, so a fall of precision is a likelier false alarm"
            ]
        return []

    def to_json(self) -> str:
        """Return all figures as JSON."""
        names, first = [one.name for one in self.slices], self.broke_first
        document = {
            "format": "gnri-watch",
            "version": 1,
            "alarm": bool(self.alarms),
            "broke_first": None if first is None else _describe(first, names),
            "alarms": [_describe(one, names) for one in self.alarms],
            "rows": {"then": self.then.rows, "now": self.now.counts.rows},
            "labelled": 0 if self.now.labelled is None else self.now.labelled.rows,
            "limits": asdict(self.limits),
            "notes": self.notes,
            "slices": [{"name": one.name, "rows": len(one.rows)} for one in self.slices],
            "parts": [_describe_part(one) for one in self.parts],
            "checks": [_describe(one, names) for one in self.checks],
        }
        return json.dumps(document, indent=2, allow_nan=False)

    def to_text(self) -> str:
        """Return the figures of each part of the rule, and the alarms, as plain text."""
        from gnri.report.watch_page import write_text

        return write_text(self)

    def save(self, path: Any) -> None:
        """Write an HTML page with a small plot for each part of the rule."""
        from gnri.report.templates import write_html
        from gnri.report.watch_page import write_page

        write_html(write_page(self), Path(path), "page")


def _describe(check: Check, names: Sequence[str]) -> dict[str, Any]:
    return {**check._asdict(), "since": None if check.since is None else names[check.since]}


def _describe_part(part: Part) -> dict[str, Any]:
    precision = {
        "then": _describe_precision(part.then),
        "now": _describe_precision(part.labelled),
        "slices": [_describe_precision(one) for one in part.labelled_slices],
    }
    return {
        "kind": part.kind,
        "text": part.text,
        "coverage": {
            "then": part.then.coverage,
            "now": part.now.coverage,
            "slices": part.coverages,
        },
        "precision": None if part.labelled is None else precision,
    }


def _describe_precision(counts: PartCounts | None) -> dict[str, Any] | None:
    if counts is None:
        return None
    hits, covered = counts.precision
    share = hits / covered if covered else None
    interval = wilson(hits, covered)
    return {"hits": hits, "covered": covered, "precision": share, "interval": interval}


def watch_files(
    path: Path,
    table: Table,
    target: str | None,
    training: Table | None,
    by: str | int,
    limits: Limits,
) -> WatchReport:
    """Return what changed since the rules at `path` were learnt, or since the rows of `training`.

    `by` is a column of the table, or the number of slices.
    """
    rule_list = load_rules(path)
    if training is not None:
        words, codes = rule_list.minimized(), _read_codes(training, target, rule_list)
        batch = measure_batch(words, training, codes)
        then = batch.labelled or batch.counts
    else:
        document = load_training(path)
        if document is None:
            raise GnriError(
                f"{path} has no counts of the training rows, so there is nothing to compare with; "
                "give the training table with --training"
            )
        then, words = read_training(document, rule_list)
    codes = _read_codes(table, target, rule_list)
    return watch_table(words, then, table, codes, by, limits)


def watch_table(
    rule_list: RuleList,
    then: RowCounts,
    table: Table,
    codes: NDArray[np.intp] | None,
    by: str | int | Sequence[Any],
    limits: Limits,
) -> WatchReport:
    """Return what changed since `then`, with slices of a number, of a column, or of these cells.

    The rules are those whose clauses `then` counts.
    """
    if not rule_list.steps:
        raise GnriError("there is no rule to watch: the answer is always the same class")
    check_size(table.rows, len(table), 1)
    slices = _slice_rows(table, by)
    now = measure_batch(rule_list, table, codes, slices)
    parts = find_parts(rule_list, then, now)
    checks = [*check_parts(parts, limits), *check_answers(then, now, limits, rule_list)]
    for name, old in then.columns.items():
        checks += check_column(name, old, now, limits)
    found = []
    for check, p in zip(checks, holm([one.p for one in checks]), strict=True):
        alarm = p < limits.alpha and check.size > check.limit
        since = find_since(check, parts) if alarm else None
        found.append(check._replace(p=p, alarm=alarm, since=since))
    return WatchReport(then, now, parts, slices, found, limits)


def _slice_rows(table: Table, by: str | int | Sequence[Any]) -> list[Slice]:
    if isinstance(by, int):
        return cut_rows(table.rows, by)
    if not isinstance(by, str):
        return group_rows(by, "by")
    check_has(by, list(table), table.origin)
    return group_rows(column_cells(table[by]), by)


def watch_fitted(
    fitted: "Fitted",
    table: Table,
    y: Any,
    by: Any,
    folds: int,
    limits: Limits,
) -> WatchReport:
    """Return what changed since rules were fitted; see `RuleClassifier.watch`."""
    from gnri.estimator.cross_validation import estimate

    codes: NDArray[np.intp] | None = None
    measured: Validation | str = "without labels"
    if y is not None:
        labels = np.asarray(y, dtype=object).ravel().tolist()
        codes = code_labels(_check_length(labels, table, "y"), fitted.rule_list.classes)
        measured = estimate(fitted, folds=folds)
    held_out = None if isinstance(measured, str) else measured
    then, words = read_training(fitted.training_summary(held_out), fitted.rule_list)
    cut = by if isinstance(by, int) else _check_length(np.asarray(by).astype(str).tolist(), table)
    return watch_table(words, then, table, codes, cut, limits)


def _check_length(values: list[Any], table: Table, name: str = "by") -> list[Any]:
    if len(values) != table.rows:
        raise ShapeError(
            f"{name} must have a value for each of {table.rows} rows, got {len(values)}"
        )
    return values


def _read_codes(table: Table, target: str | None, rules: RuleList) -> NDArray[np.intp] | None:
    if target is None:
        return None
    check_has(target, list(table), table.origin)
    return code_labels(column_cells(table[target]), rules.classes)
