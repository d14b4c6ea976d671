"""What a learner has learnt, with the sizes of its rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnri.counts.counter import Counter
from gnri.data.schema import IsTrue, Schema
from gnri.episode import Episode
from gnri.estimator.baselines import RuleOf
from gnri.estimator.cross_validation import Codes, Values, mean_size
from gnri.estimator.leaf_counts import class_probabilities, count_leaves
from gnri.estimator.multiclass import Tasks, fit_rule_list
from gnri.estimator.point_tables import calibrate
from gnri.estimator.settings import FitSettings
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, classes_to_learn
from gnri.rules.scorecard import AnyRule
from studies.results import Row

Shares = Callable[[Values], NDArray[np.float64]]
"""Return the probability of each class, (rows, classes)."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted model of atoms, its rules, and their mean sizes; None where there is none to count.

    `clauses` may count the leaves of a tree; `distinct` counts literals that are true on the same
    training rows once. `predict_proba`, if there is one, returns the probability of each of the
    classes 0, 1, ...
    """

    predict: Callable[[Values], Codes]
    rules: tuple[AnyRule | None, ...] = ()
    clauses: float | None = None
    predict_proba: Shares | None = None
    literals: float | None = None
    distinct: float | None = None
    columns: int | None = None

    def sizes(self) -> Row:
        """Return the sizes as cells, nothing where none are counted."""
        sizes = {"clauses": self.clauses, "literals": self.literals}
        sizes |= {"distinct_literals": self.distinct, "columns": self.columns}
        return {name: "" if size is None else round(size, 3) for name, size in sizes.items()}


FoldLearner = Callable[[Values, Codes], Fitted]
"""Fit a model to atoms and classes; the classes are 0, 1, ..., and each has a row."""

QuickRules = Callable[[Sequence[Episode]], list[SignedDNF | None]]


def majority(_: Values, codes: Codes) -> Fitted:
    """Answer the most frequent class always; the first of equally frequent ones."""
    most = np.bincount(codes).argmax()
    return Fitted(lambda rows: np.full(len(rows), most))


@dataclass(frozen=True, eq=False, slots=True)
class EpisodeLearner:
    """Any function of an episode as a learner; `quick`, or else `rule`, finds the quick rules."""

    rule: RuleOf
    quick: QuickRules | None = None

    def rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the rule of each task."""
        return [self.rule(episode) for episode in tasks.episodes()]

    def quick_rules(self, tasks: Tasks) -> list[SignedDNF | None]:
        """Return the quick rule of each task."""
        return self.rules(tasks) if self.quick is None else self.quick(tasks.episodes())


def by_rules(rule_of: RuleOf, quick: QuickRules | None = None) -> FoldLearner:
    """Return a learner of rules as `RuleClassifier` has them.

    Of two classes there is one rule, about the second; of more, one for each class or None.
    `quick` finds the rules by which several classes are put in order, `rule_of` if it is None.
    """
    learner = EpisodeLearner(rule_of, quick)

    def fit(values: Values, codes: Codes) -> Fitted:
        if not np.ptp(codes):
            return replace(majority(values, codes), rules=(None,))
        classes, counter = _count(values, codes)
        found, _ = fit_rule_list(_plain_schema(values), classes, counter, learner)
        dnfs = dict(zip(found.rule_of, found.dnfs, strict=True))
        rules = [dnfs.get(kind) for kind in classes_to_learn(classes)]
        return measured(lambda rows: classes[found.choose(rows)], rules, values)

    return fit


def by_form(
    form: str, max_lines: int | None, max_conditions: int | None, schema: Schema | None
) -> FoldLearner:
    """Return the learner of `fit`, for rules of a form over the atoms of a schema."""
    settings = FitSettings(form=form, max_lines=max_lines, max_conditions=max_conditions)
    learner = settings.learner()

    def fit(values: Values, codes: Codes) -> Fitted:
        if not np.ptp(codes):
            return majority(values, codes)
        classes, counter = _count(values, codes)
        learnt = settings.learn_rules(schema or _plain_schema(values), classes, counter, learner)
        found = calibrate(learnt.rules, counter, settings)
        leaves = count_leaves(counter, found)
        fitted = measure_list(lambda rows: classes[found.choose(rows)], found)
        shares = spread_shares(lambda rows: class_probabilities(found, leaves, rows), classes)
        return replace(fitted, predict_proba=shares)

    return fit


def _count(values: Values, codes: Codes) -> tuple[Codes, Counter]:
    """Return the classes that have a row, and counts by their places."""
    classes, places = np.unique(codes, return_inverse=True)
    return classes, Counter.from_values(values, places, len(classes))


def _plain_schema(values: Values) -> Schema:
    return Schema(tuple(IsTrue(f"x{atom}") for atom in range(values.shape[1])))


def spread_shares(known: Shares, classes: Codes) -> Shares:
    """Return what gives probabilities of all classes up to the last, 0 for those not known."""

    def predict_proba(rows: Values) -> NDArray[np.float64]:
        found = known(rows)
        shares = np.zeros((len(found), int(classes[-1]) + 1))
        shares[:, classes] = found
        return shares

    return predict_proba


def measure_list(predict: Callable[[Values], Codes], found: RuleList) -> Fitted:
    """Return what was fitted, with the sizes of its rules of any form."""
    return Fitted(
        predict,
        found.rules,
        clauses=mean_size([count_lines(rule, found.schema) for rule in found.rules]),
        literals=mean_size([rule.size for rule in found.rules]),
        columns=len(found.columns),
    )


def count_lines(rule: AnyRule, schema: Schema) -> int:
    """Return the clauses of a rule; all points of one column of a scorecard are one line."""
    if isinstance(rule, SignedDNF):
        return len(rule.clauses)
    single = [next(iter(line)) for line, _ in rule.points if len(line) == 1]
    columns = {schema.atoms[literal.atom].column for literal in single}
    return len(rule.points) - len(single) + len(columns)


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
