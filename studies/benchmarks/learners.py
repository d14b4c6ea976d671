"""Learners by name, ours and others', and the score of one fit."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from gnri.errors import GnriError
from gnri.estimator import baselines
from gnri.estimator.baselines import RuleOf, by_scikit_learn
from gnri.estimator.cross_validation import Codes, FoldLearner, FoldModel, Values
from studies.benchmarks.ablation import VARIANTS, rule_of
from studies.benchmarks.fitted import Fitted, by_rules, majority
from studies.benchmarks.one_against_rest import one_against_rest
from studies.benchmarks.posterior import posterior
from studies.benchmarks.rule_learners import fit_ripper
from studies.results import Row
from studies.training.streams import stable_seed


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(300, random_state=0)


def _boosted() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # To stop early it would set rows aside by class, which a class of one row does not allow.
    return HistGradientBoostingClassifier(early_stopping=False, random_state=0)


def _ripper(values: Values, codes: Codes) -> Fitted:
    """Fit RIPPER for each class against the rest; its literals are not compared on the rows."""
    learner = one_against_rest(lambda one: fit_ripper(one.values, one.labels == 1))
    found = learner(values, codes)
    sizes = {"clauses": found.clauses, "literals": found.literals, "distinct": found.literals}
    return Fitted(found.predict, (), **sizes)


OTHERS: dict[str, FoldLearner] = {
    "majority": majority,
    "logistic": by_scikit_learn(baselines.logistic),
    "cart": by_scikit_learn(baselines.tree),
    "cart-16": by_scikit_learn(lambda: baselines.tree(16)),
    "forest": by_scikit_learn(_forest),
    "boosted": by_scikit_learn(_boosted),
    "ripper": _ripper,
}


def learner_named(name: str) -> FoldLearner:
    """Return a learner by its short name; of rows of one class it always answers that class.

    `flat:2` is the search alone at a price of 2 errors for each literal; `gnri` is a model's one
    pass and `gnri+refine` the search from it, for any model that `induce` knows by name or folder.
    """
    if name in OTHERS:
        other = OTHERS[name]
        return lambda values, codes: (other if np.ptp(codes) else majority)(values, codes)
    if name == "posterior":
        return posterior
    if name.startswith("flat:"):
        return by_rules(_flat(name))
    from gnri.induction import induce, quick_rules

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
        return by_scikit_learn(_logistic)
    learner = learner_named(name)

    def fit(values: Values, codes: Codes) -> Fitted:
        rng = np.random.default_rng(stable_seed("order", int(seed)))
        rows, atoms = rng.permutation(len(values)), rng.permutation(values.shape[1])
        fitted = learner(values[rows][:, atoms], codes[rows])
        return Fitted(lambda hidden: fitted.predict(hidden[:, atoms]), clauses=fitted.clauses)

    return learner if seed == "" else fit


def _logistic() -> Any:
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(baselines.logistic())


def weights_of(name: str) -> str:
    """Return the start of the SHA-256 of the weights that a learner reads, if it has any."""
    if name in OTHERS or name == "posterior" or name.startswith("flat:"):
        return ""
    from gnri.model.load import load_model

    model = "guided" if name in VARIANTS else name.removesuffix("+refine")
    return str(getattr(load_model(model), "sha256", ""))[:12]


def _flat(name: str) -> RuleOf:
    from gnri.search.limits import uniform_prices
    from gnri.search.refine import refine

    try:
        errors = float(name.removeprefix("flat:"))
    except ValueError:
        raise GnriError(f"a flat price is a number of errors, as in flat:1, got {name!r}") from None
    return lambda episode: refine(episode, uniform_prices(episode.atoms, errors)).rule


def fit_and_score(name: str, shown: tuple[Values, Codes], hidden: tuple[Values, Codes]) -> Row:
    """Return accuracy on the hidden rows, size of the rules, and seconds of one thread."""
    with one_thread():
        start = process_time()
        fitted = learner_named(name)(*shown)
        seconds = process_time() - start
        accuracy = accuracy_of(fitted, hidden)
    return {"accuracy": accuracy, **sizes(fitted), "seconds": round(seconds, 4)}


def accuracy_of(fitted: FoldModel, hidden: tuple[Values, Codes]) -> float:
    """Return the share of the hidden rows that are answered right."""
    return round(float(np.mean(fitted.predict(hidden[0]) == hidden[1])), 6)


def sizes(fitted: FoldModel) -> Row:
    """Return clauses and literals of a rule on average; nothing where none are counted."""
    literals = (fitted.literals, fitted.distinct) if isinstance(fitted, Fitted) else (None, None)
    counted = (fitted.clauses, *literals)
    cells = ("" if size is None else round(size, 3) for size in counted)
    return dict(zip(("clauses", "literals", "distinct_literals"), cells, strict=True))


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread for linear algebra, trees and networks, so that seconds can be compared."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    torch: Any = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else 1
    with threadpool_limits(1):
        if torch:
            torch.set_num_threads(1)
        yield
    if torch:
        torch.set_num_threads(threads)
