"""The long jobs on a table and its rules, run in a process of their own that can be stopped."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from gnri.data.kinds import KIND_WORDS, ColumnKind
from gnri.data.schema import column_kinds
from gnri.data.sources import TableSource
from gnri.data.table import Table
from gnri.data.target import target_of
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator import baselines
from gnri.estimator.cross_validation import FOLDS, FoldLearner, cross_validate, rule_learner
from gnri.estimator.fitting import Fitted, Rows, describe_rules, fit
from gnri.estimator.learners import EpisodeLearner
from gnri.formats.conditions import spell
from gnri.formats.explanation import Explanation, explain
from gnri.induction import glances, induce
from gnri.messages import shorten
from gnri.report.facts import facts_of
from gnri.report.page import page
from gnri.rules.dnf import SignedDNF
from gnri.rules.documents import load_ruleset, parse_json
from gnri.rules.rule_list import RuleSet
from gnri.symmetry.audit import audit
from gnri.symmetry.transforms import TRANSFORMS
from gnri.web.learnt import Learnt, Report, Rules, Settings
from gnri.web.rule_view import rules_file
from gnri.web.security import Limits
from gnri.web.table_view import check_size, read_upload

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
    """Return the rules of the target, by the default model, of the columns and kinds chosen."""
    _check(table, settings)
    report(0.2, "looking for the rule")
    target = settings.target
    columns = {**table.cast(settings.kinds), target: table[target]}
    source = TableSource.of(Table(columns, table.origin, table.rows))
    return Learnt.of(settings, fit(source, target, settings.fit_settings()))


def rule_of(episode: Episode) -> SignedDNF | None:
    """Return the rule of one task, as `learn` finds it."""
    return induce(episode).rule


LEARNERS: dict[str, Callable[[Episode], SignedDNF | None]] = {
    "rule": rule_of,
    "tree": baselines.cart(),
    "greedy": baselines.greedy,
}

COMPARED: dict[str, FoldLearner] = {
    "this rule learner": rule_learner(EpisodeLearner(rule_of, glances)),
    "decision tree": baselines.by_scikit_learn(baselines.tree),
    "greedy rules, RIPPER-style": rule_learner(EpisodeLearner(baselines.greedy)),
    "logistic regression": baselines.by_scikit_learn(baselines.logistic),
}
"""Those that a rule is compared with, itself the first."""


def run_audit(learnt: Learnt, learner: str, seed: int, report: Report) -> dict[str, Any]:
    """Return the report of the audit of a learner on the person's table."""
    episodes = list(learnt.episodes.values())[:MOST_RULES]
    steps, turns = len(episodes) * (1 + len(TRANSFORMS)), count(1)

    def counted(episode: Episode) -> SignedDNF | None:
        rule, done = LEARNERS[learner](episode), next(turns)
        report(done / steps, f"{done} of {steps} rules induced")
        return rule

    found: dict[str, Any] = json.loads(audit(counted, episodes, seed=seed).to_json())
    return found


def compare(table: Table, learnt: Learnt, report: Report) -> dict[str, Any]:
    """Return how often each learner is right on rows that it was not shown."""
    fitted = restore(table, learnt)
    folds = min(FOLDS, *fitted.sizes)
    if folds < 2:
        raise GnriError("a class has one row only, so no rows can be held out to compare on")
    steps, turns, found = len(COMPARED) * folds, count(1), []
    for name, learner in COMPARED.items():

        def advance(*_: int, name: str = name) -> None:
            report(next(turns) / steps, f"trying {name}")

        validation = cross_validate(fitted, learner, folds=folds, report=advance)
        found.append(
            {
                "name": name,
                "accuracy": validation.accuracy,
                "by_fold": validation.by_fold,
                "clauses": validation.clauses,
                "seconds": validation.seconds,
            }
        )
    rows, majority = sum(fitted.sizes), max(fitted.sizes) / sum(fitted.sizes)
    return {"folds": folds, "rows": rows, "majority": majority, "learners": found}


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
    target, _ = target_of(table[settings.target])
    missing = {name: column.missing for name, column in columns.items()}
    rows = Rows(
        learnt.schema, target, learnt.counter, missing, learnt.values, learnt.codes, columns
    )
    return describe_rules(rows, learnt.ruleset(learnt.induced), settings.fit_settings())


def answer_rows(
    how: str, ruleset: bytes, rows: bytes, kind: str, limits: Limits, report: Report
) -> bytes:
    """Return the class of each row, in JSON; to "explain", the reason and the clauses that fired.

    The rows are "csv", or "rows" in JSON, a list of objects.
    """
    found = load_ruleset(ruleset.decode())
    columns = _columns(found, rows, kind, limits)
    report(0.5, "answering")
    if how == "explain":
        said: dict[str, Any] = {"rows": [_explained(one) for one in explain(found, columns)]}
    else:
        said = {"predictions": found.predict(columns)}
    return json.dumps(said).encode()


def export_ruleset(ruleset: bytes, to: str, report: Report) -> dict[str, Any]:
    """Return the file of a ruleset."""
    report(0.1, "writing")
    return rules_file(load_ruleset(ruleset.decode()), to)


def _check(table: Table, settings: Settings) -> None:
    if settings.target not in table:
        raise GnriError(f"{table.origin} has no column {shorten(settings.target)}")
    if not settings.kinds:
        raise GnriError("every column is left out; choose at least one to learn from")
    for name in settings.cuts:
        if settings.kinds[name] != ColumnKind.NUMBER:
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
    check_size(len(objects), 0, "the table", limits)
    return {name: [row.get(name) for row in objects] for name in ruleset.columns}
