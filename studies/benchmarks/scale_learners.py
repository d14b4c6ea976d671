"""The learners whose time is measured, each as a user would call it on a table of Booleans."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from studies.benchmarks.ripper import fit_ripper

Coins = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Timed:
    """How a fitted learner predicts, and how large its rule is, if it has one."""

    predict: Callable[[Coins], Coins]
    clauses: int | None = None
    literals: int | None = None


Fit = Callable[[Coins, Coins], Timed]


def fit_named(name: str) -> Fit:
    """A learner by its name; `guided+refine` is `RuleClassifier()`."""
    model = name.removesuffix("+refine")
    if model in ("guided", "gnri"):
        return lambda X, y: _rules(X, y, model, refine=model != name)
    if name not in _OTHERS:
        raise GnriError(f"{name!r} is not timed here; these are: guided, gnri, {list(_OTHERS)}")
    return _OTHERS[name]


def _rules(X: Coins, y: Coins, model: str, *, refine: bool) -> Timed:
    from gnri.classifier import RuleClassifier

    fitted = RuleClassifier(model, refine=refine).fit(X, y)
    (rule,) = fitted.ruleset_.rules
    if rule is None:
        return Timed(fitted.predict, 0, 0)
    return Timed(fitted.predict, len(rule.clauses), rule.size)


def _cart(X: Coins, y: Coins) -> Timed:
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    return Timed(fitted.predict, int(fitted.get_n_leaves()))


def _ripper(X: Coins, y: Coins) -> Timed:
    rule = fit_ripper(np.where(X, 1, -1).astype(np.int8), y)
    literals = sum(map(len, rule.clauses))
    return Timed(lambda rows: rule.holds(np.where(rows, 1, -1)), len(rule.clauses), literals)


def _figs(X: Coins, y: Coins) -> Timed:
    fitted = _imported("imodels").FIGSClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its use of scikit-learn
        fitted.fit(X.astype(float), y.astype(int))
    return Timed(lambda rows: fitted.predict(rows.astype(float)) > 0, int(fitted.complexity_))


def _ebm(X: Coins, y: Coins) -> Timed:
    boosted = _imported("interpret.glassbox").ExplainableBoostingClassifier
    fitted = boosted(n_jobs=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns with two values
        fitted.fit(X.astype(float), y)
    return Timed(lambda rows: fitted.predict(rows.astype(float)))


def _imported(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        package = {"imodels": "imodels", "interpret.glassbox": "interpret-core"}[name]
        raise GnriError(f"this takes {package}; install it with pip install {package}") from None


_OTHERS: dict[str, Fit] = {"cart": _cart, "ripper": _ripper, "figs": _figs, "ebm": _ebm}
