import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from gnri.errors import CheckpointError, RecipeError
from gnri.model import checkpoint
from gnri.model.guided.architecture import GuidedConfig
from gnri.model.load import GUIDED
from studies.__main__ import app
from studies.training import guided_training as loop
from studies.training import run_state, train
from studies.training.checkpoints import save_checkpoint
from studies.training.guided_training import build, validation_lessons
from studies.training.loop import learning_rate
from studies.training.recipe import (
    GuidedRecipe,
    GuidedTrain,
    from_table,
    load_recipe,
    with_overrides,
)

RECIPES = Path(__file__).parents[3] / "recipes"
BASE = {"name": "test", "condition": GUIDED}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def tiny(*settings: str) -> GuidedRecipe:
    recipe = with_overrides(load_recipe(RECIPES / "guided-tiny.toml"), settings)
    assert isinstance(recipe, GuidedRecipe)
    return recipe


def short(*settings: str) -> GuidedRecipe:
    """Seven steps, so that a run of three has stopped inside a pool of four."""
    quick = ["train.steps=7", "train.save_every=3", "train.evaluate_every=2"]
    return tiny(*quick, "train.batch_size=[4, 4]", "train.validation_batches=2", *settings)


def run(recipe: GuidedRecipe, out: Path, **options: bool) -> dict[str, torch.Tensor]:
    folder = train(recipe, out, device="cpu", progress=False, **options)
    return load_file(folder / checkpoint.WEIGHTS)


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


class CutOffError(Exception):
    pass


@pytest.mark.parametrize("cut_at", [1, 4, 6])
def test_a_run_cut_off_anywhere_ends_in_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut_at: int
) -> None:
    whole = run(short(), tmp_path / "whole")
    real, steps = loop.loss, iter(range(100))

    def cut(*inputs):
        if torch.is_grad_enabled() and next(steps) == cut_at:
            raise CutOffError
        return real(*inputs)

    monkeypatch.setattr(loop, "loss", cut)
    with pytest.raises(CutOffError):
        run(short(), tmp_path / "cut")
    assert not (tmp_path / "cut" / "checkpoint").exists()
    monkeypatch.setattr(loop, "loss", real)
    torch.rand(7)  # the caller's random numbers play no part
    assert equal(run(short(), tmp_path / "cut"), whole)
    lines = [run_state.read_metrics(tmp_path / name) for name in ("whole", "cut")]
    assert [row["step"] for row in lines[1]] == [2, 4, 6, 7]
    for first, second in zip(*lines, strict=True):
        assert first | {"seconds": 0} == second | {"seconds": 0}


def test_the_tiny_recipe_learns(tmp_path: Path) -> None:
    run(tiny(), tmp_path)
    first, *_, last = run_state.read_metrics(tmp_path)
    untrained = loop.GuidedTask(tiny(), torch.device("cpu")).look()
    assert last["validation_loss"] < 0.7 * untrained["validation_loss"]
    assert last["validation_loss"] < first["validation_loss"]
    assert last["right_actions"] > untrained["right_actions"] + 0.1
    assert last["literal_auc"] > untrained["literal_auc"] + 0.2
    assert last["noise_error"] < 0.5 * untrained["noise_error"]
    assert {"step", "loss", "seconds", "literals", "noise", "policy"} <= last.keys()


def test_the_checkpoint_says_what_it_is(tmp_path: Path) -> None:
    folder = train(short(), tmp_path, device="cpu", progress=False)
    shapes = {name: tuple(t.shape) for name, t in build(short()).state_dict().items()}
    found = checkpoint.load(folder, expected=lambda config, condition: shapes)
    assert found.condition == GUIDED
    assert GuidedConfig(**found.model_config) == short().model
    assert found.model_config == asdict(short().model)
    assert from_table(found.extra["recipe"]) == short()
    assert found.extra["training"]["step"] == 7


def test_a_run_may_start_from_a_checkpoint(tmp_path: Path) -> None:
    folder = train(short(), tmp_path / "first", device="cpu", progress=False)
    second = replace(short("seed=1"), init=str(folder))
    assert equal(build(second).state_dict(), load_file(folder / checkpoint.WEIGHTS))
    weights = run(second, tmp_path / "second")
    before = build(second).state_dict()
    assert {name for name in weights if torch.equal(weights[name], before[name])} == {
        name for name in weights if name.startswith("critic.")
    }
    assert not equal(weights, run(short("seed=1"), tmp_path / "fresh"))
    with pytest.raises(CheckpointError, match="belongs to another recipe"):
        run(short("seed=1"), tmp_path / "second")


def test_a_checkpoint_that_does_not_fit_is_not_started_from(tmp_path: Path) -> None:
    folder = train(short(), tmp_path, device="cpu", progress=False)
    with pytest.raises(CheckpointError, match=r"tensor 'embed\.0\.weight' must be \[16, 12\]"):
        build(replace(short("model.width=16"), init=str(folder)))
    config = json.loads((folder / checkpoint.CONFIG).read_text()) | {"condition": "gnri"}
    (folder / checkpoint.CONFIG).write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="holds weights of 'gnri'"):
        build(replace(short(), init=str(folder)))
    with pytest.raises(CheckpointError, match="No such file"):
        build(replace(short(), init=str(tmp_path / "none")))


def test_seeds_decide_the_weights_and_the_callers_random_numbers_are_left_alone() -> None:
    before = torch.get_rng_state()
    first, again, other = (build(replace(short(), seed=s)).state_dict() for s in (1, 1, 2))
    assert equal(first, again)
    assert not equal(first, other)
    assert torch.equal(torch.get_rng_state(), before)


