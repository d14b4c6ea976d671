"""Short fits of a critic, and pools of rules to choose from."""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from gnri.model import checkpoint
from gnri.model.guided.critic import Facts
from studies.training import train
from studies.training.critic_training import Pools
from studies.training.recipe import CriticRecipe

RECIPES = Path(__file__).parents[4] / "recipes"
QUICK = ["prior.tasks=8", "train.steps=6", "train.save_every=3", "train.evaluate_every=2"]


def run(recipe: CriticRecipe, out: Path) -> dict[str, torch.Tensor]:
    return load_file(train(recipe, out, device="cpu", progress=False) / checkpoint.WEIGHTS)


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


def some_pools(sizes: tuple[int, ...] = (3, 1, 4, 2), seed: int = 0) -> Pools:
    """Rules of 20 to 60 rows with accuracies all different."""
    rng = np.random.default_rng(seed)
    count = sum(sizes)
    facts = rng.integers(1, 15, (count, len(Facts._fields))).astype(float)
    return Pools(
        torch.tensor(facts),
        torch.tensor(rng.permutation(count) / count),
        torch.tensor(rng.permutation(count)),
        torch.tensor(_some_of_each(sizes, rng)),
        torch.tensor(_some_of_each(sizes, rng)),
        torch.tensor(sizes),
    )


def _some_of_each(sizes: tuple[int, ...], rng: np.random.Generator) -> list[bool]:
    """At least one of each task's rules."""
    return [bool(i == 0 or rng.random() < 0.5) for size in sizes for i in range(size)]
