"""The whole of scikit-learn's contract, with nothing excused."""

from collections.abc import Callable

from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer


@parametrize_with_checks([Binarizer(), Binarizer("median"), RuleClassifier()])
def test_scikit_learn_contract(
    estimator: BaseEstimator, check: Callable[[BaseEstimator], None]
) -> None:
    check(estimator)
