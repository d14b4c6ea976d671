"""The long jobs on a table and its rules, run by the worker processes."""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri import formats
from gnri.data.kinds import KIND_WORDS, ColumnKind
from gnri.data.schema import column_kinds
from gnri.data.sources import TableSource, read_missing
from gnri.data.table import Table, check_has
from gnri.errors import GnriError, shorten
from gnri.estimator import baselines
from gnri.estimator.aims import Aim, find_points
from gnri.estimator.alternatives import find_alternatives, learn_path
from gnri.estimator.cross_validation import (
    FOLDS,
    MAX_SECONDS,
    Baseline,
    Validation,
    cross_validate,
    estimate,
    fold_count,
)
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.learners import ModelLearner
from gnri.estimator.settings import FitSettings
from gnri.estimator.summary import describe_validation
from gnri.estimator.trials import find_trials
from gnri.formats.conditions import format_value
from gnri.formats.explanation import explain
from gnri.formats.text import to_text
from gnri.report.facts import MOST_CHECKED, OTHERS, audit_trials, gather_facts
from gnri.report.page import page
from gnri.rules.documents import from_json, parse_json
from gnri.rules.row_expression import mix
from gnri.rules.rule_list import RuleList
from gnri.web import Report
from gnri.web.rule_view import TableFit
from gnri.web.schemas import FORMATS
from gnri.web.security import Limits
from gnri.web.table_view import check_size, read_upload

EDITED = (
    "These rules were edited by hand, so nothing is promised about them: learning from a changed "
    "table does not lead back to them."
)
BY_HAND = "these rules were edited by hand, and nothing can be edited again without a fold"
BEFORE_EDITS = (
    "The rules above were edited by hand. These lines do not give them, nor this page: they give "
    "the rules as they were before the edits."
)
VALIDATED = "rules cross-validated"
MOST_NAMES = 20  # columns named in a sentence
COMPARED_CELLS, LEAST_ROWS = 500_000, 1_000  # rows times atoms that `compare` reads
RIPPER_CELLS = 150_000  # and that RIPPER reads in about half a minute


def learn(
    table: Table,
    target: str,
    columns: dict[str, dict[str, Any]],
    weight: str | None,
    settings: dict[str, Any],
    report: Report,
) -> TableFit:
    """Return the rules of the target; `columns` has the `kind` and `thresholds` of some columns.

    `settings` are those of a fit; its `keep` is a rule list in JSON.
    """
    names = list(table)
    for name in (target, *columns, *([weight] if weight else [])):
        check_has(name, names, table.origin)
    features = {name: columns.get(name, {}) for name in names if name not in (target, weight)}
    used = {name: own for name, own in features.items() if own.get("kind") != "leave out"}
    if not used:
        raise GnriError("every column is left out; choose at least one to learn from")
    kinds = {
        name: ColumnKind(own.get("kind", table[name].decided_kind)) for name, own in used.items()
    }
    thresholds = {name: own["thresholds"] for name, own in used.items() if "thresholds" in own}
    for name in thresholds:
        if kinds[name] != ColumnKind.NUMBER:
            raise GnriError(f"only columns of numbers have thresholds, not {shorten(name)}")
    report(0.2, "learning the rules")
    read = Table({**table.cast(kinds), target: table[target]}, table.origin, table.rows)
    chosen = tuple(name for name, own in used.items() if "kind" in own)
    kept = settings.get("keep")
    if kept is not None:
        settings = {**settings, "keep": from_json(kept.decode())}
    wanted = FitSettings(thresholds=thresholds or None, use=chosen, **settings)
    weights = None if weight is None else _read_weights(table, weight)
    fitted = fit(TableSource.of(read, weights), target, wanted)
    kinds = {name: kind for name, kind in kinds.items() if name not in fitted.ignored}
    # The server has the table already.
    return TableFit(replace(fitted, table=None), kinds, _digest(fitted), fitted.minimized)


def _read_weights(table: Table, name: str) -> NDArray[np.float64]:
    from gnri.estimator.weighting import check_weights, read_weights

    weights = check_weights(read_weights(table, name), table.rows)
    if not weights.all():
        raise GnriError(
            f"the weights in {shorten(name)} must be above 0 here, as all rows are shown, got 0 in "
            f"row {int(weights.argmin())}; leave rows of weight 0 out of the table"
        )
    return weights


def learn_and_view(*job: Any) -> tuple[TableFit, dict[str, Any]]:
    """Return what `learn` does, and the view of its rules."""
    fit = learn(*job)
    return fit, fit.view()


def _digest(fitted: Fitted) -> str:
    settings, classes = fitted.settings, tuple(fitted.classes.tolist())
    names = fitted.target.name, fitted.schema, classes, settings.form, settings.class_weight
    asked = settings.min_precision, settings.min_recall, settings.keep
    digest = blake2b(repr((*names, *asked)).encode(), digest_size=12)
    copies = [] if fitted.copies is None else [fitted.copies]
    for cells in (*fitted.rows(), *copies):
        digest.update(np.ascontiguousarray(cells).data)
    return digest.hexdigest()


