"""The HTML report of a rule, the model's or one that a person edited, as text."""

from dataclasses import replace

import numpy as np

from gnri.classifier import RuleClassifier
from gnri.estimator.statistics import rule_cards
from gnri.estimator.training import training_rows
from gnri.formats.conditions import spell
from gnri.report.facts import facts_of
from gnri.report.page import page
from gnri.web.packed import PackedTable
from gnri.web.work import Report
from gnri.web.work.induce import binarizer_of
from gnri.web.work.learnt import Learnt, Rules, Settings

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


def html_report(table: PackedTable, learnt: Learnt, rules: Rules, report: Report) -> str:
    """The page of `RuleClassifier.report`, without its cross-validation."""
    report(0.1, "checking the promise" if rules == learnt.printed else "writing")
    edited, values = rules != learnt.printed, learnt.values
    classifier = RuleClassifier(binarize=binarizer_of(learnt.settings))
    classifier.binarizer_ = binarizer_of(learnt.settings).fit(table.frame(learnt.settings.kinds))
    classifier.classes_ = np.array(learnt.classes)
    classifier.ruleset_ = learnt.ruleset(rules if edited else learnt.induced)
    classifier.printed_ = learnt.ruleset(rules)
    classifier.cards_ = rule_cards(classifier.printed_, values, learnt.codes)
    kept = training_rows(classifier.ruleset_, values, learnt.codes)
    classifier.training_ = kept.without_values() if edited else kept
    facts = facts_of(classifier)
    again = f"{BEFORE_EDITS if edited else facts.again} {_what_x_is(table, learnt.settings)}"
    return page(replace(facts, again=again, symmetry=EDITED if edited else facts.symmetry))


def _what_x_is(table: PackedTable, settings: Settings) -> str:
    """What was made of the file before it was learnt from, which no line of the recipe says."""
    left_out = [spell(name) for name in table.columns if name not in settings.kinds]
    changed = [
        f"{spell(name)} read as {kind}"
        for name, kind in settings.kinds.items()
        if kind != table.columns[name].kind
    ]
    words = f"X is the table without {_listed(left_out)}"
    if changed:
        words += f", with {_listed(changed)}"
    return f"{words}; y is {spell(settings.target)}."


def _listed(words: list[str]) -> str:
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return f"{', '.join(words[:LISTED])}{more}"
