"""A run on disk: weights, optimiser moments and the step; figures as lines of JSON."""

import json
from collections import defaultdict
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from gnri.atomic_write import write_atomically
from gnri.errors import CheckpointError
from studies.training.recipe import AnyRecipe

FILE = "state.safetensors"
METRICS = "metrics.jsonl"


def save_state(
    out: Path,
    recipe: AnyRecipe,
    step: int,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
) -> None:
    """Put the state after `step` steps in place of the last one."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for index, moments in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": value for name, value in moments.items()}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    facts = {"step": step, "recipe": _digest(recipe)}
    write_atomically(out / FILE, save(tensors, {"facts": json.dumps(facts)}))


def restore_state(
    out: Path, recipe: AnyRecipe, network: nn.Module, optimizer: torch.optim.Optimizer
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
                "or delete it to start the run over"
            )
        network.load_state_dict(_below(tensors, "network."))
        moments: dict[int, dict[str, Tensor]] = defaultdict(dict)
        for place, tensor in _below(tensors, "optimizer.").items():
            index, name = place.split(".")
            moments[int(index)][name] = tensor
        optimizer.load_state_dict({**optimizer.state_dict(), "state": dict(moments)})
    except (SafetensorError, KeyError, RuntimeError, json.JSONDecodeError) as error:
        raise CheckpointError(
            f"{path} cannot be resumed from: {error}; delete it to start the run over"
        ) from None
    return int(facts["step"])


def _below(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    start = len(prefix)
    return {name[start:]: part for name, part in tensors.items() if name.startswith(prefix)}


def _digest(recipe: AnyRecipe) -> str:
    return sha256(json.dumps(recipe.identity(), sort_keys=True).encode()).hexdigest()


def append_metrics(out: Path, row: Mapping[str, Any]) -> None:
    """Add one line to the run's metrics."""
    with (out / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(dict(row)) + "\n")


def read_metrics(out: Path) -> list[dict[str, Any]]:
    """Return the run's metrics, oldest first; a last line that was cut off does not count."""
    path = out / METRICS
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def rewind_metrics(out: Path, step: int) -> None:
    """Forget what was measured after `step`: a resumed run will measure it again."""
    kept = [json.dumps(row) + "\n" for row in read_metrics(out) if row["step"] <= step]
    write_atomically(out / METRICS, "".join(kept).encode())
