"""Python that makes a classifier and its report again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gnri.errors import CheckpointError
from gnri.messages import counted


def write_snippet(
    parameters: Mapping[str, Any], shape: tuple[int, int], *, test: bool, folds: int
) -> str:
    """Return lines that run where `X` and `y` are the training table, of this shape.

    They give the page that was asked for: with rows kept out, `X_test` and `y_test`, or without;
    with so many folds. `parameters` are those that differ from the default.
    """
    made = _call("RuleClassifier", parameters)
    names = [name for name in ("Binarizer", "RuleClassifier", "load_model") if f"{name}(" in made]
    kept_out = ", test=(X_test, y_test)" if test else ""
    return "\n".join(
        [
            f"from gnri import {', '.join(names)}",
            "",
            f"classifier = {made}",
            f"classifier.fit(X, y)  # {counted(shape[0], 'row')}, {counted(shape[1], 'column')}",
            "print(classifier.to_text())",
            f'classifier.report("report.html"{kept_out}, folds={folds})',
        ]
    )


def changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that differ from those of a new one."""
    defaults = type(estimator)().get_params(deep=False)
    return {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if type(value) is not type(defaults[name]) or value != defaults[name]
    }


def _call(name: str, parameters: Mapping[str, Any]) -> str:
    """Return the call that makes an estimator; its own `repr` is cut where it is long."""
    return f"{name}({', '.join(f'{key}={_argument(one)}' for key, one in parameters.items())})"


def _argument(value: Any) -> str:
    if hasattr(value, "get_params"):
        return _call(type(value).__name__, changed_parameters(value))
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, Mapping):
        cuts = (f"{key!r}: {np.asarray(own).tolist()!r}" for key, own in value.items())
        return f"{{{', '.join(cuts)}}}"
    if hasattr(value, "sha256"):
        return _model(value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def _model(model: Any) -> str:
    """Return a bundled model by its name.

    A checkpoint of one's own has the name of its kind alone, so that it is called `model`, as the
    table is called `X`.
    """
    from gnri.model.load import load_model

    try:
        bundled = load_model(model.name).sha256 == model.sha256
    except CheckpointError:  # not all that can be trained are bundled
        bundled = False
    return f"load_model({model.name!r})" if bundled else "model"
