from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from gnri.errors import CheckpointError, RecipeError
from gnri.model import checkpoint
from studies.training import nri_training as loop
from studies.training import run_state, train
from studies.training.loop import learning_rate
from studies.training.nri_training import build
from studies.training.recipe import Recipe, TrainConfig, load_recipe, with_overrides
from studies.training.run_state import FILE

TINY = load_recipe(Path(__file__).parents[3] / "recipes" / "tiny.toml")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def short(*settings: str) -> Recipe:
    quick = ["train.steps=6", "train.batch_size=8", "train.validation_episodes=8"]
    quick += ["train.save_every=3", "train.evaluate_every=2", "train.counterfactual_from=2"]
    return with_overrides(TINY, [*quick, *settings])


def run(recipe: Recipe, out: Path) -> dict[str, torch.Tensor]:
    folder = train(recipe, out, device="cpu", progress=False)
    return load_file(folder / checkpoint.WEIGHTS)


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


class CutOffError(Exception):
    pass


@pytest.mark.parametrize("condition", ["nri", "gnri"])
def test_a_run_cut_off_anywhere_ends_in_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, condition: str
) -> None:
    recipe = short(f"condition={condition}")
    whole = run(recipe, tmp_path / "whole")
    real_loss = loop.loss

    def cut(rails, batch, config, step, **options):
        if step == 5:
            raise CutOffError
        return real_loss(rails, batch, config, step, **options)

    monkeypatch.setattr(loop, "loss", cut)
    with pytest.raises(CutOffError):
        run(recipe, tmp_path / "cut")
    assert not (tmp_path / "cut" / "checkpoint").exists()
    monkeypatch.setattr(loop, "loss", real_loss)
    torch.rand(7)  # the caller's random numbers play no part
    assert equal(run(recipe, tmp_path / "cut"), whole)
    lines = [run_state.read_metrics(tmp_path / name) for name in ("whole", "cut")]
    assert [row["step"] for row in lines[1]] == [2, 4, 6]
    for first, second in zip(*lines, strict=True):
        assert first | {"seconds": 0} == second | {"seconds": 0}


def test_a_longer_recipe_goes_on_where_the_shorter_ended(tmp_path: Path) -> None:
    run(short("train.steps=4"), tmp_path / "grown")
    assert equal(run(short(), tmp_path / "grown"), run(short(), tmp_path / "whole"))


def test_the_callers_random_numbers_are_left_alone(tmp_path: Path) -> None:
    before = torch.get_rng_state()
    run(short(), tmp_path)
    assert torch.equal(torch.get_rng_state(), before)


def test_seeds_decide_the_weights() -> None:
    first, again, other = (build(replace(TINY, seed=s)).state_dict() for s in (1, 1, 2))
    assert equal(first, again)
    assert not equal(first, other)


def test_another_recipe_is_not_resumed(tmp_path: Path) -> None:
    run(short(), tmp_path)
    with pytest.raises(CheckpointError, match="belongs to another recipe"):
        run(short("train.learning_rate=0.5"), tmp_path)
    (tmp_path / FILE).unlink()
    run(short("train.learning_rate=0.001"), tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a state file at all"])
def test_a_broken_state_is_not_resumed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(CheckpointError, match="cannot be resumed from"):
        run(short(), tmp_path)


def test_a_loss_that_is_not_finite_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_loss = loop.loss

    def broken(*inputs, **options):
        total, terms = real_loss(*inputs, **options)
        return total * torch.nan, terms

    monkeypatch.setattr(loop, "loss", broken)
    with pytest.raises(RecipeError, match="the loss is nan at step 2"):
        run(short(), tmp_path)


def test_the_learning_rate_warms_up_then_stays() -> None:
    config = TrainConfig(learning_rate=1.0, warmup=100)
    rates = [learning_rate(config, step) for step in (0, 49, 99, 100, 499)]
    assert rates == [0.01, 0.5, 1.0, 1.0, 1.0]
    assert learning_rate(TrainConfig(learning_rate=1.0, warmup=0), 0) == 1.0
    falling = TrainConfig(learning_rate=1.0, warmup=0, steps=100, final_rate=0.1)
    rates = [learning_rate(falling, step) for step in (0, 50, 100)]
    assert rates == pytest.approx([1.0, 0.55, 0.1])


WIDE = ("prior.one_width=true", "prior.atoms=[4, 40]", "train.columns=64", "train.query_rows=16")


def test_fresh_rows_and_hidden_clauses_take_the_place_of_the_paper_s_terms(tmp_path: Path) -> None:
    more = "condition=gnri-wide", "train.matching=0.1", "train.silence=0.1"
    more += "model.sized=true", "model.paired=true"
    off = [f"train.{name}=0" for name in ("load_balance", "gate_spread", "gate_spread_raw")]
    recipe = short(*WIDE, *more, *off, "train.counterfactual_from=9", "train.sharpness=0.7")
    weights = run(recipe, tmp_path / "run")
    assert equal(weights, run(recipe, tmp_path / "again"))
    (row, *_) = run_state.read_metrics(tmp_path / "run")
    figures = {"step", "loss", "seconds", "support_accuracy"}
    assert row.keys() - figures == {"query", "matching", "silence"}
    assert row["loss"] == pytest.approx(row["query"] + row["matching"] + row["silence"], rel=1e-4)


def test_a_step_has_no_more_columns_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[tuple[int, int]] = []
    real_sample = loop.sample

    def seen(config, batch_size, *, generator):
        sizes.append((batch_size, config.atoms[1]))
        return real_sample(config, batch_size, generator=generator)

    task = loop.NRITask(short(*WIDE), torch.device("cpu"))
    monkeypatch.setattr(loop, "sample", seen)
    for step in range(20):
        task.loss(step)
    assert all(size * atoms <= 64 and size <= 8 for size, atoms in sizes)
    assert {size for size, _ in sizes} >= {1, 8}


def test_the_checkpoint_says_what_it_is_and_loads(tmp_path: Path) -> None:
    folder = train(short(), tmp_path, device="cpu", progress=False)
    shapes = {name: tuple(t.shape) for name, t in build(short()).state_dict().items()}
    found = checkpoint.load(folder, expected=lambda config, condition: shapes)
    assert found.condition == "gnri"
    assert found.model_config["width"] == 32
    assert found.extra["recipe"]["seed"] == 42
    assert found.extra["training"]["step"] == 6


def test_progress_is_plain_lines_off_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(short(), tmp_path, device="cpu")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:3]] == ["2/6", "4/6", "6/6"]


def test_the_tiny_recipe_learns(tmp_path: Path) -> None:
    """The data terms must fall well below their start; regularisers join only half way."""
    run(with_overrides(TINY, ["train.evaluate_every=1"]), tmp_path)
    fit = [row["cross_entropy"] + row["margin"] for row in run_state.read_metrics(tmp_path)]
    assert sum(fit[-5:]) < 0.5 * sum(fit[:5])
