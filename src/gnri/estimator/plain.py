"""What the classifier makes of a table out of a file, without scikit-learn.

A command that learns one rule would wait a second for scikit-learn to load, and use nothing of it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gnri.binarizer.learn import STRATEGIES, learn_schema, settings_of, truths
from gnri.binarizer.table import check_size, read
from gnri.errors import GnriError
from gnri.estimator.labels import coded
from gnri.estimator.learners import ModelLearner
from gnri.estimator.learning import Fitted, fit_rules
from gnri.model.load import Model, load_model
from gnri.search.limits import Limits, limits_of
from gnri.tables.frame import Frame


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the rules are to be made: the settings of `RuleClassifier`."""

    model: str = "guided"
    refine: bool = True
    binarize: str = "auto"
    max_clauses: int | None = None
    max_literals: int | None = None
    negations: bool = True


def fit_frame(frame: Frame, labels: NDArray[Any], wishes: Wishes) -> Fitted:
    """What `RuleClassifier.fit` finds, for columns and labels that were read from a file."""
    table = read(frame)
    check_size(table.rows, len(table.names))
    classes, codes = coded(labels)
    if wishes.binarize not in STRATEGIES:
        raise GnriError(f"binarize must be 'auto' or 'median', got {wishes.binarize!r}")
    schema = learn_schema(table, settings_of(wishes.binarize, len(table.names)))
    limits = limits_of(wishes.max_clauses, wishes.max_literals, wishes.negations)
    learner = learner_of(wishes.model, wishes.refine, limits)
    return fit_rules(schema, truths(schema, table, table.names), classes, codes, learner)


def answers(fitted: Fitted, frame: Frame) -> NDArray[Any]:
    """What `RuleClassifier.predict` says of rows with the columns of those it was fitted on."""
    values = truths(fitted.ruleset.schema, read(frame), frame.columns)
    return fitted.classes[fitted.ruleset.choose(values)]


def learner_of(model: str | Path | Model, refine: bool, limits: Limits) -> ModelLearner:
    """How a model makes rules; it is loaded once."""
    loaded = load_model(model) if isinstance(model, str | Path) else model
    return ModelLearner(loaded, refine, limits)