OURS = "this rule learner"
COMPARED: dict[str, tuple[Baseline, str]] = {
    "decision tree of 16 leaves": (baselines.of_columns(lambda: baselines.tree(16)), "leaves"),
    "pruned decision tree": (baselines.of_columns(baselines.pruned_tree), "leaves"),
    "RIPPER": (baselines.ripper, "clauses"),
    "logistic regression": (baselines.of_columns(baselines.scaled_logistic), ""),
    "random forest": (baselines.of_columns(baselines.forest), ""),
}
"""Other learners, each with what its size counts."""


def run_audit(fitted: Fitted, learner: str, seed: int, report: Report) -> dict[str, Any]:
    """Return the report of an audit of the learner on the first tasks of a table."""
    trials, advance = find_trials(fitted, OTHERS.get(learner)), _count(report, "rules learnt")
    return json.loads(audit_trials(trials, seed, advance, MOST_CHECKED).to_json())


def _count(report: Report, what: str) -> Callable[[int, int], None]:
    """Return what reports how many of these steps are done, and of how many."""
    return lambda done, steps: report(done / steps, f"{done} of {steps} {what}")


def compare(table: Table, table_fit: TableFit, report: Report) -> dict[str, Any]:
    """Return the cross-validated accuracy of each learner; of a large table, on a sample."""
    table, fitted = table_fit.labelled(table), table_fit.fitted
    rows = table.rows
    (values, codes), copies = fitted.rows(), fitted.copies
    if values.size > COMPARED_CELLS:
        chosen = sample_rows(table, codes, max(LEAST_ROWS, COMPARED_CELLS // values.shape[1]))
        table, values, codes = table.take(chosen), values[chosen], codes[chosen]
        copies = None if copies is None else copies[chosen]
    fitted = replace(
        fitted, table=table.cast(table_fit.kinds), values=values, codes=codes, copies=copies
    )
    folds = fold_count(codes)
    if folds < 2:
        raise GnriError("a class has one row only, and cross-validation needs two")
    ours = fitted.settings.learner(), "clauses or lines"
    learners: dict[str, tuple[Baseline | ModelLearner, str]] = {OURS: ours, **COMPARED}
    left_out = {} if find_spec("wittgenstein") else {"RIPPER": "its package is not installed"}
    if values.size > RIPPER_CELLS:
        left_out = {"RIPPER": "it would take too long on so many rows and columns"}
    for name in left_out:
        learners.pop(name, None)
    steps, turns, measured = len(learners) * folds, count(1), []
    for name, (learner, unit) in learners.items():

        def advance(*_: int, name: str = name) -> None:
            report(next(turns) / steps, f"cross-validating {name}")

        one = cross_validate(fitted, learner, folds=folds, report=advance)
        figures = {"accuracy": one.accuracy, "by_fold": one.by_fold}
        measured.append({"name": name, **figures, "size": one.clauses, "unit": unit})
    majority, shown = float(np.bincount(codes).max() / len(codes)), {"rows": table.rows, "of": rows}
    found = {"folds": folds, **shown, "majority": majority, "learners": measured}
    return {**found, "left_out": left_out}


def sample_rows(table: Table, codes: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return the numbers of about `most` rows, the same share of each class.

    A row is chosen by a hash of its cells, and the number of equal rows before it. So another order
    of rows or columns gives the same rows.
    """
    keys = np.zeros(table.rows, np.uint64)
    for name, column in table.items():
        cells = (f"{name}\0{text}".encode() for text in column.categories)
        digests = b"".join(blake2b(cell, digest_size=8).digest() for cell in cells)
        keys += mix(np.frombuffer(digests, "<u8"))[column.values]
    order = np.argsort(keys)
    _, starts, sizes = np.unique(keys[order], return_index=True, return_counts=True)
    before = (np.arange(table.rows) - np.repeat(starts, sizes)).astype(np.uint64)
    ranks = np.empty_like(keys)
    ranks[order] = mix(keys[order] + mix(before))
    chosen = []
    for kind in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == kind)
        count = max(round(len(own) * most / table.rows), FOLDS)
        chosen.append(own[np.argsort(ranks[own])[:count]])
    return np.sort(np.concatenate(chosen))


def validate(
    table: Table, fit: TableFit, report: Report
) -> tuple[Validation | str, dict[str, Any]]:
    """Return how often the rules are right on unseen rows, and the same in words."""
    fitted = fit.with_table(table)
    found = estimate(fitted, max_seconds=MAX_SECONDS, report=_count(report, "steps done"))
    share, lines = describe_validation(found, fitted)
    accuracy = None if isinstance(found, str) else found.accuracy
    return found, {"accuracy": accuracy, "share": share, "lines": lines}


def points(table: Table, fit: TableFit, report: Report) -> dict[str, Any]:
    """Return precision and recall of a class at each operating point, on rows held out."""
    report(0.1, "learning without each fold")
    fitted = fit.with_table(table)
    found = find_points(fitted)
    own = Aim.read(fitted.settings, fitted.classes, fitted.sizes).subject
    labels = [str(label) for label in fitted.classes.tolist()]
    share = fitted.sizes[own] / sum(fitted.sizes)
    return {"class": labels[own], "other": labels[1 - own], "share": share, "points": found}


def alternatives(table: Table, fit: TableFit, report: Report) -> dict[str, Any]:
    """Return the rule, and others on other columns that are nearly as good, the best first."""
    found = find_alternatives(fit.with_table(table), report=_count(report, VALIDATED))
    rule = to_text(fit.fitted.minimized)
    return {"rule": rule, "alternatives": [one.as_dict() for one in found]}


def path(table: Table, fit: TableFit, report: Report) -> dict[str, Any]:
    """Return the best rule of each number of conditions, from one up to those of the rule."""
    return {"path": learn_path(fit.with_table(table), report=_count(report, VALIDATED))}


def html_report(
    table: Table, fit: TableFit, validation: Validation | str | None, report: Report
) -> dict[str, Any]:
    """Return the file of `RuleClassifier.report`, with this cross-validation, or else its own."""
    if fit.edited:
        report(0.1, "writing")
        facts = gather_facts(replace(fit.shown, values=None), BY_HAND)
        facts = replace(facts, again=BEFORE_EDITS, symmetry=EDITED)
    else:
        found = validation or validate(table, fit, report)[0]
        report(0.5, "checking the symmetries")
        facts = gather_facts(fit.fitted, found)
    again = f"{facts.again} {_describe_input(table, fit)}"
    return _make_file("html", page(replace(facts, again=again)))


def _describe_input(table: Table, fit: TableFit) -> str:
    """Return which columns were used, and how they were read."""
    left_out = [format_value(name) for name in table if name not in fit.kinds]
    changed = [
        f"{format_value(name)} read as {KIND_WORDS[kind]}"
        for name, kind in fit.kinds.items()
        if kind != table[name].decided_kind
    ]
    changes = f", with {_join(changed)}" if changed else ""
    target = format_value(fit.fitted.target.name)
    dropped = ", rows without it left out" if fit.fitted.target.unlabelled else ""
    return f"X is the table without {_join(left_out)}{changes}; y is {target}{dropped}."


def _join(words: list[str]) -> str:
    more = f" and {len(words) - MOST_NAMES} more" if len(words) > MOST_NAMES else ""
    return f"{', '.join(words[:MOST_NAMES])}{more}"


def answer_rows(
    how: str, rule_list: bytes, rows: bytes, kind: str, limits: Limits, report: Report
) -> bytes:
    """Return the class of each row in JSON; if `how` is "explain", with the clauses that fired."""
    rules = from_json(rule_list.decode())
    columns = _read_columns(rules, rows, kind, limits)
    report(0.5, "predicting")
    if how == "predict":
        return json.dumps({"predictions": rules.predict(columns)}).encode()
    explained = [
        {
            "prediction": one.prediction,
            "reason": one.reason,
            "fired": [{"label": label, "clauses": said} for label, said in one.fired.items()],
        }
        for one in explain(rules, columns)
    ]
    return json.dumps({"rows": explained}).encode()


def _read_columns(rules: RuleList, rows: bytes, kind: str, limits: Limits) -> dict[str, Any]:
    """Return the columns that the rules read, from "csv" or from "rows", a JSON list of objects."""
    if kind == "csv":
        table = read_missing(read_upload(rows, "the table", limits), rules.na_values)
        return dict(table.cast(column_kinds(rules.schema.atoms)))
    objects = parse_json(rows)
    if not isinstance(objects, list) or not objects:
        raise GnriError("'rows' must be a list with at least one row")
    if not all(isinstance(row, dict) for row in objects):
        raise GnriError("each of 'rows' must be an object with a cell for each column")
    check_size(len(objects), 0, "the table", limits)
    return {name: [row.get(name) for row in objects] for name in rules.columns}


def export_rules(rules: RuleList | bytes, form: str, report: Report) -> dict[str, Any]:
    """Return the file of rules, or of a saved rule list, in a format that needs no table."""
    if form == "html":
        raise GnriError("a report needs a table; send 'table' in place of 'rule_list'")
    report(0.1, "writing")
    rule_list = from_json(rules.decode()) if isinstance(rules, bytes) else rules
    return _make_file(form, formats.render(rule_list, form))


def _make_file(form: str, content: str) -> dict[str, Any]:
    """Return a file with its name and media type."""
    name, media_type = FORMATS[form]
    return {"name": name, "type": media_type, "content": content}
