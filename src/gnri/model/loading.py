"""Trained models by name or by folder."""

from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

import torch

from gnri.errors import CheckpointError
from gnri.model import checkpoint
from gnri.model.condition import CONDITIONS
from gnri.model.config import ModelConfig
from gnri.model.inducer import Inducer
from gnri.model.network import Network

WEIGHTS_OF = {
    "nri": "nri",
    "eqarch": "eqarch",
    "+tta": "eqarch",
    "+export": "eqarch",
    "gnri": "gnri",
}
"""Whose weights each condition reads."""


def load_model(name_or_path: str | Path, *, dtype: torch.dtype = torch.float32) -> Inducer:
    """A model of the family: the name of a bundled one, or the folder of a checkpoint."""
    if str(name_or_path) in WEIGHTS_OF:
        return _bundled(str(name_or_path), dtype)
    network, found = load_network(Path(name_or_path), dtype=dtype)
    return Inducer(network, found.condition, found.sha256, found.extra.get("recipe"))


@lru_cache(maxsize=8)
def _bundled(name: str, dtype: torch.dtype) -> Inducer:
    with as_file(files("gnri") / "weights" / WEIGHTS_OF[name]) as folder:
        if not folder.is_dir():
            raise CheckpointError(_untrained(name))
        network, found = load_network(folder, dtype=dtype, condition=name)
    return Inducer(network, name, found.sha256, found.extra.get("recipe"))


def load_network(
    folder: Path, *, dtype: torch.dtype = torch.float32, condition: str | None = None
) -> tuple[Network, checkpoint.Checkpoint]:
    """The network of a checkpoint folder, and what else the checkpoint says."""
    found = checkpoint.load(folder, expected=expected_shapes, dtype=dtype)
    condition = condition or found.condition
    if WEIGHTS_OF.get(condition) != WEIGHTS_OF[found.condition]:
        raise CheckpointError(
            f"{folder} holds weights of {found.condition}, which {condition} does not use"
        )
    network = Network(ModelConfig(**found.model_config), CONDITIONS[condition]).to(dtype)
    network.load_state_dict(found.tensors)
    return network, found


def expected_shapes(model_config: dict[str, object], condition: str) -> dict[str, tuple[int, ...]]:
    """The name and shape of every tensor, without allocating any."""
    if condition not in CONDITIONS:
        raise CheckpointError(f"no condition is called {condition!r}; upgrade gnri to read it")
    try:
        config = ModelConfig(**model_config)  # type: ignore[arg-type]
        with torch.device("meta"):
            network = Network(config, CONDITIONS[condition])
    except (TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"the model settings describe no network: {error}") from None
    return {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}


def _untrained(name: str) -> str:
    recipe = f"recipes/{WEIGHTS_OF[name]}.toml"
    return (
        f"the weights of {name!r} do not come with the package; train them with "
        f"`gnri train {recipe} --out runs/{WEIGHTS_OF[name]}` and pass that folder's checkpoint"
    )
