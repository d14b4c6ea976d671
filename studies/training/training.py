"""Train whatever a recipe asks for."""

from pathlib import Path

import torch

from studies.training import loop
from studies.training.guided import critic
from studies.training.guided import loop as guided
from studies.training.guided.critic_recipe import CriticRecipe
from studies.training.guided.recipe import GuidedRecipe
from studies.training.recipe import AnyRecipe


def train(recipe: AnyRecipe, out: Path, *, device: torch.device | str, jobs: int = 1) -> Path:
    """Train by `recipe` or go on with it; the folder of the checkpoint."""
    if isinstance(recipe, CriticRecipe):
        return critic.train(recipe, out, device=device, jobs=jobs)
    if isinstance(recipe, GuidedRecipe):
        return guided.train(recipe, out, device=device)
    return loop.train(recipe, out, device=device)
