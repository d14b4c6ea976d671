"""The long jobs on a table and its rules, run in a process of their own that can be stopped."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gnri.data.kinds import KIND_WORDS, ColumnKind
from gnri.data.schema import column_kinds
from gnri.data.sources import TableSource
from gnri.data.table import Table
from gnri.data.target import target_of
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.baselines import cart, greedy
from gnri.estimator.fitting import Fitted, Rows, describe_rules, fit
from gnri.formats.conditions import spell
from gnri.formats.explanation import Explanation, explain
from gnri.induction import induce
from gnri.messages import shorten
from gnri.report.facts import facts_of
from gnri.report.page import page
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import load_ruleset, parse_json
from gnri.rules.rule_list import RuleSet
from gnri.symmetry.audit import audit
from gnri.symmetry.transforms import TRANSFORMS
from gnri.web.learnt import Learnt, Report, Rules, Settings
from gnri.web.rule_files import rules_file
from gnri.web.security import Limits
from gnri.web.upload import check_rows, read_upload

EDITED = (
    "This rule was edited by hand, so nothing is promised of how it would follow a reordering or a "
    "negation: no model would have to come back to it."
)
BEFORE_EDITS = (
    "The rules above were edited by hand, so these lines do not give them, nor this page: they "
    "give the rules as they were before the edits."
)
LISTED = 20
"""So many columns are named; those that were learnt from all stand elsewhere on the page."""

MOST_RULES = 3
"""Of more rules than these, the first ones are audited."""


def learn(table: Table, settings: Settings, report: Report) -> Learnt:
    """Return the rules of the target, by the default model."""
    report(0.2, "looking for the rule")
    return Learnt.of(settings, fit_table(table, settings))


def fit_table(table: Table, settings: Settings) -> Fitted:
    """Fit the columns that a person chose, read as the kinds chosen."""
    _check(table, settings)
    target = settings.target
    columns = {**table.cast(settings.kinds), target: table[target]}
    source = TableSource.of(Table(columns, table.origin, table.rows))
    return fit(source, target, settings.fit_settings())


def rule_of(episode: Episode) -> SignedDNF | None:
    """Return the rule of one task, as `learn` finds it."""
    return induce(episode).rule


LEARNERS: dict[str, Callable[[Episode], SignedDNF | None]] = {
    "rule": rule_of,
    "tree": cart(),
    "greedy": greedy,
}


def run_audit(learnt: Learnt, learner: str, seed: int, report: Report) -> dict[str, Any]:
    """Return the report of the audit of a learner on the person's table."""
    episodes = list(learnt.episodes.values())[:MOST_RULES]
    steps, done = len(episodes) * (1 + len(TRANSFORMS)), 0

    def counted(episode: Episode) -> SignedDNF | None:
        nonlocal done
        rule = LEARNERS[learner](episode)
        done += 1
        report(done / steps, f"{done} of {steps} rules induced")
        return rule

    found: dict[str, Any] = json.loads(audit(counted, episodes, seed=seed).to_json())
    return found


def html_report(table: Table, learnt: Learnt, rules: Rules, report: Report) -> str:
    """Return the page of `RuleClassifier.report`, without its cross-validation."""
    edited = rules != learnt.printed
    report(0.1, "writing" if edited else "checking the promise")
    fitted = restore(table, learnt)
    if edited:
        fitted = replace(fitted.with_rules(rules), values=None)
    facts = facts_of(fitted)
    again = f"{BEFORE_EDITS if edited else facts.again} {_what_x_is(table, learnt.settings)}"
    return page(replace(facts, again=again, symmetry=EDITED if edited else facts.symmetry))


def restore(table: Table, learnt: Learnt) -> Fitted:
    """Return the fitted rules again that a page was shown."""
    settings, columns = learnt.settings, table.cast(learnt.settings.kinds)
    label = table[settings.target]
    target, _ = target_of(label)
    missing = {name: column.missing for name, column in columns.items()}
    rows = Rows(
        learnt.schema, target, learnt.counter, missing, learnt.values, learnt.codes, columns
    )
    return describe_rules(rows, learnt.ruleset(learnt.induced), settings.fit_settings())


def predict_rows(ruleset: bytes, rows: bytes, kind: str, limits: Limits, report: Report) -> bytes:
    """Return the class of each row, in JSON.

    The rows are "csv", or "rows" in JSON, a list of objects.
    """
    found = load_ruleset(ruleset.decode())
    columns = _columns(found, rows, kind, limits)
    report(0.5, "answering")
    return json.dumps({"predictions": found.predict(columns)}).encode()


def explain_rows(ruleset: bytes, rows: bytes, kind: str, limits: Limits, report: Report) -> bytes:
    """Return the class of each row, the reason, and the clauses that fired, in JSON."""
    found = load_ruleset(ruleset.decode())
    columns = _columns(found, rows, kind, limits)
    report(0.5, "answering")
    said = [_explained(one) for one in explain(found, columns)]
    return json.dumps({"rows": said}).encode()


def export_ruleset(ruleset: bytes, to: str, report: Report) -> dict[str, Any]:
    """Return the file of a ruleset."""
    report(0.1, "writing")
    return rules_file(load_ruleset(ruleset.decode()), to)


def _check(table: Table, settings: Settings) -> None:
    for name in (settings.target, *settings.kinds, *settings.cuts):
        if name not in table:
            raise GnriError(f"{table.origin} has no column {shorten(name)}")
    if settings.target in settings.kinds:
        raise GnriError(f"the target, {shorten(settings.target)}, cannot be learnt from as well")
    if not settings.kinds:
        raise GnriError("every column is left out; choose at least one to learn from")
    for name in settings.cuts:
        if settings.kinds.get(name) != ColumnKind.NUMBER:
            raise GnriError(f"only numbers can be cut, and {shorten(name)} is not read as numbers")


def _what_x_is(table: Table, settings: Settings) -> str:
    """Return what was made of the file before it was learnt from, which no recipe says."""
    left_out = [spell(name) for name in table if name not in settings.kinds]
    changed = [
        f"{spell(name)} read as {KIND_WORDS[kind]}"
        for name, kind in settings.kinds.items()
        if kind != table[name].decided_kind
    ]
    words = f"X is the table without {_listed(left_out)}"
    if changed:
        words += f", with {_listed(changed)}"
    return f"{words}; y is {spell(settings.target)}."


def _listed(words: list[str]) -> str:
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return f"{', '.join(words[:LISTED])}{more}"


def _explained(one: Explanation) -> dict[str, Any]:
    fired = [{"label": label, "clauses": clauses} for label, clauses in one.fired.items()]
    return {"prediction": one.prediction, "reason": one.reason, "fired": fired}


def _columns(ruleset: RuleSet, rows: bytes, kind: str, limits: Limits) -> dict[str, Any]:
    """Return the cells of the columns that the ruleset reads; an absent one is missing."""
    if kind == "csv":
        table = read_upload(rows, "the table", limits)
        return dict(table.cast(column_kinds(ruleset.schema.atoms)))
    objects = parse_json(rows)
    if not isinstance(objects, list) or not objects:
        raise GnriError("'rows' must be a list of objects, at least one")
    if not all(isinstance(row, dict) for row in objects):
        raise GnriError("'rows' must be objects with a cell for each column")
    check_rows(len(objects), "the table", limits)
    return {name: [row.get(name) for row in objects] for name in ruleset.columns}
