"""Recipes of a critic."""

import json
from dataclasses import asdict

import pytest

from gnri.errors import RecipeError
from gnri.model.load import GUIDED
from studies.training.recipe import CriticRecipe, from_table, load_recipe
from tests.studies.training.critic.cases import RECIPES

BASE = {"name": "test", "condition": GUIDED, "trains": "critic"}


def test_the_recipe_is_that_of_the_defaults() -> None:
    assert load_recipe(RECIPES / "critic.toml") == CriticRecipe("critic", GUIDED, "critic")


def test_the_tiny_recipe_is_of_the_size_of_the_tiny_network() -> None:
    critic_tiny, guided_tiny = (
        load_recipe(RECIPES / f"{name}.toml") for name in ("critic-tiny", "guided-tiny")
    )
    assert critic_tiny.model == guided_tiny.model


def test_a_recipe_survives_json(short: CriticRecipe) -> None:
    assert from_table(json.loads(json.dumps(asdict(short)))) == short


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"trains": "critc"}, "trains must be one of 'critic', got 'critc'"),
        ({"condition": "gnri"}, "condition must be one of 'guided', got 'gnri'"),
        ({"prior": {"tasks": 0}}, "prior.tasks must be 1 or more, got 0"),
        ({"prior": {"rows": [9, 8]}}, r"prior.rows must be 1 <= low <= high, got \(9, 8\)"),
        ({"prior": {"noisy": 2}}, r"prior.noisy must be in \[0, 1\], got 2"),
        ({"train": {"steps": 0}}, "train.steps must be 1 or more"),
        ({"train": {"clip": 0}}, "train.clip must be above 0"),
        ({"train": {"held_out": 1}}, "train.held_out must be between 0 and 1, got 1"),
        ({"train": {"epochs": 12}}, "unknown setting 'train.epochs'"),
        ({"train": {"precision": "bf16"}}, "unknown setting 'train.precision'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(table: dict, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        from_table(BASE | table)
