"""Training: the prior of random tasks, networks of the paper's family, guided and its critic."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from studies.training.recipe import AnyRecipe


def train(
    recipe: "AnyRecipe",
    out: Path,
    *,
    device: "torch.device | str",
    jobs: int = 1,
    progress: bool = True,
) -> Path:
    """Train by `recipe` or go on with it; return the folder of the checkpoint."""
    from studies.training import critic_training, guided_training, nri_training
    from studies.training.recipe import CriticRecipe, GuidedRecipe

    if isinstance(recipe, CriticRecipe):
        return critic_training.train(recipe, out, device=device, jobs=jobs, progress=progress)
    if isinstance(recipe, GuidedRecipe):
        return guided_training.train(recipe, out, device=device, progress=progress)
    return nri_training.train(recipe, out, device=device, progress=progress)
