"""Trained models by name or by folder."""

from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from numpy.typing import DTypeLike

from gnri.errors import CheckpointError, shorten
from gnri.model import checkpoint
from gnri.model.guided.architecture import GuidedConfig, GuidedNetwork
from gnri.model.guided.candidates import Guided

if TYPE_CHECKING:
    from gnri.model.nri.config import ModelConfig
    from gnri.model.nri.nri import NRI

GUIDED = "guided"
BUNDLED = ("gnri", "gnri-wide", GUIDED)
BASELINES = {"nri": "nri", "eqarch": "eqarch", "+tta": "eqarch", "+export": "eqarch"}
"""The paper's other conditions, and whose weights each uses; their networks are in `studies`."""

LAYERS_LIMIT, SIZE_LIMIT = 64, 1 << 16
"""Largest sizes that a checkpoint may ask for."""

Model: TypeAlias = Union["NRI", Guided]


def load_model(name_or_path: str | Path, *, dtype: DTypeLike = np.float32) -> Model:
    """Return a model: a bundled one by its name, or the one in the folder of a checkpoint.

    `dtype` is that of the paper's network (`gnri`, `gnri-wide`); `guided` computes in float64.
    """
    name, kind = str(name_or_path), np.dtype(dtype)
    if name in BUNDLED:
        return _bundled(name, kind)
    if name in BASELINES:
        raise CheckpointError(_where_is(name))
    if not Path(name_or_path).is_dir():
        raise CheckpointError(
            f"a model is the name of a bundled one ({', '.join(BUNDLED)}) or the folder of a "
            f"checkpoint, got {shorten(name)}, which is neither"
        )
    return _model(Path(name_or_path), kind)


@lru_cache(maxsize=8)
def _bundled(name: str, dtype: np.dtype[Any]) -> Model:
    with as_file(files("gnri") / "weights" / name) as folder:
        return _model(folder, dtype)


def _model(folder: Path, dtype: np.dtype[Any]) -> Model:
    found = checkpoint.load(folder, expected=expected_shapes)
    config = _config(found.model_config, found.condition)
    facts = found.condition, found.sha256, found.extra.get("recipe")
    if isinstance(config, GuidedConfig):
        return Guided(GuidedNetwork(config, found.arrays(np.float64)), *facts)
    from gnri.model.nri.nri import NRI, Network

    return NRI(Network(config, found.arrays(dtype)), *facts)


def _config(model_config: dict[str, Any], condition: str) -> "ModelConfig | GuidedConfig":
    if condition == GUIDED:
        return GuidedConfig(**model_config)
    if condition in BASELINES:
        raise CheckpointError(_where_is(condition))
    if condition not in BUNDLED:
        raise CheckpointError(f"no condition is called {condition!r}; upgrade gnri to read it")
    from gnri.model.nri.config import ModelConfig

    return ModelConfig(**model_config)


def expected_shapes(model_config: dict[str, Any], condition: str) -> checkpoint.Shapes:
    """Return the name and shape of every array, without allocating any."""
    check_sizes(model_config)
    return _config(model_config, condition).shapes()


def check_sizes(model_config: dict[str, Any]) -> None:
    """Refuse sizes that would take long to build."""
    for name, value in model_config.items():
        largest = LAYERS_LIMIT if name == "layers" else SIZE_LIMIT
        if isinstance(value, int | float) and value > largest:
            raise CheckpointError(
                f"the model settings describe no network of ours: {name!r} must be at most "
                f"{largest}, got {str(value)[:20]}"
            )


def _where_is(condition: str) -> str:
    weights = BASELINES[condition]
    return (
        f"{condition!r} is a baseline of the paper, which the package does not include: in a "
        f"checkout of gnri train it with `python -m studies train recipes/{weights}.toml --out "
        f"runs/{weights}` and read it with studies.paper.baseline_networks.load_condition"
    )
