"""A training run, whatever it trains: take steps, look and save once in a while, write weights."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from math import cos, pi
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.random import fork_rng

from gnri.errors import RecipeError
from studies.training import run_state
from studies.training.checkpoints import save_checkpoint
from studies.training.modules import Parameters
from studies.training.recipe import AnyRecipe, CriticTrain, GuidedTrain, TrainConfig


class Task(Protocol):
    """What a run trains. Everything random in it is a function of the seed and the step."""

    @property
    def network(self) -> Parameters:
        """Return the network."""

    def loss(self, step: int) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the loss of a step and, detached, its terms."""

    def look(self) -> dict[str, float]:
        """Return figures on episodes that no step uses."""


def run(
    recipe: AnyRecipe,
    begin: Callable[[torch.device], Task],
    out: Path,
    *,
    device: torch.device | str,
    progress: bool,
) -> Path:
    """Train what `begin` gives by `recipe`; return the folder of the checkpoint."""
    config, place = recipe.train, torch.device(device)
    # Dropout is seeded here without touching the caller's random numbers.
    with fork_rng([place] if place.type == "cuda" else []):
        task = begin(place)
        network = task.network.train()
        optimizer = torch.optim.AdamW(network.parameters(), weight_decay=config.weight_decay)
        out.mkdir(parents=True, exist_ok=True)
        done = run_state.restore_state(out, recipe, network, optimizer)
        run_state.rewind_metrics(out, done)
        since = time.perf_counter()

        for step in range(done, config.steps):
            total, terms = task.loss(step)
            optimizer.param_groups[0]["lr"] = learning_rate(config, step)
            optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(total)
            nn.utils.clip_grad_norm_(network.parameters(), config.clip)
            optimizer.step()

            if _due(step, config.evaluate_every, config.steps):
                row = _row(step, total.detach(), terms, seconds=time.perf_counter() - since)
                row |= task.look()
                run_state.append_metrics(out, row)
                if progress:
                    figure = f"{recipe.figure.replace('_', ' ')} {row[recipe.figure]:.4f}"
                    said = f"step {step + 1}/{config.steps}  loss {row['loss']:.4f}  {figure}"
                    print(said, flush=True)
            if _due(step, config.save_every, config.steps):
                run_state.save_state(out, recipe, step + 1, network, optimizer)

    facts, last = asdict(recipe), run_state.read_metrics(out)[-1]
    extra = {"recipe": facts, "training": {**last, "torch": str(torch.__version__)}}
    return save_checkpoint(
        out / "checkpoint", facts["model"], recipe.condition, network.arrays(), extra=extra
    )


def learning_rate(config: TrainConfig | GuidedTrain | CriticTrain, step: int) -> float:
    """Return the rate of a step: up for `warmup` steps, then down to `final_rate` of it."""
    rate = config.learning_rate * min(1.0, (step + 1) / max(config.warmup, 1))
    falling = (1 + cos(pi * step / config.steps)) / 2
    return rate * (config.final_rate + (1 - config.final_rate) * falling)


def autocast(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Return the context in which the network answers; on a CPU everything stays float32."""
    if device.type != "cuda" or precision != "bf16":
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


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
