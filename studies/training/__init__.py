"""Training: the prior of random tasks, networks of the paper's family, guided and its critic."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.errors import GnriError, RecipeError

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
    """Train by `recipe` and return the folder of the checkpoint, `out / "checkpoint"`.

    A run that was cut off goes on from its last saved state, to the same weights on a CPU to the
    last bit: everything random is a function of the seed and the step. `jobs` processes draw the
    tasks of a critic.
    """
    from studies.training.critic_training import prepare
    from studies.training.guided_training import GuidedTask, fast_products
    from studies.training.loop import run
    from studies.training.nri_training import NRITask
    from studies.training.recipe import CriticRecipe, GuidedRecipe, Recipe

    start = None if isinstance(recipe, Recipe) else recipe.init
    if start and Path(start).resolve() in (out.resolve(), (out / "checkpoint").resolve()):
        raise RecipeError(f"the run would write over {start}, its own start; name another --out")
    go = partial(run, out=out, device=device, progress=progress)
    if isinstance(recipe, CriticRecipe):
        return go(recipe, prepare(recipe, out, jobs=jobs, progress=progress))
    if isinstance(recipe, GuidedRecipe):
        with fast_products(device):
            return go(recipe, partial(GuidedTask, recipe))
    return go(recipe, partial(NRITask, recipe))


def device_named(name: str) -> str:
    """Return `name` if torch can compute there; for "auto" a GPU if there is one, else the CPU."""
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cpu" or (name.split(":")[0] == "cuda" and torch.cuda.is_available()):
        return name
    raise GnriError(f"the device must be auto, cpu or, where there is a GPU, cuda; got {name!r}")
