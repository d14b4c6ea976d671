"""What a learner has learnt, with the sizes of its rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.episode import Episode
from gnri.estimator.baselines import RuleOf
from gnri.estimator.cross_validation import Codes, FoldLearner, FoldModel, Values, mean_size
from gnri.estimator.learners import EpisodeLearner
from gnri.estimator.multiclass import fit_rule_list
from gnri.rules.dnf import SignedDNF


@dataclass(frozen=True, slots=True)
class Fitted(FoldModel):
    """A model that counts literals too; None where there are none to count.

    `distinct` counts literals that are true on the same training rows once.
    """

    literals: float | None = None
    distinct: float | None = None


QuickRules = Callable[[Sequence[Episode]], list[SignedDNF | None]]


def majority(_: Values, codes: Codes) -> Fitted:
    """Answer the most frequent class always; the first of equally frequent ones."""
    most = np.bincount(codes).argmax()
    return Fitted(lambda rows: np.full(len(rows), most))


def by_rules(rule_of: RuleOf, quick: QuickRules | None = None) -> FoldLearner:
    """Return a learner of rules as `RuleClassifier` has them.

    Of two classes there is one rule, about the second; of more, one for each class or None.
    `quick` finds the rules by which several classes are put in order, `rule_of` if it is None.
    """
    learner = EpisodeLearner(rule_of, quick)

    def fit(values: Values, codes: Codes) -> Fitted:
        classes, places = np.unique(codes, return_inverse=True)
        if len(classes) == 1:
            return Fitted(majority(values, codes).predict, rules=(None,))
        schema = Schema(tuple(IsTrue(f"x{atom}") for atom in range(values.shape[1])))
        counter = Counter.from_values(values, places, len(classes))
        found, _ = fit_rule_list(schema, classes, counter, learner)
        asked = [1] if len(classes) == 2 else range(len(classes))
        dnfs = dict(zip(found.rule_of, found.dnfs, strict=True))
        rules = [dnfs.get(kind) for kind in asked]
        return measured(lambda rows: classes[found.choose(rows)], rules, values)

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
    """Return the literals of a rule, those of one clause true on the same rows counted once."""
    return sum(
        len({(values[:, atom] == (1 if sign else -1)).tobytes() for atom, sign in clause})
        for clause in rule.clauses
    )
