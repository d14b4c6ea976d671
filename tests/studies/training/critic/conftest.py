"""An untrained network, and recipes for a critic of it."""

from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from gnri.model.load import GUIDED
from studies.training import critic_training as critic_tasks
from studies.training.checkpoints import save_checkpoint
from studies.training.guided_training import build
from studies.training.recipe import CriticRecipe, load_recipe, with_overrides
from tests.studies.training.critic.cases import QUICK, RECIPES


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of an untrained network of the tiny size."""
    recipe = load_recipe(RECIPES / "guided-tiny.toml")
    path = tmp_path_factory.mktemp("guided")
    weights = build(recipe).arrays()
    return save_checkpoint(path, asdict(recipe.model), GUIDED, weights, extra={"recipe": {}})


@pytest.fixture
def tiny(folder: Path) -> CriticRecipe:
    recipe = with_overrides(load_recipe(RECIPES / "critic-tiny.toml"), [f"init={folder}"])
    assert isinstance(recipe, CriticRecipe)
    return recipe


@pytest.fixture
def short(tiny: CriticRecipe) -> CriticRecipe:
    recipe = with_overrides(tiny, [*QUICK, "train.batch_size=4"])
    assert isinstance(recipe, CriticRecipe)
    return recipe


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(critic_tasks, "PIECE", 4)
