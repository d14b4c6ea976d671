"""Python that makes a classifier and its report again."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from gnri.errors import CheckpointError
from gnri.messages import counted

if TYPE_CHECKING:
    from gnri.classifier import RuleClassifier


def recipe(learnt: "RuleClassifier", rows: int, *, test: bool, folds: int) -> str:
    """Lines that run where `X` and `y` are the training table, and give the page that was asked
    for: with rows kept out, `X_test` and `y_test`, or without; with so many folds.
    """
    made, columns = _call(learnt), len(learnt.binarizer_.columns_)
    names = [name for name in ("Binarizer", "RuleClassifier", "load_model") if f"{name}(" in made]
    kept_out = ", test=(X_test, y_test)" if test else ""
    return "\n".join(
        [
            f"from gnri import {', '.join(names)}",
            "",
            f"classifier = {made}",
            f"classifier.fit(X, y)  # {counted(rows, 'row')}, {counted(columns, 'column')}",
            "print(classifier.to_text())",
            f'classifier.report("report.html"{kept_out}, folds={folds})',
        ]
    )


def _call(made: BaseEstimator) -> str:
    """The call that makes an estimator. Its own `repr` is cut where it is long."""
    defaults = type(made)().get_params(deep=False)
    changed = (
        f"{name}={_argument(value)}"
        for name, value in made.get_params(deep=False).items()
        if type(value) is not type(defaults[name]) or value != defaults[name]
    )
    return f"{type(made).__name__}({', '.join(changed)})"


def _argument(value: Any) -> str:
    if isinstance(value, BaseEstimator):
        return _call(value)
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, Mapping):
        cuts = (f"{key!r}: {np.asarray(own).tolist()!r}" for key, own in value.items())
        return f"{{{', '.join(cuts)}}}"
    if hasattr(value, "sha256"):
        return _model(value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def _model(model: Any) -> str:
    """A bundled model by its name. A checkpoint of one's own has the name of its kind alone, so
    that it is called `model`, as the table is called `X`.
    """
    from gnri.model.load import load_model

    try:
        bundled = load_model(model.name).sha256 == model.sha256
    except CheckpointError:  # not all that can be trained are bundled
        bundled = False
    return f"load_model({model.name!r})" if bundled else "model"
