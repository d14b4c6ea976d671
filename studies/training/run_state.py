"""Where a run stands, on disk: weights, optimiser moments and the step.

No generator state is needed: everything random in a run is a function of its seed and the step.
"""

import json
from collections import defaultdict
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from gnri.atomic_write import write_atomically
from gnri.errors import CheckpointError
from studies.training.recipe import AnyRecipe

FILE = "state.safetensors"


def save_state(
    out: Path,
    recipe: AnyRecipe,
    step: int,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
) -> None:
    """Put the state after `step` steps in place of the last one."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": value for name, value in moments.items()}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    facts = {"step": step, "recipe": _digest(recipe), "scaler": scaler.state_dict()}
    write_atomically(out / FILE, save(tensors, {"facts": json.dumps(facts)}))


def restore_state(
    out: Path,
    recipe: AnyRecipe,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
) -> int:
    """Bring everything back to where the state file left it; the number of steps done."""
    path = out / FILE
    if not path.exists():
        return 0
    try:
        with safe_open(path, "pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if facts["recipe"] != _digest(recipe):
            raise CheckpointError(
                f"{path} belongs to another recipe; give the run a folder of its own, "
                "or start it over without resuming"
            )
        network.load_state_dict(_below(tensors, "network."))
        optimizer.load_state_dict({**optimizer.state_dict(), "state": _moments(tensors)})
        scaler.load_state_dict(facts["scaler"])
    except (SafetensorError, KeyError, RuntimeError, json.JSONDecodeError) as error:
        raise CheckpointError(
            f"{path} cannot be resumed from: {error}; delete it to start the run over"
        ) from None
    return int(facts["step"])


def _moments(tensors: dict[str, Tensor]) -> dict[int, dict[str, Tensor]]:
    moments: dict[int, dict[str, Tensor]] = defaultdict(dict)
    for place, tensor in _below(tensors, "optimizer.").items():
        index, name = place.split(".")
        moments[int(index)][name] = tensor
    return dict(moments)


def _below(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    start = len(prefix)
    return {name[start:]: part for name, part in tensors.items() if name.startswith(prefix)}


def _digest(recipe: AnyRecipe) -> str:
    return sha256(json.dumps(recipe.identity(), sort_keys=True).encode()).hexdigest()
