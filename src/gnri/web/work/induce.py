"""The rule of a table, at once."""

import time
import warnings

import numpy as np

from gnri.binarizer.transformer import Binarizer
from gnri.classifier import RuleClassifier
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.training import TrainingRows
from gnri.induction import induce
from gnri.messages import shorten
from gnri.rules.dnf import SignedDNF
from gnri.tables.cells import Kind, classes
from gnri.web.packed import PackedTable
from gnri.web.work import Report
from gnri.web.work.learnt import Learnt, Settings


def learn(table: PackedTable, settings: Settings, report: Report) -> Learnt:
    """The rules of the target, by the default model."""
    started = time.perf_counter()
    _check(table, settings)
    labels = classes(table.columns[settings.target].cells, settings.target)
    frame = table.frame(settings.kinds)
    report(0.2, "looking for the rule")
    classifier = RuleClassifier(binarize=binarizer_of(settings))
    with warnings.catch_warnings():
        # Of small tables scikit-learn supposes that they may have too many classes.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        classifier.fit(frame, labels)
    training = classifier.training_
    assert isinstance(training, TrainingRows) and training.values is not None
    return Learnt(
        settings,
        classifier.schema_,
        tuple(classifier.classes_.tolist()),
        training.values,
        training.codes.astype(np.intp),
        classifier.ruleset_.rules,
        classifier.printed_.rules,
        classifier.ruleset_.majority,
        classifier.ruleset_.turns,
        str(classifier.model),
        time.perf_counter() - started,
    )


def rule_of(episode: Episode) -> SignedDNF | None:
    """The rule of one task, as `learn` finds it."""
    return induce(episode, RuleClassifier().model).rule


def binarizer_of(settings: Settings) -> Binarizer:
    """How columns become questions, with the person's own cuts where there are some."""
    return Binarizer(given_cuts={name: list(cuts) for name, cuts in settings.cuts.items()})


def _check(table: PackedTable, settings: Settings) -> None:
    for name in (settings.target, *settings.kinds, *settings.cuts):
        if name not in table.columns:
            raise GnriError(f"{table.source} has no column {shorten(name)}")
    if settings.target in settings.kinds:
        raise GnriError(f"the target, {shorten(settings.target)}, cannot be learnt from as well")
    if not settings.kinds:
        raise GnriError("every column is left out; choose at least one to learn from")
    for name in settings.cuts:
        if settings.kinds.get(name) != Kind.NUMBER:
            raise GnriError(f"only numbers can be cut, and {shorten(name)} is not read as numbers")
