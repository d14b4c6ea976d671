"""Learners by name, ours and others', and the score of one fit."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.estimator import baselines
from gnri.estimator.cross_validation import Codes, Values, mean_size
from gnri.estimator.multiclass import one_vs_rest_episodes
from studies.benchmarks.ablation import VARIANTS, rule_of
from studies.benchmarks.fitted import Fitted, Learner, RuleOf, by_folds, by_rules, majority
from studies.benchmarks.posterior import posterior
from studies.benchmarks.rule_learners import RipperRule, fit_ripper
from studies.results import Row


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(300, random_state=0)


def _boosted() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # To stop early it would set rows aside by class, which a class of one row does not allow.
    return HistGradientBoostingClassifier(early_stopping=False, random_state=0)


def _ripper(values: Values, codes: Codes) -> Fitted:
    """Fit RIPPER for each class against the rest; the class likeliest by its rule is answered."""
    classes, places = np.unique(codes, return_inverse=True)
    members = [one.labels == 1 for one in one_vs_rest_episodes(values, places, len(classes))]
    rules = [fit_ripper(values, member) for member in members]
    said = [(rule.holds(values), member) for rule, member in zip(rules, members, strict=True)]
    likely = [(_share(member[holds]), _share(member[~holds])) for holds, member in said]
    # Of equally likely classes the larger one wins, and of equally large ones the earlier.
    order = sorted(range(len(rules)), key=lambda k: -int(members[k].sum()))
    literals = mean_size([sum(map(len, rule.clauses)) for rule in rules])
    return Fitted(
        lambda rows: classes[_places(rules, likely, order, rows)],
        clauses=mean_size([len(rule.clauses) for rule in rules]),
        literals=literals,
        distinct=literals,
    )


def _share(member: NDArray[np.bool_]) -> float:
    return (int(member.sum()) + 1) / (len(member) + 2)


def _places(
    rules: list[RipperRule], likely: list[tuple[float, float]], order: list[int], rows: Values
) -> Codes:
    if len(rules) == 1:  # of two classes
        return rules[0].holds(rows).astype(np.intp)
    said = [np.where(rules[k].holds(rows), *likely[k]) for k in order]
    return np.array(order)[np.argmax(said, axis=0)]


OTHERS: dict[str, Learner] = {
    "majority": majority,
    "logistic": by_folds(baselines.by_scikit_learn(baselines.logistic)),
    "cart": by_folds(baselines.by_scikit_learn(baselines.tree)),
    "cart-16": by_folds(baselines.by_scikit_learn(lambda: baselines.tree(16))),
    "forest": by_folds(baselines.by_scikit_learn(_forest)),
    "boosted": by_folds(baselines.by_scikit_learn(_boosted)),
    "ripper": _ripper,
}


def learner_named(name: str) -> Learner:
    """Return a learner by its short name.

    `flat:2` is the search alone at a price of 2 errors for each literal; `gnri` is a model's one
    pass and `gnri+refine` the search from it, for any model that `induce` knows by name or folder.
    The names in `VARIANTS` are guided + refine with a part taken away, and `posterior` knows the
    prior of random tasks.
    Where all rows are of one class there is nothing to learn, and each of them answers that class.
    """
    if name in OTHERS:
        other = OTHERS[name]
        return lambda values, codes: (other if np.ptp(codes) else majority)(values, codes)
    if name == "posterior":
        return posterior
    if name.startswith("flat:"):
        return by_rules(_flat(name))
    from gnri.induction import glances, induce

    if name in VARIANTS:
        return by_rules(partial(rule_of, name), partial(glances, model="guided"))
    model = name.removesuffix("+refine")
    return by_rules(
        lambda episode: induce(episode, model=model, refine=model != name).rule,
        partial(glances, model=model),
    )


def weights_of(name: str) -> str:
    """Return the start of the SHA-256 of the weights that a learner reads, if it has any."""
    if name in OTHERS or name == "posterior" or name.startswith("flat:"):
        return ""
    from gnri.model.load import load_model

    model = "guided" if name in VARIANTS else name.removesuffix("+refine")
    return str(getattr(load_model(model), "sha256", ""))[:12]


def _flat(name: str) -> RuleOf:
    from gnri.search.limits import flat
    from gnri.search.refine import refine

    try:
        errors = float(name.removeprefix("flat:"))
    except ValueError:
        raise GnriError(f"a flat price is a number of errors, as in flat:1, got {name!r}") from None
    return lambda episode: refine(episode, flat(episode.atoms, errors)).rule


def fit_and_score(name: str, shown: tuple[Values, Codes], hidden: tuple[Values, Codes]) -> Row:
    """Return accuracy on the hidden rows, size of the rules, and seconds of one thread."""
    with one_thread():
        start = process_time()
        fitted = learner_named(name)(*shown)
        seconds = process_time() - start
        accuracy = accuracy_of(fitted, hidden)
    return {"accuracy": accuracy, **sizes(fitted), "seconds": round(seconds, 4)}


def accuracy_of(fitted: Fitted, hidden: tuple[Values, Codes]) -> float:
    """Return the share of the hidden rows that are answered right."""
    return round(float(np.mean(fitted.predict(hidden[0]) == hidden[1])), 6)


def sizes(fitted: Fitted) -> Row:
    """Return clauses and literals of a rule on average; nothing where none are counted."""
    counted = (fitted.clauses, fitted.literals, fitted.distinct)
    cells = ("" if size is None else round(size, 3) for size in counted)
    return dict(zip(("clauses", "literals", "distinct_literals"), cells, strict=True))


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread for linear algebra, trees and networks, so that seconds can be compared."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    from gnri.model import threads

    with threads.one_thread(), threadpool_limits(1):
        yield
