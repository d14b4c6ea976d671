import json
from dataclasses import asdict, replace
from math import exp
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from gnri import induce, load_model
from gnri.cli import app
from gnri.counts.table import tabulate
from gnri.episodes.episode import Episode
from gnri.errors import CheckpointError, RecipeError
from gnri.induction import candidates
from gnri.model import checkpoint
from gnri.model.guided.choice import shortlist
from gnri.model.guided.critic import Facts, critic_features
from gnri.model.guided.inducer import Guided
from gnri.model.loading import GUIDED
from gnri.train import metrics
from gnri.train.distributed import World
from gnri.train.guided import critic, critic_tasks
from gnri.train.guided.critic import Fitting, expected_accuracy, figures, fresh_critic, split, train
from gnri.train.guided.critic_recipe import CriticPrior, CriticRecipe
from gnri.train.guided.critic_tasks import Pools, Task, draw_pool, draw_pools, draw_task
from gnri.train.guided.loop import build
from gnri.train.recipe import from_table, load_recipe, with_overrides

RECIPES = Path(__file__).parents[2] / "recipes"
BASE = {"name": "test", "condition": GUIDED, "trains": "critic"}
QUICK = ["prior.tasks=8", "train.steps=6", "train.save_every=3", "train.evaluate_every=2"]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoint of an untrained network of the tiny size."""
    recipe = load_recipe(RECIPES / "guided-tiny.toml")
    path = tmp_path_factory.mktemp("guided")
    weights = build(recipe).state_dict()
    return checkpoint.save(path, asdict(recipe.model), GUIDED, weights, extra={"recipe": {}})


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


def run(recipe: CriticRecipe, out: Path) -> dict[str, torch.Tensor]:
    return load_file(train(recipe, out, device="cpu", progress=False) / checkpoint.WEIGHTS)


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


def same_task(first: Task, second: Task) -> bool:
    arrays = zip(first[1:], second[1:], strict=True)
    return first.episode == second.episode and all((a == b).all() for a, b in arrays)


def test_the_tiny_recipe_learns_to_choose(tiny: CriticRecipe, folder: Path, tmp_path: Path) -> None:
    weights, before = run(tiny, tmp_path), load_file(folder / checkpoint.WEIGHTS)
    changed = {name for name in weights if not torch.equal(weights[name], before[name])}
    assert changed == {name for name in weights if name.startswith("critic.")}
    last = metrics.read(tmp_path)[-1]
    pools = draw_pools(tiny, tmp_path / "tasks", jobs=1, shown=False)
    untrained = Fitting(tiny, build(tiny), pools).look()
    assert untrained["best"] == last["best"]
    assert last["chosen"] > untrained["chosen"] + 0.02
    assert last["shortest"] <= last["best"]
    assert {"step", "loss", "seconds", "expected", "regression"} <= last.keys()
    assert (tmp_path / metrics.CURVES).exists()


def test_the_checkpoint_is_a_guided_model(short: CriticRecipe, tmp_path: Path) -> None:
    path = train(short, tmp_path, device="cpu", progress=False)
    model = load_model(path)
    assert isinstance(model, Guided)
    assert from_table(model.recipe or {}) == short
    values = np.array([[a, b] for a in (1, -1) for b in (1, -1)] * 4)
    episode = Episode(values, np.where(values.min(1) > 0, 1, -1))
    assert induce(episode, model).model == "guided + refine"


@pytest.mark.usefixtures("small_pieces")
def test_a_drawing_that_was_cut_off_goes_on(
    short: CriticRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(short, tmp_path / "whole")
    real, drawn = critic_tasks.draw_task, []

    def cut(prior: CriticPrior, seed: int, number: int) -> Task:
        if number == 6 and 6 not in drawn:
            drawn.append(number)
            raise KeyboardInterrupt
        drawn.append(number)
        return real(prior, seed, number)

    monkeypatch.setattr(critic_tasks, "draw_task", cut)
    with pytest.raises(KeyboardInterrupt):
        run(short, tmp_path / "cut")
    assert len(list((tmp_path / "cut" / "tasks").iterdir())) == 1
    torch.rand(7)  # the caller's random numbers play no part
    assert equal(run(short, tmp_path / "cut"), whole)
    assert drawn == [0, 1, 2, 3, 4, 5, 6, *range(4, 8)]


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
    lines = [metrics.read(tmp_path / name) for name in ("whole", "cut")]
    assert [row["step"] for row in lines[1]] == [2, 4, 6]
    for first, second in zip(*lines, strict=True):
        assert first | {"seconds": 0} == second | {"seconds": 0}


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
def test_several_processes_draw_the_same(tiny: CriticRecipe, tmp_path: Path) -> None:
    found = [draw_pools(tiny, tmp_path / str(jobs), jobs=jobs, shown=False) for jobs in (1, 2)]
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)


def test_a_task_is_a_function_of_prior_seed_and_number() -> None:
    prior = CriticPrior(atoms=(4, 9), rows=(10, 40), fresh_rows=30)
    tasks = [draw_task(prior, 1, number) for number in range(60)]
    for number in (59, 0, 30):
        torch.rand(3)
        assert same_task(draw_task(prior, 1, number), tasks[number])
    assert not same_task(draw_task(prior, 2, 0), tasks[0])
    assert not same_task(tasks[0], tasks[1])
    assert {task.episode.atoms for task in tasks} == set(range(4, 10))
    assert all(10 <= task.episode.rows <= 40 for task in tasks)
    assert all(len(task.values) == len(task.labels) == 30 for task in tasks)
    assert any((task.values == 0).any() for task in tasks)


def test_only_the_labels_that_are_shown_are_noisy() -> None:
    clean = CriticPrior(atoms=(4, 9), rows=(200, 200), fresh_rows=30, noisy=0)
    noisy = replace(clean, noisy=1)
    shares = []
    for number in range(40):
        one, other = draw_task(clean, 0, number), draw_task(noisy, 0, number)
        assert (one.episode.values == other.episode.values).all()
        assert (one.values == other.values).all()
        assert (one.labels == other.labels).all()
        shares.append((one.episode.labels != other.episode.labels).mean())
    assert max(shares) < 0.4
    assert np.mean(shares) == pytest.approx(0.15, abs=0.04)


def test_a_pool_holds_what_induce_weighs_and_how_it_does_on_fresh_rows() -> None:
    model = load_model("guided")
    assert isinstance(model, Guided)
    prior = CriticPrior(atoms=(5, 8), rows=(20, 40), fresh_rows=50)
    for number in range(4):
        task = draw_task(prior, 3, number)
        table = tabulate(task.episode)
        assert table.decidable
        judge, pool = model.judge(table), draw_pool(model, task)
        pooled = candidates(judge)
        rules = list(dict.fromkeys((c.rail, c.clauses) for c in pooled))
        lengths = {(c.rail, c.clauses): c.length for c in pooled}
        enough = {(c.rail, c.clauses) for c in shortlist(pooled)}
        assert pool.sizes.tolist() == [len(rules)]
        assert pool.facts.tolist() == [judge.facts(*rule) for rule in rules]
        assert pool.length.tolist() == [lengths[rule] for rule in rules]
        assert pool.short.tolist() == [rule in enough for rule in rules]
        written = [{w.clauses for w in reading.rules} for reading in judge.readings]
        assert pool.written.tolist() == [rule in written[rail] for rail, rule in rules]
        for (rail, clauses), accuracy in zip(rules, pool.accuracy.tolist(), strict=True):
            rule = table.rule(rail, clauses)
            said = [
                any(all(row[a] == (1 if s else -1) for a, s in clause) for clause in rule.clauses)
                for row in task.values
            ]
            right = [
                hit == (label == (rail == 0)) for hit, label in zip(said, task.labels, strict=True)
            ]
            assert accuracy == pytest.approx(np.mean(right))


def test_a_table_without_a_choice_has_an_empty_pool() -> None:
    model = load_model("guided")
    assert isinstance(model, Guided)
    task = Task(Episode([[1], [-1]], [1, 1]), np.ones((3, 1), np.int8), np.ones(3, bool))
    pool = draw_pool(model, task)
    assert pool.sizes.tolist() == [0]
    assert pool.facts.shape == (0, len(Facts._fields))


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


def test_take_gives_the_pools_of_the_tasks_in_any_order() -> None:
    pools = some_pools((3, 1, 0, 2))
    taken = pools.take(torch.tensor([3, 0, 3, 2]))
    assert taken.sizes.tolist() == [2, 3, 2, 0]
    places = [4, 5, 0, 1, 2, 4, 5]
    for part, whole in zip(taken[:-1], pools[:-1], strict=True):
        assert torch.equal(part, whole[places])


def test_expected_accuracy_is_that_of_a_rule_drawn_by_softmax() -> None:
    pools = some_pools()
    logits = torch.randn(10, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    wanted, start = [], 0
    for size in pools.sizes.tolist():
        part = range(start, start + size)
        weights = [exp(logits[i].item()) for i in part]
        right = [weight * pools.accuracy[i].item() for weight, i in zip(weights, part, strict=True)]
        wanted.append(sum(right) / sum(weights))
        start += size
    assert expected_accuracy(logits, pools).item() == pytest.approx(np.mean(wanted))


@pytest.mark.parametrize("seed", range(5))
def test_figures_agree_with_a_slow_choice(seed: int) -> None:
    pools = some_pools((3, 1, 4, 6), seed=seed)
    worths = torch.randn(14, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    chosen, shortest, best, start = [], [], [], 0
    for size in pools.sizes.tolist():
        part = range(start, start + size)
        chosen.append(max((i for i in part if pools.short[i]), key=lambda i: worths[i]))
        shortest.append(min((i for i in part if pools.written[i]), key=lambda i: pools.length[i]))
        best.append(max(part, key=lambda i: pools.accuracy[i]))
        start += size
    wanted = (pools.accuracy[places].mean().item() for places in (chosen, shortest, best))
    names = ("chosen", "shortest", "best")
    assert figures(worths, pools) == pytest.approx(dict(zip(names, wanted, strict=True)))


def test_a_tie_is_worth_the_mean_of_both() -> None:
    pools = some_pools((2,))._replace(accuracy=torch.tensor([0.2, 0.6], dtype=torch.float64))
    pools = pools._replace(short=torch.tensor([True, True]))
    assert figures(torch.zeros(2), pools)["chosen"] == pytest.approx(0.4)


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


def test_the_last_tasks_are_held_out_and_empty_ones_left_out() -> None:
    pools = some_pools((3, 0, 1, 4, 0, 2))
    fitted, held_out = split(pools, 0.25)
    assert (fitted.sizes.tolist(), held_out.sizes.tolist()) == ([3, 1, 4], [2])
    assert torch.equal(torch.cat([fitted.facts, held_out.facts]), pools.facts)
    with pytest.raises(RecipeError, match=r"1 tasks have rules.*raise prior\.tasks"):
        split(some_pools((3,)), 0.25)


def test_a_critic_needs_a_guided_network(short: CriticRecipe, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="--init FOLDER"):
        run(replace(short, init=None), tmp_path)
    with pytest.raises(CheckpointError, match="tensors are not the model's"):
        run(replace(short, model=CriticRecipe("x", GUIDED, "critic").model), tmp_path)
    config = json.loads((folder / checkpoint.CONFIG).read_text()) | {"condition": "gnri"}
    other = tmp_path / "other"
    other.mkdir()
    (other / checkpoint.CONFIG).write_text(json.dumps(config))
    (other / checkpoint.WEIGHTS).write_bytes((folder / checkpoint.WEIGHTS).read_bytes())
    with pytest.raises(CheckpointError, match="holds weights of 'gnri'"):
        run(replace(short, init=str(other)), tmp_path)
    assert not (tmp_path / "tasks").exists()


@pytest.mark.usefixtures("small_pieces")
def test_tasks_of_another_recipe_or_network_are_not_used(
    short: CriticRecipe, folder: Path, tmp_path: Path
) -> None:
    run(short, tmp_path)
    with pytest.raises(CheckpointError, match="drawn by another recipe or network"):
        run(replace(short, seed=1), tmp_path)
    weights = load_file(folder / checkpoint.WEIGHTS)
    weights["belief.bias"] += 1
    other = checkpoint.save(
        tmp_path / "other", asdict(short.model), GUIDED, weights, extra={"recipe": {}}
    )
    with pytest.raises(CheckpointError, match="drawn by another recipe or network"):
        run(replace(short, init=str(other)), tmp_path)
    piece = next((tmp_path / "tasks").iterdir())
    piece.write_bytes(piece.read_bytes()[:-9])
    with pytest.raises(CheckpointError, match=r"cannot be read.*delete it to draw it again"):
        run(short, tmp_path)


def test_several_training_processes_are_refused(
    short: CriticRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two(recipe, begin, out, **_):
        begin(World(0, 2, torch.device("cpu")))

    monkeypatch.setattr(critic, "run", two)
    with pytest.raises(RecipeError, match="without torchrun"):
        train(short, tmp_path, device="cpu", progress=False)


def test_the_recipe_is_that_of_the_defaults() -> None:
    assert load_recipe(RECIPES / "critic.toml") == CriticRecipe("critic", GUIDED, "critic")


def test_the_tiny_recipe_is_of_the_size_of_the_tiny_network() -> None:
    critic_tiny, guided_tiny = (
        load_recipe(RECIPES / f"{name}.toml") for name in ("critic-tiny", "guided-tiny")
    )
    assert critic_tiny.model == guided_tiny.model


def test_a_recipe_survives_json(short: CriticRecipe) -> None:
    assert from_table(json.loads(json.dumps(short.to_json()))) == short


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
