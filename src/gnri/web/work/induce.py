"""The rule of a table, at once."""

import time
import warnings

import numpy as np

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.data.kinds import ColumnKind
from gnri.data.table import Table
from gnri.data.target import read_labels
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.training import TrainingRows
from gnri.induction import induce
from gnri.messages import shorten
from gnri.rules.dnf import SignedDNF
from gnri.web.work import Report
from gnri.web.work.learnt import Learnt, Settings


def learn(table: Table, settings: Settings, report: Report) -> Learnt:
    """The rules of the target, by the default model."""
    started = time.perf_counter()
    _check(table, settings)
    labels = read_labels(table, settings.target)
    features = table.cast(settings.kinds)
    report(0.2, "looking for the rule")
    classifier = RuleClassifier(binarize=binarizer_of(settings))
    with warnings.catch_warnings():
        # Of small tables scikit-learn supposes that they may have too many classes.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        classifier.fit(features, labels)
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
