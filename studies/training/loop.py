"""A training run, whatever it trains: take steps, look and save once in a while, write weights."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.random import fork_rng

from gnri.errors import RecipeError
from studies.training import run_state
from studies.training.checkpoints import save_checkpoint
from studies.training.distributed import World, joined
from studies.training.recipe import AnyRecipe, learning_rate


class Task(Protocol):
    """What a run trains. Everything random in it is a function of the seed and the step."""

    @property
    def network(self) -> nn.Module:
        """Return the network, not wrapped."""

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the loss of a step and, detached, its terms; `network` averages its gradients."""

    def look(self) -> dict[str, float]:
        """Return figures on episodes that no step uses."""


def run(
    recipe: AnyRecipe,
    begin: Callable[[World], Task],
    out: Path,
    *,
    device: torch.device | str,
    progress: bool,
) -> Path:
    """Train what `begin` gives by `recipe`; the folder of the checkpoint, `out / "checkpoint"`."""
    config = recipe.train
    with joined(device) as world, ExitStack() as stack:
        # Dropout is seeded here without touching the caller's random numbers.
        stack.enter_context(fork_rng([world.device] if world.device.type == "cuda" else []))
        task = begin(world)
        network = task.network
        optimizer = torch.optim.AdamW(network.parameters(), weight_decay=config.weight_decay)
        out.mkdir(parents=True, exist_ok=True)
        done = run_state.restore_state(out, recipe, network, optimizer)
        if world.writes:
            run_state.rewind_metrics(out, done)
        parallel = world.wrapped(network).train()
        since = time.perf_counter()

        for step in range(done, config.steps):
            total, terms = task.loss(parallel, step)
            optimizer.param_groups[0]["lr"] = learning_rate(config, step)
            _descend(total, optimizer, config.clip)

            if world.writes and _due(step, config.evaluate_every, config.steps):
                row = _row(step, total.detach(), terms, seconds=time.perf_counter() - since)
                row |= task.look()
                run_state.append_metrics(out, row)
                if progress:
                    print(_line(recipe, row), flush=True)
            if world.writes and _due(step, config.save_every, config.steps):
                run_state.save_state(out, recipe, step + 1, network, optimizer)

        if world.writes:
            _finish(recipe, out, network, shown=progress)
    return out / "checkpoint"


def autocast(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Return the context in which the network answers; on a CPU everything stays float32."""
    if device.type != "cuda" or precision != "bf16":
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


def _descend(total: Tensor, optimizer: torch.optim.Optimizer, clip: float) -> None:
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(total)
    nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], clip)
    optimizer.step()


def _due(step: int, every: int, steps: int) -> bool:
    return (step + 1) % every == 0 or step + 1 == steps


def _row(step: int, total: Tensor, terms: dict[str, Tensor], seconds: float) -> dict[str, float]:
    """Return one line of metrics. Here, and nowhere in a step, training waits for the device."""
    if not torch.isfinite(total):
        raise RecipeError(
            f"the loss is {float(total)} at step {step + 1}; lower train.learning_rate, or set "
            "train.precision to float32"
        )
    row = {"step": step + 1, "loss": float(total), "seconds": seconds}
    return row | {name: float(term) for name, term in terms.items()}


def _line(recipe: AnyRecipe, row: Mapping[str, float]) -> str:
    figure = f"{recipe.figure.replace('_', ' ')} {row[recipe.figure]:.4f}"
    return f"step {row['step']}/{recipe.train.steps}  loss {row['loss']:.4f}  {figure}"


def _finish(recipe: AnyRecipe, out: Path, network: nn.Module, *, shown: bool) -> None:
    facts, last = asdict(recipe), run_state.read_metrics(out)[-1]
    extra = {"recipe": facts, "training": {**last, "torch": str(torch.__version__)}}
    weights = {name: part.detach().cpu().numpy() for name, part in network.state_dict().items()}
    save_checkpoint(out / "checkpoint", facts["model"], recipe.condition, weights, extra=extra)
    drawn = run_state.draw_curves(out, recipe.figure)
    if shown:
        print(drawn)
