"""What the classifier makes of a table out of a file, without scikit-learn.

A command that learns one rule would wait a second for scikit-learn to load, and use nothing of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gnri.data.discretize import STRATEGIES, learn_schema, make_settings
from gnri.data.encode import encode
from gnri.data.table import Table, check_size
from gnri.data.target import code_labels
from gnri.data.value_counts import count_values
from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.estimator.learning import Fitted, Inducing, fit_rules
from gnri.induction import glances, induce
from gnri.model.load import Model, load_model
from gnri.rules.dnf import SignedDNF
from gnri.search.limits import Limits, limits_of


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the rules are to be made: the settings of `RuleClassifier`."""

    model: str = "guided"
    refine: bool = True
    binarize: str = "auto"
    max_clauses: int | None = None
    max_literals: int | None = None
    negations: bool = True


def fit_frame(table: Table, labels: NDArray[Any], wishes: Wishes) -> Fitted:
    """What `RuleClassifier.fit` finds, for columns and labels that were read from a file."""
    check_size(table.rows, len(table))
    classes, codes = code_labels(labels)
    if wishes.binarize not in STRATEGIES:
        raise GnriError(f"binarize must be 'auto' or 'median', got {wishes.binarize!r}")
    counts = [count_values(column) for column in table.values()]
    schema = learn_schema(counts, table.rows, make_settings(wishes.binarize, len(table)))
    limits = limits_of(wishes.max_clauses, wishes.max_literals, wishes.negations)

    inducing = inducing_by(wishes.model, wishes.refine, limits)
    return fit_rules(schema, encode(schema, table), classes, codes, inducing)


def answers(fitted: Fitted, table: Table) -> NDArray[Any]:
    """What `RuleClassifier.predict` says of rows with the columns of those it was fitted on."""
    values = encode(fitted.ruleset.schema, table)
    return fitted.classes[fitted.ruleset.choose(values)]


def inducing_by(model: str | Path | Model, refine: bool, limits: Limits) -> Inducing:
    """How a model makes rules; it is loaded once."""
    loaded = load_model(model) if isinstance(model, str | Path) else model

    def rules(episodes: Sequence[Episode]) -> list[SignedDNF | None]:
        return [induce(one, loaded, refine, limits=limits).rule for one in episodes]

    return Inducing(rules, lambda episodes: glances(episodes, loaded, limits=limits))
