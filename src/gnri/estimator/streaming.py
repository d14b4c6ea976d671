"""Fitting a classifier to a table in parts, which need not fit in memory."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnri.binarizer.table import checked
from gnri.errors import GnriError
from gnri.estimator.learning import ruleset_of
from gnri.estimator.training import CountedRows
from gnri.model.guided.guided import Guided
from gnri.model.load import load_model
from gnri.rules.minimize import shortened
from gnri.counts.dask_blocks import connect
from gnri.scale.learning import READINGS, learn
from gnri.counts.executors import Here, Place, Report, bytes_of, room_within
from gnri.scale.source import Source
from gnri.search.limits import limits_of
from gnri.tables.frame import Frame

if TYPE_CHECKING:
    from gnri.classifier import RuleClassifier


def place_of(
    memory: int | str | None, scheduler: str | None, report: Report = lambda *_: None
) -> Place:
    """On the workers of a scheduler or, where none is named, here within a budget of memory."""
    budget = bytes_of(memory)
    if scheduler is not None:
        return connect(scheduler, report)
    return Here(room_within(budget), report)


def fit_parts(classifier: "RuleClassifier", source: Source, place: Place) -> None:
    """Fit the classifier as if all rows were in memory; but the rows are not kept."""
    model = _model(classifier)
    limits = limits_of(classifier.max_clauses, classifier.max_literals, classifier.negations)
    binarizer = classifier._binarizer()
    with learn(source, model, place, binarizer=binarizer, limits=limits) as found:
        ruleset = ruleset_of(found.binarizer.schema_, found.classes, found.rules)
        votes = found.votes(ruleset)
        printed = shortened(ruleset)
        cards = found.cards(printed)
        rows = CountedRows(tuple(found.sizes), found.missing, (READINGS, found.passes))
    checked(classifier, Frame({name: np.zeros(2) for name in source.columns}), reset=True)
    classifier.ruleset_, classifier.printed_, classifier.cards_ = ruleset, printed, cards
    classifier.training_ = rows
    classifier.classes_, classifier.votes_ = found.classes, votes
    classifier.binarizer_ = found.binarizer


def _model(classifier: "RuleClassifier") -> Guided:
    given = classifier.model
    model = load_model(given) if isinstance(given, str | Path) else given
    if not isinstance(model, Guided) or not classifier.refine:
        wanted = "refine=False" if isinstance(model, Guided) else f"the model {model.name!r}"
        raise GnriError(
            f"a table in parts is learnt by guided with refine, from counts alone; {wanted} reads "
            "the rows themselves, so read the table into memory first"
        )
    return model
