"""Tasks and the rules to choose from, drawn for a critic."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from gnri import load_model
from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.errors import CheckpointError
from gnri.induction import candidates
from gnri.model import checkpoint
from gnri.model.guided.candidates import Guided, shortlist
from gnri.model.guided.critic import Facts
from gnri.model.load import GUIDED
from studies.training import critic_training as critic_tasks
from studies.training.checkpoints import save_checkpoint
from studies.training.critic_training import Task, draw_pool, draw_pools, draw_task
from studies.training.recipe import CriticPrior, CriticRecipe
from tests.studies.training.critic.cases import equal, run


def same_task(first: Task, second: Task) -> bool:
    arrays = zip(first[1:], second[1:], strict=True)
    return first.episode == second.episode and all((a == b).all() for a, b in arrays)


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
        table = Problem.from_episode(task.episode)
        assert table.is_learnable
        scorer, pool = model.scorer(table), draw_pool(model, task)
        pooled = candidates(scorer)
        rules = list(dict.fromkeys((c.rail, c.clauses) for c in pooled))
        lengths = {(c.rail, c.clauses): c.length for c in pooled}
        enough = {(c.rail, c.clauses) for c in shortlist(pooled)}
        assert pool.sizes.tolist() == [len(rules)]
        assert pool.facts.tolist() == [scorer.facts(*rule) for rule in rules]
        assert pool.length.tolist() == [lengths[rule] for rule in rules]
        assert pool.short.tolist() == [rule in enough for rule in rules]
        written = [proposal.rules for proposal in scorer.proposals]
        assert pool.written.tolist() == [rule in written[rail] for rail, rule in rules]
        for (rail, clauses), accuracy in zip(rules, pool.accuracy.tolist(), strict=True):
            rule = table.to_rule(rail, clauses)
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


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
def test_several_processes_draw_the_same(tiny: CriticRecipe, tmp_path: Path) -> None:
    found = [draw_pools(tiny, tmp_path / str(jobs), jobs=jobs, shown=False) for jobs in (1, 2)]
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)


@pytest.mark.usefixtures("small_pieces")
def test_tasks_of_another_recipe_or_network_are_not_used(
    short: CriticRecipe, folder: Path, tmp_path: Path
) -> None:
    run(short, tmp_path)
    with pytest.raises(CheckpointError, match="drawn by another recipe or network"):
        run(replace(short, seed=1), tmp_path)
    weights = load_file(folder / checkpoint.WEIGHTS)
    weights["belief.bias"] += 1
    other = save_checkpoint(
        tmp_path / "other", asdict(short.model), GUIDED, weights, extra={"recipe": {}}
    )
    with pytest.raises(CheckpointError, match="drawn by another recipe or network"):
        run(replace(short, init=str(other)), tmp_path)
    piece = next((tmp_path / "tasks").iterdir())
    piece.write_bytes(piece.read_bytes()[:-9])
    with pytest.raises(CheckpointError, match=r"cannot be read.*delete it to draw it again"):
        run(short, tmp_path)
