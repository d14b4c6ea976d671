"""The same table gets the same rule: from a kept file, and however it is asked for."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gnri.model.load import load_model
from gnri.rules.syntax import parse
from studies.results import read
from tests.reliability.determinism import KERNELS, MODELS, RESULTS, Elsewhere, compared, page, ways
from tests.reliability.goldens import COUNT, given, kept
from tests.reliability.goldens import MODELS as SHIPPED
from tests.reliability.tasks import tasks


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_checkpoint_gives_the_kept_rules(name: str) -> None:
    golden, found = kept()[name], given(name)
    assert golden["sha256"] == found["sha256"], (
        f"the weights of {name} are new; if they are meant to be, run "
        "python -m tests.reliability.goldens and look at what changed"
    )
    assert found == golden
    assert len(found["refined"]) == COUNT


def test_every_shipped_checkpoint_has_kept_rules() -> None:
    import gnri

    (folder,) = gnri.__path__
    assert {path.name for path in (Path(folder) / "weights").iterdir()} == set(kept())


def test_the_kept_rules_are_rules_and_differ() -> None:
    for golden in kept().values():
        rules = [rule for rule in golden["refined"] if rule != "None"]
        assert len(set(rules)) > COUNT / 2
        assert all(parse(rule).clauses for rule in rules)


@pytest.mark.parametrize("model", MODELS)
def test_however_it_is_asked_for_the_rule_is_the_same(model: str) -> None:
    episodes = tasks(3, seed=2)
    for way, same in compared(
        episodes, ways(*MODELS[model], "cpu", 2, KERNELS[:1], [sys.executable])
    ):
        assert same == len(episodes), way


@pytest.mark.parametrize("model", MODELS)
def test_a_network_elsewhere_is_asked_and_answers_here(model: str) -> None:
    """The way to a GPU, tried with the only device that is always there."""
    name, _ = MODELS[model]
    elsewhere = ways(*MODELS[model], "cpu:0")
    assert list(elsewhere) == ["alone, 1 thread", "torch, cpu:0"]
    assert [same for _, same in compared(tasks(2, seed=3), elsewhere)] == [2]
    assert not isinstance(load_model(name).network, Elsewhere)  # the one that others hold


def test_elsewhere_moves_arrays_and_leaves_the_rest() -> None:
    class Numbers:
        size = 3

        def double(self, values: Any) -> Any:
            assert isinstance(values, torch.Tensor)
            return 2 * values

    proxy: Any = Elsewhere(Numbers(), Numbers(), "cpu")
    assert proxy.size == 3
    assert isinstance(proxy.double(np.ones(2)), np.ndarray)


def test_tasks_are_the_same_every_time_and_of_many_shapes() -> None:
    one, other = tasks(30, seed=0), tasks(30, seed=0)
    assert all(np.array_equal(a.values, b.values) for a, b in zip(one, other, strict=True))
    assert len({episode.values.shape for episode in one}) > 20
    assert any((episode.values == 0).any() for episode in one)


def test_the_committed_figures_are_whole_and_all_the_same() -> None:
    rows = read(RESULTS / "determinism.csv")
    assert rows
    assert (RESULTS / "determinism.md").read_text(encoding="utf-8") == page(rows)
    for row in rows:
        assert (row["tasks"], row["same"]) == ("500", "500"), row