def test_another_length_is_another_recipe(tmp_path: Path) -> None:
    """The cosine would have fallen otherwise."""
    run(short(), tmp_path)
    with pytest.raises(CheckpointError, match="belongs to another recipe"):
        run(short("train.steps=8"), tmp_path)
    run(short("train.evaluate_every=7"), tmp_path)


def test_the_learning_rate_warms_up_and_falls_along_a_cosine() -> None:
    config = GuidedTrain(steps=1000, learning_rate=2.0, warmup=100, final_rate=0.1)
    rates = [learning_rate(config, step) for step in range(1001)]
    assert rates[0] == pytest.approx(0.02, rel=1e-3)
    assert rates[500] == pytest.approx(2 * 0.55)
    assert rates[1000] == pytest.approx(0.2)
    assert max(rates) == pytest.approx(2, rel=0.03)
    assert sorted(rates[100:], reverse=True) == rates[100:]
    assert learning_rate(replace(config, warmup=0), 0) == 2


def test_validation_lessons_are_of_many_sizes_and_of_no_step() -> None:
    lessons = validation_lessons(tiny(), torch.device("cpu"))
    assert len({lesson.accepted.shape for lesson in lessons}) > 1
    again = validation_lessons(tiny("train.pool=1"), torch.device("cpu"))
    for first, second in zip(lessons, again, strict=True):
        assert torch.equal(first.counts.pairs, second.counts.pairs)


def test_the_guided_recipe_is_that_of_the_defaults() -> None:
    assert load_recipe(RECIPES / "guided.toml") == GuidedRecipe("guided", GUIDED)


def test_a_recipe_survives_json() -> None:
    recipe = short("init=some/folder")
    assert recipe.init == "some/folder"
    assert from_table(json.loads(json.dumps(asdict(recipe)))) == recipe


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"train": {"step": 3}}, "unknown setting 'train.step'; did you mean 'train.steps'?"),
        ({"train": {"max_margin": 1.0}}, "unknown setting 'train.max_margin'"),
        ({"seeds": [1]}, "unknown setting 'seeds'; did you mean 'seed'?"),
        ({"prior": {"clauses": [1, 2]}}, "unknown setting 'prior.clauses'"),
        ({"model": {"slots": 8}}, "unknown setting 'model.slots'"),
        ({"model": {"heads": 3}}, "model.width must be a multiple of model.heads, got 128 and 3"),
        ({"prior": {"atoms": [5, 400]}}, "prior.atoms must be 1 <= low <= high <= most_atoms"),
        ({"prior": {"rows": [0, 4]}}, "prior.rows must be"),
        ({"prior": {"wide": 1.5}}, r"prior.wide must be in \[0, 1\], got 1.5"),
        ({"train": {"pool": 0}}, "train.pool must be 1 or more, got 0"),
        ({"train": {"clip": 0}}, "train.clip must be above 0"),
        ({"train": {"batch_size": [9, 8]}}, "train.batch_size must be 1 <= low <= high"),
        ({"init": 3}, r"init must be str, got 3 \(int\)"),
    ],
)
def test_what_cannot_be_is_refused_by_name(table: dict, message: str) -> None:
    with pytest.raises(RecipeError, match=message.replace("?", r"\?")):
        from_table(BASE | table)


def test_a_recipe_of_the_family_has_no_initial_weights() -> None:
    with pytest.raises(RecipeError, match="unknown setting 'init'"):
        with_overrides(from_table({"name": "test", "condition": "gnri"}), ["init=folder"])


def test_the_command_trains_shows_and_starts_from_a_checkpoint(tmp_path: Path) -> None:
    recipe = tmp_path / "short.toml"
    recipe.write_text((RECIPES / "guided-tiny.toml").read_text())
    quick = ["--set", "train.steps=2", "--set", "train.batch_size=[4, 4]", "--device", "cpu"]
    first = ["train", str(recipe), "--out", str(tmp_path / "first"), *quick]
    found = CliRunner().invoke(app, first)
    assert found.exit_code == 0, found.output
    assert "step 2/2" in found.output
    assert "right actions" in found.output
    start = ["--init", str(tmp_path / "first" / "checkpoint"), "--seed", "1"]
    second = ["train", str(recipe), "--out", str(tmp_path / "second"), *quick, *start]
    assert CliRunner().invoke(app, second).exit_code == 0
    config = json.loads((tmp_path / "second" / "checkpoint" / "config.json").read_text())
    assert config["extra"]["recipe"]["init"] == start[1]
    assert config["extra"]["recipe"]["seed"] == 1


def test_a_foreign_setting_is_one_line_on_the_command(tmp_path: Path) -> None:
    recipe = tmp_path / "foreign.toml"
    recipe.write_text((RECIPES / "guided-tiny.toml").read_text() + "batch = 3\n")
    found = CliRunner().invoke(app, ["train", str(recipe), "--out", str(tmp_path / "run")])
    assert found.exit_code != 0
    assert "unknown setting 'train.batch'; did you mean 'train.batch_size'?" in found.output
    assert "Traceback" not in found.output
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("out", ["run", "run/checkpoint"])
def test_a_run_never_writes_over_its_own_start(tmp_path: Path, out: str) -> None:
    start, recipe = tmp_path / "run" / "checkpoint", tiny()
    save_checkpoint(start, asdict(recipe.model), GUIDED, build(recipe).arrays(), extra={})
    before = (start / checkpoint.WEIGHTS).read_bytes()
    words = ["train", str(RECIPES / "guided-tiny.toml"), "--init", str(start), "--device", "cpu"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / out)])
    assert done.exit_code == 2
    assert "would write over" in done.stderr and len(done.stderr.splitlines()) == 1
    assert (start / checkpoint.WEIGHTS).read_bytes() == before
