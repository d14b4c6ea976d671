"""Learners by name, ours and others', and the score of one fit."""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.multiclass import OneVsRestClassifier
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from gnri.classifier import RuleClassifier
from gnri.data.schema import Schema
from gnri.errors import GnriError
from gnri.estimator import baselines
from gnri.estimator.baselines import RuleOf
from gnri.estimator.cross_validation import Codes, Values
from gnri.estimator.point_tables import FORMS
from gnri.induction import induce, quick_rules
from gnri.model.load import load_model
from gnri.search.limits import uniform_prices
from gnri.search.refine import refine
from studies.benchmarks.ablation import VARIANTS, rule_of
from studies.benchmarks.budgets import PEERS, bounded, read_budget
from studies.benchmarks.fitted import (
    Fitted,
    FoldLearner,
    by_form,
    by_rules,
    majority,
    measure_list,
    spread_shares,
)
from studies.benchmarks.one_against_rest import one_against_rest
from studies.benchmarks.posterior import posterior
from studies.benchmarks.rule_learners import fit_ripper
from studies.results import Row
from studies.training.streams import stable_seed

LEAST_CHANCE = 1e-4  # a probability below it counts as much in the log loss


def by_scikit_learn(make: Callable[[], Any]) -> FoldLearner:
    """Return a scikit-learn classifier as a learner; it reads 0 and 1, and 1/2 if missing."""

    def fit(values: Values, codes: Codes) -> Fitted:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # logistic regression warns when it stops early
            model = make().fit((values + 1.0) / 2, codes)
        leaves = float(model.get_n_leaves()) if hasattr(model, "get_n_leaves") else None
        return Fitted(
            lambda rows: model.predict((rows + 1.0) / 2),
            clauses=leaves,
            predict_proba=spread_shares(
                lambda rows: model.predict_proba((rows + 1.0) / 2), model.classes_
            ),
        )

    return fit


def _ripper(values: Values, codes: Codes) -> Fitted:
    """Fit RIPPER for each class against the rest; its literals are not compared on the rows."""
    learner = one_against_rest(lambda one: fit_ripper(one.values, one.labels == 1))
    found = learner(values, codes)
    return replace(found, rules=(), distinct=found.literals)


OTHERS: dict[str, FoldLearner] = {
    "majority": majority,
    "logistic": by_scikit_learn(baselines.logistic),
    "cart": by_scikit_learn(baselines.tree),
    "cart-16": by_scikit_learn(lambda: baselines.tree(16)),
    "forest": by_scikit_learn(lambda: RandomForestClassifier(300, random_state=0)),
    # To stop early it would set rows aside by class, which a class of one row does not allow.
    "boosted": by_scikit_learn(
        lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=0)
    ),
    "ripper": _ripper,
}


def learner_named(name: str, schema: Schema | None = None) -> FoldLearner:
    """Return a learner by its short name; of rows of one class it always answers that class.

    `auto`, `dnf` and `scorecard` are the forms of `RuleClassifier`, which knows by the schema which
    atoms are of one column; `scorecard:5` has at most five lines, for each class, `scorecard:5c`
    five conditions. So have the `PEERS` of budgets, such as `cart:5`.
    `flat:2` is the search alone at a price of 2 errors for each literal; `gnri` is a model's one
    pass and `gnri+refine` the search from it, for any model that `induce` knows by name or folder.
    """
    if name in OTHERS or name.partition(":")[0] in FORMS:
        other = OTHERS[name] if name in OTHERS else by_form(*read_budget(name), schema)
        return lambda values, codes: (other if np.ptp(codes) else majority)(values, codes)
    if name == "posterior":
        return posterior
    if ":" in name and name.partition(":")[0] in PEERS:
        return bounded(name, schema)
    if name.startswith("flat:"):
        return by_rules(_flat(name))
    if name in VARIANTS:
        return by_rules(partial(rule_of, name), partial(quick_rules, model="guided"))
    model = name.removesuffix("+refine")
    return by_rules(
        lambda episode: induce(episode, model=model, refine=model != name).rule,
        partial(quick_rules, model=model),
    )


