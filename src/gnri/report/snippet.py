"""Python that makes a classifier again."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from gnri.errors import CheckpointError
from gnri.estimator.fitting import FitSettings

BINARIZER = ("strategy", "n_bins", "max_categories", "min_frequency", "thresholds")
"""The settings that are parameters of `Binarizer`."""


def write_constructor(settings: FitSettings) -> str:
    """Return `RuleClassifier(...)` with the arguments that differ from its defaults."""
    changed = {}
    for name, default in ((one.name, one.default) for one in fields(settings)):
        value = getattr(settings, name)
        if type(value) is not type(default) or value != default:
            changed[name] = value
    atoms = {name: changed[name] for name in BINARIZER if name in changed}
    own = {name: _argument(value) for name, value in changed.items() if name not in BINARIZER}
    if list(atoms) == ["strategy"]:
        own["binarize"] = _argument(settings.strategy)
    elif atoms:
        inside = ", ".join(f"{name}={_argument(value)}" for name, value in atoms.items())
        own["binarize"] = f"Binarizer({inside})"
    order = ("model", "refine", "binarize", "max_clauses", "max_literals", "negations")
    arguments = ", ".join(f"{name}={own[name]}" for name in order if name in own)
    return f"RuleClassifier({arguments})"


def _argument(value: Any) -> str:
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, Mapping):
        cuts = (f"{key!r}: {np.asarray(own).tolist()!r}" for key, own in value.items())
        return f"{{{', '.join(cuts)}}}"
    if hasattr(value, "sha256"):
        return _model(value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def _model(model: Any) -> str:
    """Return a bundled model by its name; a checkpoint of one's own is called `model`."""
    from gnri.model.load import load_model

    try:
        bundled = load_model(model.name).sha256 == model.sha256
    except CheckpointError:  # not all that can be trained are bundled
        bundled = False
    return f"load_model({model.name!r})" if bundled else "model"
