"""Train one network by one recipe: draw, forward, loss, step; look and save once in a while."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import torch
from torch import Tensor, nn

from gnri.episodes.batch import Batch
from gnri.episodes.prior import sample
from gnri.episodes.stream import seeded, stable_seed, stream
from gnri.errors import RecipeError
from gnri.model import checkpoint
from gnri.model.network import Network
from gnri.train import metrics
from gnri.train.distributed import joined
from gnri.train.loss import loss
from gnri.train.progress import reporter
from gnri.train.recipe import Recipe, TrainConfig
from gnri.train.state import restore_state, save_state


def train(
    recipe: Recipe,
    out: Path,
    *,
    device: torch.device | str,
    resume: bool = True,
    progress: bool = True,
) -> Path:
    """Train by `recipe` and return the folder of the checkpoint, `out / "checkpoint"`.

    A run that was cut off goes on from its last saved state, to the same weights on a CPU to the
    last bit: episodes, noise and dropout are functions of the seed and the step. Under torchrun
    each process draws episodes of its own and the gradients are averaged.
    """
    config, condition = recipe.train, recipe.switches
    with joined(device) as world, _own_randomness(world.device):
        network = build(recipe).to(world.device)
        optimizer = torch.optim.AdamW(network.parameters(), weight_decay=config.weight_decay)
        half = half_precision(config, world.device)
        scaler = torch.amp.GradScaler(world.device.type, enabled=half is torch.float16)
        out.mkdir(parents=True, exist_ok=True)
        done = restore_state(out, recipe, network, optimizer, scaler) if resume else 0
        if world.writes:
            metrics.rewind(out, done)
        parallel = world.wrapped(network).train()
        validation = validation_batch(recipe, world.device)
        seed, since = world.seed(recipe.seed), time.perf_counter()

        with reporter(recipe, shown=progress and world.writes) as report:
            for step in range(done, config.steps):
                batch = stream(recipe.prior, seed, step, config.batch_size, world.device).batch
                noise = seeded(seed, "noise", step, device=world.device)
                torch.manual_seed(stable_seed(seed, "dropout", step))

                symmetrised = condition.symmetrised_training
                with _autocast(half, world.device):
                    rails = parallel(batch.both_rails() if symmetrised else batch)
                total, terms = loss(
                    rails, batch, config, step, symmetrised=symmetrised, generator=noise
                )
                optimizer.param_groups[0]["lr"] = learning_rate(config, step)
                _descend(total, optimizer, scaler, config.clip)

                if world.writes and _due(step, config.evaluate_every, config.steps):
                    row = _row(step, total.detach(), terms, seconds=time.perf_counter() - since)
                    row["support_accuracy"] = metrics.support_accuracy(
                        network, validation, averaged=condition.label_average
                    )
                    metrics.append(out, row)
                    report(row)
                if world.writes and _due(step, config.save_every, config.steps):
                    save_state(out, recipe, step + 1, network, optimizer, scaler)

        if world.writes:
            _finish(recipe, out, network, shown=progress)
    return out / "checkpoint"


def build(recipe: Recipe) -> nn.Module:
    """The untrained network; equal seeds give equal weights."""
    with torch.random.fork_rng([]):
        torch.manual_seed(stable_seed(recipe.seed, "weights"))
        return Network(recipe.model, recipe.switches)


def validation_batch(recipe: Recipe, device: torch.device | str) -> Batch:
    """Episodes of the recipe's prior, from a seed that no step uses."""
    generator = seeded(recipe.seed, "validation", device=device)
    return sample(recipe.prior, recipe.train.validation_episodes, generator=generator).batch


def learning_rate(config: TrainConfig, step: int) -> float:
    """Linear from 1/warmup of the full rate to all of it, then constant."""
    return config.learning_rate * min(1.0, (step + 1) / max(config.warmup, 1))


def half_precision(config: TrainConfig, device: torch.device) -> torch.dtype | None:
    """What autocast computes in; none on a CPU, where everything stays float32."""
    if device.type != "cuda":
        return None
    return {"bf16": torch.bfloat16, "fp16": torch.float16}.get(config.precision)


def _descend(
    total: Tensor, optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler, clip: float
) -> None:
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(scaler.scale(total))
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], clip)
    scaler.step(optimizer)
    scaler.update()


def _due(step: int, every: int, steps: int) -> bool:
    return (step + 1) % every == 0 or step + 1 == steps


def _row(step: int, total: Tensor, terms: dict[str, Tensor], seconds: float) -> dict[str, float]:
    """One line of metrics. Here, and nowhere in a step, training waits for the device."""
    if not torch.isfinite(total):
        raise RecipeError(
            f"the loss is {float(total)} at step {step + 1}; lower train.learning_rate, or set "
            "train.precision to float32"
        )
    row = {"step": step + 1, "loss": float(total), "seconds": seconds}
    return row | {name: float(term) for name, term in terms.items()}


def _finish(recipe: Recipe, out: Path, network: nn.Module, *, shown: bool) -> None:
    facts = {
        "recipe": recipe.to_json(),
        "training": {**metrics.read(out)[-1], "torch": str(torch.__version__)},
    }
    model = recipe.to_json()["model"]
    checkpoint.save(out / "checkpoint", model, recipe.condition, network.state_dict(), extra=facts)
    drawn = metrics.draw(out)
    if shown:
        print(drawn)


def _autocast(half: torch.dtype | None, device: torch.device) -> AbstractContextManager[object]:
    return nullcontext() if half is None else torch.autocast(device.type, half)


@contextmanager
def _own_randomness(device: torch.device) -> Iterator[None]:
    """Let dropout be seeded here without touching the caller's random numbers."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield
