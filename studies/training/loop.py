"""Train one network of the paper's family by one recipe: draw, forward, loss."""

from pathlib import Path

import torch
from torch import Tensor, nn

from gnri.model.nri.gram_statistics import Batch
from gnri.model.nri.nri import Network
from studies.training import metrics
from studies.training.coin_tables import sample
from studies.training.distributed import World
from studies.training.loss import loss
from studies.training.recipe import Recipe, TrainConfig
from studies.training.run import autocast, run
from studies.training.streams import seeded, stable_seed, stream


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

    def begin(world: World) -> Family:
        return Family(recipe, world)

    return run(recipe, begin, out, device=device, resume=resume, progress=progress)


class Family:
    """A network of the paper's family in training."""

    def __init__(self, recipe: Recipe, world: World) -> None:
        self.recipe, self.device = recipe, world.device
        self.seed = world.seed(recipe.seed)
        self.network = build(recipe).to(world.device)
        self.validation = validation_batch(recipe, world.device)

    def loss(self, network: nn.Module, step: int) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss on fresh episodes."""
        config, symmetrised = self.recipe.train, self.recipe.switches.symmetrised_training
        batch = stream(self.recipe.prior, self.seed, step, config.batch_size, self.device).batch
        noise = seeded(self.seed, "noise", step, device=self.device)
        torch.manual_seed(stable_seed(self.seed, "dropout", step))
        with autocast(config.precision, self.device):
            rails = network(batch.both_rails() if symmetrised else batch)
        return loss(rails, batch, config, step, symmetrised=symmetrised, generator=noise)

    def learning_rate(self, step: int) -> float:
        """The learning rate of a step."""
        return learning_rate(self.recipe.train, step)

    def look(self) -> dict[str, float]:
        """The accuracy of the soft rules on the rows they were induced from."""
        averaged = self.recipe.switches.label_average
        found = metrics.support_accuracy(self.network, self.validation, averaged=averaged)
        return {"support_accuracy": found}


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
