"""Trained models by name or by folder."""

from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import torch
from torch import nn

from gnri.errors import CheckpointError
from gnri.messages import shorten
from gnri.model import checkpoint
from gnri.model.guided.architecture import GuidedConfig, GuidedNetwork
from gnri.model.guided.guided import Guided

if TYPE_CHECKING:
    from gnri.model.nri.nri import Inducer, Network

GUIDED = "guided"
WEIGHTS_OF = {
    "nri": "nri",
    "eqarch": "eqarch",
    "+tta": "eqarch",
    "+export": "eqarch",
    "gnri": "gnri",
    GUIDED: GUIDED,
}
"""Whose weights each model reads: those of the paper's conditions, and ours."""

LAYERS_LIMIT, SIZE_LIMIT = 64, 1 << 16
"""What a checkpoint may ask for: each layer is an object, also where no memory is taken for it."""

Model: TypeAlias = Union["Inducer", Guided]


def load_model(name_or_path: str | Path, *, dtype: torch.dtype = torch.float32) -> Model:
    """A model: the name of a bundled one, or the folder of a checkpoint.

    `dtype` is that of the paper's family; `guided` always computes in float64.
    """
    if str(name_or_path) in WEIGHTS_OF:
        return _bundled(str(name_or_path), dtype)
    if not Path(name_or_path).is_dir():
        raise CheckpointError(
            f"a model is the name of a bundled one ({', '.join(_shipped())}) or the folder of a "
            f"checkpoint, got {shorten(str(name_or_path))}, which is neither"
        )
    return _model(Path(name_or_path), dtype)


def _shipped() -> list[str]:
    """The models whose weights come with the package."""
    folder = files("gnri") / "weights"
    return [name for name, weights in WEIGHTS_OF.items() if (folder / weights).is_dir()]


@lru_cache(maxsize=8)
def _bundled(name: str, dtype: torch.dtype) -> Model:
    with as_file(files("gnri") / "weights" / WEIGHTS_OF[name]) as folder:
        if not folder.is_dir():
            raise CheckpointError(_untrained(name))
        return _model(folder, dtype, name)


def _model(folder: Path, dtype: torch.dtype, name: str | None = None) -> Model:
    found = checkpoint.load(folder, expected=expected_shapes, dtype=dtype)
    network = _filled(found, folder, dtype, name or found.condition)
    facts = name or found.condition, found.sha256, found.extra.get("recipe")
    if isinstance(network, GuidedNetwork):
        return Guided(network, *facts)
    from gnri.model.nri.nri import Inducer

    return Inducer(network, *facts)


def load_network(
    folder: Path, *, dtype: torch.dtype = torch.float32, condition: str | None = None
) -> "tuple[Network, checkpoint.Checkpoint]":
    """The network of a checkpoint of the paper's family, and what else the checkpoint says."""
    found = checkpoint.load(folder, expected=expected_shapes, dtype=dtype)
    network = _filled(found, folder, dtype, condition or found.condition)
    if isinstance(network, GuidedNetwork):
        raise CheckpointError(f"{folder} holds weights of guided, none of the paper's conditions")
    return network, found


def _filled(
    found: checkpoint.Checkpoint, folder: Path, dtype: torch.dtype, condition: str
) -> "Network | GuidedNetwork":
    """The network that a checkpoint describes, with its weights, read under a condition."""
    if WEIGHTS_OF.get(condition) != WEIGHTS_OF[found.condition]:
        raise CheckpointError(
            f"{folder} holds weights of {found.condition}, which {condition} does not use"
        )
    network = _network(found.model_config, condition).to(dtype)
    network.load_state_dict(found.tensors)
    return network


def expected_shapes(model_config: dict[str, Any], condition: str) -> dict[str, tuple[int, ...]]:
    """The name and shape of every tensor, without allocating any."""
    if condition not in WEIGHTS_OF:
        raise CheckpointError(f"no condition is called {condition!r}; upgrade gnri to read it")
    _check_sizes(model_config)
    try:
        with torch.device("meta"):
            network: nn.Module = _network(model_config, condition)
    except (TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"the model settings describe no network: {error}") from None
    return {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}


def _check_sizes(model_config: dict[str, Any]) -> None:
    """Raise for sizes that no weights of ours could have, before a network is built of them."""
    for name, value in model_config.items():
        largest = LAYERS_LIMIT if name == "layers" else SIZE_LIMIT
        least = 1 if name in ("width", "heads") else 0
        if isinstance(value, int | float) and not least <= value <= largest:
            said = f"{name!r} must be {least} to {largest}, got {str(value)[:20]}"
            raise CheckpointError(f"the model settings describe no network of ours: {said}")


def _network(config: dict[str, Any], condition: str) -> "Network | GuidedNetwork":
    if condition == GUIDED:
        return GuidedNetwork(GuidedConfig(**config))
    from gnri.model.nri.config import CONDITIONS, ModelConfig
    from gnri.model.nri.nri import Network

    return Network(ModelConfig(**config), CONDITIONS[condition])


def _untrained(name: str) -> str:
    recipe = f"recipes/{WEIGHTS_OF[name]}.toml"
    return (
        f"the weights of {name!r} do not come with the package; train them with "
        f"`python -m studies train {recipe} --out runs/{WEIGHTS_OF[name]}` and pass that folder's "
        "checkpoint"
    )
