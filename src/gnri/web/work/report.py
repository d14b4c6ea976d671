"""The HTML report of a rule, the model's or one that a person edited, as text."""

from dataclasses import replace

import numpy as np

from gnri.cards.make import rule_cards
from gnri.estimator.classifier import RuleClassifier
from gnri.estimator.reporting import facts_of
from gnri.estimator.training import training_rows
from gnri.report import page
from gnri.web.packed import PackedTable
from gnri.web.work import Report
from gnri.web.work.induce import binarizer_of
from gnri.web.work.learnt import Learnt, Rules

EDITED = (
    "This rule was edited by hand, so nothing is promised of how it would follow a reordering or a "
    "negation: no model would have to come back to it."
)


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
    facts = facts_of(classifier, [])
    return page(replace(facts, symmetry=EDITED) if edited else facts)