def learner_of_seed(name: str, seed: str | int) -> FoldLearner:
    """Return a learner by name that, given a seed, sees rows and atoms in an order of that seed.

    Logistic regression is one against the rest, as the paper has it for more than two classes.
    """
    if name == "logistic":
        return by_scikit_learn(lambda: OneVsRestClassifier(baselines.logistic()))
    learner = learner_named(name)

    def fit(values: Values, codes: Codes) -> Fitted:
        rng = np.random.default_rng(stable_seed("order", int(seed)))
        rows, atoms = rng.permutation(len(values)), rng.permutation(values.shape[1])
        fitted = learner(values[rows][:, atoms], codes[rows])
        return Fitted(lambda hidden: fitted.predict(hidden[:, atoms]), clauses=fitted.clauses)

    return learner if seed == "" else fit


def weights_of(name: str) -> str:
    """Return the start of the SHA-256 of the weights that a learner reads, if it has any."""
    if name.partition(":")[0] in {*OTHERS, *PEERS, "posterior", "flat"}:
        return ""
    ours = name in VARIANTS or name.partition(":")[0] in FORMS
    model = "guided" if ours else name.removesuffix("+refine")
    return str(getattr(load_model(model), "sha256", ""))[:12]


def _flat(name: str) -> RuleOf:
    try:
        errors = float(name.removeprefix("flat:"))
    except ValueError:
        raise GnriError(f"a flat price is a number of errors, as in flat:1, got {name!r}") from None
    return lambda episode: refine(episode, uniform_prices(episode.atoms, errors)).rule


def by_classifier(name: str, **settings: Any) -> FoldLearner:
    """Return `RuleClassifier` with rules of a form and, as in `scorecard:5`, within a budget.

    It reads raw columns, and moves the thresholds of clauses, as users have it.
    """
    form, lines, conditions = read_budget(name)

    def fit(table: Any, codes: Codes) -> Fitted:
        model = RuleClassifier(form=form, max_lines=lines, max_conditions=conditions, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # names the columns that are left out
            model.fit(table, codes)
        fitted = measure_list(model.predict, model.rule_list_)
        return replace(fitted, predict_proba=spread_shares(model.predict_proba, model.classes_))

    return fit


def fit_and_score(learner: FoldLearner, shown: tuple[Any, Codes], hidden: tuple[Any, Codes]) -> Row:
    """Return accuracy on the hidden rows, size of the rules, and seconds of one thread."""
    with one_thread():
        start = process_time()
        fitted = learner(*shown)
        seconds = process_time() - start
        accuracy = accuracy_of(fitted, hidden)
        ranking = score_probabilities(fitted, hidden)
    return {"accuracy": accuracy, **ranking, **fitted.sizes(), "seconds": round(seconds, 4)}


def score_probabilities(fitted: Fitted, hidden: tuple[Any, Codes]) -> Row:
    """Return the log loss and, of two classes, the area under the ROC curve; nothing without."""
    if fitted.predict_proba is None:
        return {"auc": "", "log_loss": ""}
    shares, codes = fitted.predict_proba(hidden[0]), hidden[1]
    padded = np.pad(shares, ((0, 0), (0, max(0, int(codes.max()) + 1 - shares.shape[1]))))
    own = padded[np.arange(len(codes)), codes]  # a class without a row to learn from has no chance
    loss = -np.log(np.clip(own, LEAST_CHANCE, 1)).mean()
    two = shares.shape[1] == 2 and set(codes.tolist()) == {0, 1}
    area = round(float(roc_auc_score(codes, shares[:, 1])), 6) if two else ""
    return {"auc": area, "log_loss": round(float(loss), 6)}


def accuracy_of(fitted: Fitted, hidden: tuple[Any, Codes]) -> float:
    """Return the share of the hidden rows that are answered right."""
    return round(float(np.mean(fitted.predict(hidden[0]) == hidden[1])), 6)


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread for linear algebra, trees and networks, so that seconds can be compared."""
    torch: Any = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else 1
    with threadpool_limits(1):
        if torch:
            torch.set_num_threads(1)
        yield
    if torch:
        torch.set_num_threads(threads)
