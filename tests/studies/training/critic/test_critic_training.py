"""A critic fitted to pools, cut off and taken up again."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from gnri import induce, load_model
from gnri.episode import Episode
from gnri.errors import CheckpointError, RecipeError
from gnri.model import checkpoint
from gnri.model.guided.candidates import Guided
from gnri.model.guided.critic import Facts, critic_features
from gnri.model.load import GUIDED
from studies.__main__ import app
from studies.training import critic_training as critic
from studies.training import run_state, train
from studies.training.critic_training import CriticTask, Pools, draw_pools, fresh_critic
from studies.training.guided_training import build
from studies.training.recipe import CriticRecipe, from_table
from tests.studies.training.critic.cases import QUICK, RECIPES, equal, run, some_pools


def test_the_tiny_recipe_learns_to_choose(tiny: CriticRecipe, folder: Path, tmp_path: Path) -> None:
    weights, before = run(tiny, tmp_path), load_file(folder / checkpoint.WEIGHTS)
    changed = {name for name in weights if not torch.equal(weights[name], before[name])}
    assert changed == {name for name in weights if name.startswith("critic.")}
    last = run_state.read_metrics(tmp_path)[-1]
    pools = draw_pools(tiny, tmp_path / "tasks", jobs=1, shown=False)
    untrained = CriticTask(tiny, build(tiny), pools).look()
    assert untrained["best"] == last["best"]
    assert last["chosen"] > untrained["chosen"] + 0.02
    assert last["shortest"] <= last["best"]
    assert {"step", "loss", "seconds", "expected", "regression"} <= last.keys()


def test_the_checkpoint_is_a_guided_model(short: CriticRecipe, tmp_path: Path) -> None:
    path = train(short, tmp_path, device="cpu", progress=False)
    model = load_model(path)
    assert isinstance(model, Guided)
    assert from_table(model.recipe or {}) == short
    values = np.array([[a, b] for a in (1, -1) for b in (1, -1)] * 4)
    episode = Episode(values, np.where(values.min(1) > 0, 1, -1))
    assert induce(episode, model).model == "guided + refine"


def test_a_fit_that_was_cut_off_goes_on(
    short: CriticRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(short, tmp_path / "whole")
    real, steps = critic.expected_accuracy, iter(range(100))

    def cut(logits: torch.Tensor, pools: Pools) -> torch.Tensor:
        if next(steps) == 4:
            raise KeyboardInterrupt
        return real(logits, pools)

    monkeypatch.setattr(critic, "expected_accuracy", cut)
    with pytest.raises(KeyboardInterrupt):
        run(short, tmp_path / "cut")
    assert not (tmp_path / "cut" / "checkpoint").exists()
    assert equal(run(short, tmp_path / "cut"), whole)
    lines = [run_state.read_metrics(tmp_path / name) for name in ("whole", "cut")]
    assert [row["step"] for row in lines[1]] == [2, 4, 6]
    for first, second in zip(*lines, strict=True):
        assert first | {"seconds": 0} == second | {"seconds": 0}


def test_a_fresh_critic_sees_features_of_mean_0_and_spread_1() -> None:
    pools = some_pools((40, 30, 30))
    fresh = fresh_critic(0, pools.facts)
    features = critic_features(Facts(*pools.facts.unbind(-1)))
    standard = (features - fresh.center) / fresh.spread
    assert torch.allclose(standard.mean(0), torch.zeros(1).double(), atol=1e-9)
    assert torch.allclose(standard.std(0, correction=0), torch.ones(1).double(), atol=1e-4)
    again, other = fresh_critic(0, pools.facts), fresh_critic(1, pools.facts)
    assert equal(fresh.state_dict(), again.state_dict())
    assert not equal(fresh.state_dict(), other.state_dict())


def test_a_critic_needs_a_guided_network(short: CriticRecipe, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="--init FOLDER"):
        run(replace(short, init=None), tmp_path)
    with pytest.raises(CheckpointError, match="tensors do not match the model"):
        run(replace(short, model=CriticRecipe("x", GUIDED, "critic").model), tmp_path)
    config = json.loads((folder / checkpoint.CONFIG).read_text()) | {"condition": "gnri"}
    other = tmp_path / "other"
    other.mkdir()
    (other / checkpoint.CONFIG).write_text(json.dumps(config))
    (other / checkpoint.WEIGHTS).write_bytes((folder / checkpoint.WEIGHTS).read_bytes())
    with pytest.raises(CheckpointError, match="holds weights of 'gnri'"):
        run(replace(short, init=str(other)), tmp_path)
    assert not (tmp_path / "tasks").exists()


def test_the_command_draws_and_fits(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = ["train", str(RECIPES / "critic-tiny.toml"), "--out", str(out), "--device", "cpu"]
    quick = [word for setting in QUICK for word in ("--set", setting)]
    missing = CliRunner().invoke(app, [*command, *quick])
    assert missing.exit_code != 0
    assert "--init FOLDER" in missing.output
    assert "Traceback" not in missing.output
    found = CliRunner().invoke(app, [*command, *quick, "--init", str(folder), "--jobs", "1"])
    assert found.exit_code == 0, found.output
    assert "tasks 8/8" in found.output
    assert "chosen" in found.output
    assert isinstance(load_model(out / "checkpoint"), Guided)
    assert CliRunner().invoke(app, [*command, "--jobs", "0"]).exit_code != 0
