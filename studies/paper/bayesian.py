"""Bayesian rule lists, as the package imodels has them, on a table of atoms."""

import re
import warnings
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import StringIO

from gnri.errors import GnriError
from gnri.estimator.baselines import Codes, Fitted, Values

RHAT = re.compile(r"Rhat for convergence: *(\S+)")


def fit_rule_list(values: Values, codes: Codes, *, seed: int) -> tuple[Fitted | None, float]:
    """A rule list with the package's settings, and the Gelman-Rubin figure of its chains.

    An atom is asked for being true; the package has no missing cells. It prints the figure, which
    is 1 where the chains agree, and keeps it nowhere. Where it finds no condition to begin a list
    with it fails, and there is no list.
    """
    try:
        imodels = import_module("imodels")
    except ImportError:
        raise GnriError(
            "Bayesian rule lists need the packages imodels and six; install them with "
            "`pip install imodels six`"
        ) from None
    model = imodels.BayesianRuleListClassifier(verbose=True, random_state=seed)
    names = [f"x{atom}" for atom in range(values.shape[1])]
    printed = StringIO()
    with warnings.catch_warnings(), redirect_stdout(printed), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")  # of its use of numpy and pandas
        try:
            model.fit((values == 1).astype(int), codes, feature_names=names)
        except ValueError:
            return None, float("nan")
    found = RHAT.search(printed.getvalue())
    return (
        Fitted(lambda rows: model.predict((rows == 1).astype(int)), clauses=float(_length(model))),
        float(found.group(1)) if found else float("nan"),
    )


def _length(model: object) -> int:
    """How many rules the list has, without its default."""
    return len(getattr(model, "d_star", [])) - 1
