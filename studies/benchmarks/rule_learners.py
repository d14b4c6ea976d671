"""RIPPER, rule lists, FIGS and EBM as their packages have them, on a table of atoms."""

import re
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import GnriError
from gnri.estimator.baselines import find_ripper_clauses, tree
from gnri.estimator.cross_validation import Codes, Values
from studies.benchmarks.fitted import Fitted


@dataclass(frozen=True, slots=True)
class RipperRule:
    """Clauses of (atom, cell); the cell may be 0, missing, which no literal of ours asks for."""

    clauses: tuple[tuple[tuple[int, int], ...], ...]

    def evaluate(self, values: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return +1 on rows where some clause is met, -1 elsewhere."""
        found = np.zeros(len(values), bool)
        for clause in self.clauses:
            met = [values[:, atom] == cell for atom, cell in clause]
            found |= np.logical_and.reduce([np.ones(len(values), bool), *met])
        return np.where(found, 1, -1).astype(np.int8)

    @property
    def size(self) -> int:
        """Return the number of literals."""
        return sum(map(len, self.clauses))


def fit_ripper(
    values: NDArray[np.int8], member: NDArray[np.bool_], **limits: int | None
) -> RipperRule:
    """Return the rule that RIPPER finds for the rows of `member`, with the package's settings."""
    imported("wittgenstein"), imported("pandas")
    return RipperRule(find_ripper_clauses(values, member, **limits))


RHAT = re.compile(r"Rhat for convergence: *(\S+)")


def fit_rule_list(values: Values, codes: Codes, *, seed: int) -> tuple[Fitted | None, float]:
    """Return a rule list with the package's settings, and the Gelman-Rubin figure of its chains.

    The package prints that figure, 1 where the chains agree, and keeps it nowhere. There is no
    list where it finds no condition to begin with.
    """
    model = imported("imodels").BayesianRuleListClassifier(verbose=True, random_state=seed)
    names = [f"x{atom}" for atom in range(values.shape[1])]
    printed = StringIO()
    with warnings.catch_warnings(), redirect_stdout(printed), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")  # of its use of numpy and pandas
        try:
            model.fit((values == 1).astype(int), codes, feature_names=names)
        except ValueError:
            return None, float("nan")
    found = RHAT.search(printed.getvalue())
    length = len(getattr(model, "d_star", [])) - 1  # without the default
    fitted = Fitted(lambda rows: model.predict((rows == 1).astype(int)), clauses=float(length))
    return fitted, float(found.group(1)) if found else float("nan")


Coins = NDArray[Any]  # of booleans
Fit = Callable[[Coins, Coins], Fitted]


def fit_named(name: str) -> Fit:
    """Return a learner by its name; `guided+refine` is `RuleClassifier()`."""
    model = name.removesuffix("+refine")
    if model in ("guided", "gnri"):
        return lambda X, y: _rules(X, y, model, refine=model != name)
    if name not in _OTHERS:
        raise GnriError(f"{name!r} is not timed here; these are: guided, gnri, {list(_OTHERS)}")
    return _OTHERS[name]


def _rules(X: Coins, y: Coins, model: str, *, refine: bool) -> Fitted:
    from gnri.classifier import RuleClassifier

    fitted = RuleClassifier(model, refine=refine).fit(X, y)
    rule = next(iter(fitted.rule_list_.dnfs), None)
    clauses, literals = (0, 0) if rule is None else (len(rule.clauses), rule.size)
    return Fitted(fitted.predict, clauses=clauses, literals=literals)


def _cart(X: Coins, y: Coins) -> Fitted:
    fitted = tree().fit(X, y)
    return Fitted(fitted.predict, clauses=int(fitted.get_n_leaves()))


def _time_ripper(X: Coins, y: Coins) -> Fitted:
    rule = fit_ripper(np.where(X, 1, -1).astype(np.int8), y)

    def predict(rows: Coins) -> Coins:
        return rule.evaluate(np.where(rows, 1, -1)) == 1

    return Fitted(predict, clauses=len(rule.clauses), literals=rule.size)


def _figs(X: Coins, y: Coins) -> Fitted:
    fitted = imported("imodels").FIGSClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its use of scikit-learn
        fitted.fit(X.astype(float), y.astype(int))
    size = int(fitted.complexity_)
    return Fitted(lambda rows: fitted.predict(rows.astype(float)) > 0, clauses=size)


def _ebm(X: Coins, y: Coins) -> Fitted:
    boosted = imported("interpret.glassbox").ExplainableBoostingClassifier
    fitted = boosted(n_jobs=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns with two values
        fitted.fit(X.astype(float), y)
    return Fitted(lambda rows: fitted.predict(rows.astype(float)))


def imported(name: str) -> Any:
    """Return a module; say how to install it where it is not."""
    try:
        return import_module(name)
    except ImportError:
        packages = {"imodels": "imodels six", "interpret.glassbox": "interpret-core"}
        packages["fasterrisk.fasterrisk"] = "fasterrisk"
        words = packages.get(name, "'gnri[bench]'")
        raise GnriError(f"{name} is not installed; try `pip install {words}`") from None


_OTHERS: dict[str, Fit] = {"cart": _cart, "ripper": _time_ripper, "figs": _figs, "ebm": _ebm}
