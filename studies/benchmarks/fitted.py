"""What a learner has learnt, with the sizes of its rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gnri.episode import Episode
from gnri.estimator.cross_validation import (
    Codes,
    FoldLearner,
    FoldModel,
    Values,
    mean_size,
    rule_learner,
)
from gnri.estimator.learners import EpisodeLearner
from gnri.rules.dnf import SignedDNF


@dataclass(frozen=True, slots=True)
class Fitted(FoldModel):
    """How it predicts, its rules, and their mean size; None where there is none to count.

    `distinct` counts literals that are true on the same training rows once.
    """

    literals: float | None = None
    distinct: float | None = None


Learner = Callable[[Values, Codes], Fitted]
RuleOf = Callable[[Episode], SignedDNF | None]
QuickRules = Callable[[Sequence[Episode]], list[SignedDNF | None]]


def majority(_: Values, codes: Codes) -> Fitted:
    """Answer the most frequent class always; the first of equally frequent ones."""
    most = np.bincount(codes).argmax()
    return Fitted(lambda rows: np.full(len(rows), most))


def by_folds(learn: FoldLearner) -> Learner:
    """Return a learner of cross-validation, which has no sizes but its clauses."""

    def fit(values: Values, codes: Codes) -> Fitted:
        found = learn(values, codes)
        return Fitted(found.predict, found.rules, found.clauses)

    return fit


def by_rules(rule_of: RuleOf, quick: QuickRules | None = None) -> Learner:
    """Return a learner of rules as `RuleClassifier` has them.

    `quick` finds the rules by which several classes are put in order, `rule_of` if it is None.
    """
    learn = rule_learner(EpisodeLearner(rule_of, quick))

    def fit(values: Values, codes: Codes) -> Fitted:
        classes, places = np.unique(codes, return_inverse=True)
        if len(classes) == 1:
            return Fitted(majority(values, codes).predict, rules=(None,))
        found = learn(values, places)
        return measured(lambda rows: classes[found.predict(rows)], found.rules, values)

    return fit


def measured(
    predict: Callable[[Values], Codes], rules: Sequence[SignedDNF | None], values: Values
) -> Fitted:
    """Return what was fitted to these rows, with the sizes of its rules."""
    found = [rule for rule in rules if rule is not None]
    return Fitted(
        predict,
        tuple(rules),
        clauses=mean_size([len(rule.clauses) for rule in found]),
        literals=mean_size([rule.size for rule in found]),
        distinct=mean_size([distinct_literals(rule, values) for rule in found]),
    )


def distinct_literals(rule: SignedDNF, values: Values) -> int:
    """Return how many literals a rule has, those of one clause true on the same rows counted once.

    >>> twice = np.array([[1, 1], [-1, -1]], np.int8)
    >>> distinct_literals(SignedDNF([[(0, True), (1, True)]]), twice)
    1
    """
    return sum(
        len({(values[:, atom] == (1 if sign else -1)).tobytes() for atom, sign in clause})
        for clause in rule.clauses
    )
