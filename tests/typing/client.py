"""What a typed program sees of gnri: checked by mypy and pyright, never run."""

from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import gnri
from gnri import (
    AuditReport,
    Binarizer,
    Episode,
    Explanation,
    ExportResult,
    Induction,
    RuleClassifier,
    RuleList,
    RuleStatistics,
    Scorecard,
    Scores,
    SignedDNF,
    Symmetry,
    audit,
    canonical_export,
    equivalent,
    induce,
    load_rules,
    parse,
    save_rules,
)


def use(values: NDArray[np.int8], labels: NDArray[np.int8], scores: Scores) -> None:
    """Call each public name once."""
    episode = Episode(values, labels)
    found = induce(episode)
    assert_type(found, Induction)
    assert_type(found.rule, SignedDNF | None)
    rule = parse("a & ~b", ["a", "b"])
    assert_type(rule, SignedDNF | Scorecard)
    assert_type(~rule, SignedDNF | Scorecard)
    assert_type(equivalent(rule, rule), bool)
    g = Symmetry.random(episode, rng=np.random.default_rng(0))
    assert_type(g, Symmetry)
    assert_type(g(episode), Episode)
    assert_type(g(rule), SignedDNF | Scorecard)
    assert_type(audit(lambda one: induce(one).rule, [episode]), AuditReport)
    assert_type(canonical_export(scores, episode), ExportResult)
    classifier = RuleClassifier(binarize=Binarizer(n_bins=4)).fit(values, labels)
    assert_type(classifier, RuleClassifier)
    assert_type(classifier.fit_files("part-*.csv", "y", memory="2GB"), RuleClassifier)
    assert_type(classifier.rule_list_, RuleList)
    assert_type(classifier.rule_list_.minimized(), RuleList)
    assert_type(classifier.statistics_, tuple[RuleStatistics, ...])
    assert_type(classifier.summary(), str)
    assert_type(classifier.to_sql("patients"), str)
    assert_type(classifier.explain(values), list[Explanation])
    assert_type(save_rules(classifier.rule_list_, "rules.json"), Path)
    assert_type(load_rules("rules.json"), RuleList)
    assert_type(gnri.__version__, str)
