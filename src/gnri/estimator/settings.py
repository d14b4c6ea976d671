"""The parameters of `RuleClassifier`, without scikit-learn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.data.discretize import MAX_CATEGORIES, MIN_FREQUENCY, learn_schema, make_settings
from gnri.data.schema import Schema
from gnri.data.value_counts import ValueCounts
from gnri.search.limits import make_limits

if TYPE_CHECKING:
    from gnri.estimator.learners import ModelLearner
    from gnri.model.load import Model


@dataclass(frozen=True, slots=True)
class FitSettings:
    """Settings of model, search and atoms; they are checked when they are used."""

    model: "str | Path | Model" = "guided"
    refine: bool = True
    strategy: str = "auto"
    n_bins: int | None = None
    max_categories: int = MAX_CATEGORIES
    min_frequency: float = MIN_FREQUENCY
    thresholds: Mapping[str, Sequence[float]] | None = None
    max_clauses: int | None = None
    max_literals: int | None = None
    negations: bool = True

    def learn_atoms(self, counts: Sequence[ValueCounts], rows: int) -> Schema:
        """Return the atoms of columns with these value counts, whose kinds are decided."""
        binarizer = make_settings(
            self.strategy,
            len(counts),
            n_bins=self.n_bins,
            max_categories=self.max_categories,
            min_frequency=self.min_frequency,
        )
        return learn_schema(counts, rows, binarizer, self.thresholds)

    def learner(self) -> "ModelLearner":
        """Load the model and return it as a learner."""
        # Imported here, so that a fitted classifier predicts without torch.
        from gnri.estimator.learners import ModelLearner
        from gnri.model.load import load_model

        limits = make_limits(self.max_clauses, self.max_literals, self.negations)
        loaded = load_model(self.model) if isinstance(self.model, str | Path) else self.model
        return ModelLearner(loaded, self.refine, limits)
