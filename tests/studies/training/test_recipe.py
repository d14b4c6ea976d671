import json
from dataclasses import asdict
from pathlib import Path

import pytest

from gnri.errors import RecipeError
from studies.paper.baseline_networks import CONDITIONS
from studies.training.recipe import Recipe, from_table, load_recipe, with_overrides

FOLDER = Path(__file__).parents[3] / "recipes"
RECIPES = sorted(
    path for path in FOLDER.glob("**/*.toml") if not path.stem.startswith(("guided", "critic"))
)
BASE = {"name": "test", "condition": "gnri"}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_committed_recipe_loads(path: Path) -> None:
    recipe = load_recipe(path)
    assert recipe.seed == 42
    assert (recipe.train.max_margin == 0) == recipe.switches.symmetrised_training


def test_the_conditions_that_are_trained_have_the_paper_s_recipe() -> None:
    trained = {path: load_recipe(path) for path in RECIPES if path.stem in CONDITIONS}
    (ours,) = [path for path in trained if path.stem == "gnri-wide"]
    del trained[ours]
    assert {recipe.condition for recipe in trained.values()} == {"nri", "eqarch", "gnri"}
    for path, recipe in trained.items():
        assert recipe.name == recipe.condition
        batch_size = 1024 if path.parent.name == "sweep" else 8192
        assert (recipe.train.steps, recipe.train.batch_size) == (500, batch_size)
        assert (recipe.prior.atoms, recipe.prior.rows) == ((6, 12), (24, 48))


def test_a_table_overrides_the_defaults_and_nothing_else() -> None:
    recipe = from_table(BASE | {"prior": {"atoms": [2, 3]}, "train": {"clip": 2}})
    assert recipe.prior.atoms == (2, 3)
    assert recipe.train.clip == 2.0
    assert type(recipe.train.clip) is float
    plain = from_table(BASE)
    assert (recipe.model, recipe.prior.rows) == (plain.model, plain.prior.rows)
    assert plain == Recipe("test", "gnri")


def test_a_recipe_survives_json() -> None:
    recipe = from_table(BASE | {"prior": {"spurious": 2}, "seed": 3})
    assert from_table(json.loads(json.dumps(asdict(recipe)))) == recipe


def test_overrides_are_read_as_toml_or_as_words() -> None:
    settings = ["train.steps=7", "prior.atoms=[3, 4]", "train.precision=float32", "seed = 5"]
    recipe = with_overrides(from_table(BASE), settings)
    assert (recipe.train.steps, recipe.train.precision, recipe.seed) == (7, "float32", 5)
    assert recipe.prior.atoms == (3, 4)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"train": {"step": 3}}, "unknown setting 'train.step'; did you mean 'train.steps'?"),
        ({"tran": {}}, "did you mean 'train'?"),
        ({"condition": "gnr"}, "unknown condition 'gnr'; did you mean 'gnri'?"),
        ({"train": {"steps": 3.5}}, r"train.steps must be int, got 3.5 \(float\)"),
        ({"train": {"steps": True}}, r"train.steps must be int, got True \(bool\)"),
        ({"train": {"clip": "1"}}, r"train.clip must be float, got '1' \(str\)"),
        ({"train": {"necessity": float("nan")}}, "train.necessity must be float, got nan"),
        ({"train": {"precision": "fp8"}}, "one of 'bf16', 'float32', got 'fp8'"),
        ({"train": 3}, "train must be a table of settings, got 3"),
        ({"prior": {"atoms": [1, 2, 3]}}, "prior.atoms must have 2 entries, got 3"),
        ({"prior": {"atoms": [1, 2.0]}}, "prior.atoms must be int, got 2.0"),
        ({"prior": {"spurious": "all"}}, "prior.spurious must be int, got 'all'"),
        ({"train": {"steps": 0}}, "train.steps must be 1 or more, got 0"),
        ({"train": {"learning_rate": 0}}, "train.learning_rate must be above 0"),
        ({"train": {"clause_dropout": 1}}, "train.clause_dropout must be in"),
    ],
)
def test_what_cannot_be_is_refused_by_name(table: dict, message: str) -> None:
    with pytest.raises(RecipeError, match=message.replace("?", r"\?")):
        from_table(BASE | table)


def test_a_recipe_needs_a_condition() -> None:
    with pytest.raises(RecipeError, match=r"incomplete.*condition"):
        from_table({"name": "test"})


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("train.steps", "must look like train.steps=100, got 'train.steps'"),
        ("trian.steps=1", "unknown section 'trian'; did you mean 'train'"),
        ("train.stops=1", "unknown setting 'train.stops'; did you mean 'train.steps'"),
        ("seed.x=1", "unknown section 'seed'"),
    ],
)
def test_an_override_that_names_nothing_is_refused(setting: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        with_overrides(from_table(BASE), [setting])


def test_files_that_are_no_recipe(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="cannot read"):
        load_recipe(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("name = ")
    with pytest.raises(RecipeError, match="is not TOML"):
        load_recipe(tmp_path / "bad.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RecipeError, match="is not TOML"):
        load_recipe(tmp_path / "bytes.toml")
