"""How rules are to be made: the parameters of `RuleClassifier`, without scikit-learn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.data.discretize import MAX_CATEGORIES, MIN_FREQUENCY, BinarizerSettings, make_settings
from gnri.search.limits import make_limits

if TYPE_CHECKING:
    from gnri.estimator.learners import ModelLearner
    from gnri.model.load import Model


@dataclass(frozen=True, slots=True)
class FitSettings:
    """What `RuleClassifier` is told about model, search and atoms; checked when it is used."""

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

    def binarizer(self, columns: int) -> BinarizerSettings:
        """Return how finely a table of so many columns is turned into atoms."""
        return make_settings(
            self.strategy,
            columns,
            n_bins=self.n_bins,
            max_categories=self.max_categories,
            min_frequency=self.min_frequency,
        )

    def learner(self) -> "ModelLearner":
        """Return what finds the rules; the model is loaded once."""
        # Imported here, so that a fitted classifier is unpickled and predicts without torch.
        from gnri.estimator.learners import ModelLearner
        from gnri.model.load import load_model

        limits = make_limits(self.max_clauses, self.max_literals, self.negations)
        loaded = load_model(self.model) if isinstance(self.model, str | Path) else self.model
        return ModelLearner(loaded, self.refine, limits)
