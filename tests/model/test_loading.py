"""Models by name and by folder."""

import re
import socket
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from gnri.episode import Episode
from gnri.errors import CheckpointError
from gnri.induction import induce
from gnri.model.load import load_model
from gnri.model.nri.nri import NRI, Network
from gnri.model.paper_export import canonical_export
from gnri.rules.dnf import SignedDNF
from studies.paper.baseline_networks import (
    CONDITIONS,
    WEIGHTS_OF,
    ConditionInducer,
    load_condition,
)
from studies.training.checkpoints import save_checkpoint
from tests.model import guided_cases
from tests.model.cases import SMALL, fair_episode, random_network

TINY = Path(__file__).parents[1] / "data" / "tiny-model"


def saved(folder: Path, condition: str) -> Path:
    network = random_network(condition)
    tensors = network.arrays()
    return save_checkpoint(folder, asdict(SMALL), condition, tensors, extra={})


def accuracy(model: NRI, episodes: list[Episode]) -> float:
    """Share of the rows that the exported rules label right; to abstain is to say no."""
    right = []
    for episode in episodes:
        rule = canonical_export(model(episode), episode).rule or SignedDNF()
        right.append((rule.evaluate(episode.values) == episode.labels).mean())
    return float(np.mean(right))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)


@pytest.mark.usefixtures("no_network")
def test_the_shipped_model_loads_and_induces():
    model = load_model("gnri")
    assert (model.name, type(model.network)) == ("gnri", Network)
    assert len(model.sha256) == 64
    assert accuracy(model, [fair_episode(12, 40, seed=seed) for seed in range(10)]) > 0.75


def test_a_named_model_is_read_once_for_each_precision():
    assert load_model("gnri") is load_model("gnri")
    single, double = load_model("gnri"), load_model("gnri", dtype=np.float64)
    assert single.network.decoder.queries.dtype == np.float32
    assert double.network.decoder.queries.dtype == np.float64
    episode = fair_episode(12, 40)
    assert np.abs(single(episode).literals - double(episode).literals).max() < 1e-3


@pytest.mark.parametrize("name", ["nri", "eqarch", "+tta", "+export"])
def test_an_untrained_condition_says_how_to_train_it(name):
    with pytest.raises(CheckpointError) as raised:
        load_model(name)
    trained, said = "nri" if name == "nri" else "eqarch", str(raised.value)
    assert f"`python -m studies train recipes/{trained}.toml --out runs/{trained}`" in said
    assert f"{load_condition.__module__}.{load_condition.__name__}" in said
    assert (Path(__file__).parents[2] / "recipes" / f"{trained}.toml").is_file()


def test_an_unknown_name_is_an_error_of_ours():
    with pytest.raises(
        CheckpointError, match=r"bundled one \(gnri, gnri-wide, guided\) or .* got 'nonsense'"
    ):
        load_model("nonsense")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_folder_is_read_under_the_condition_it_was_trained_for(tmp_path, condition):
    network, sha256 = load_condition(saved(tmp_path, condition))
    assert (len(sha256), network.condition) == (64, CONDITIONS[condition])
    model = ConditionInducer(network, condition)
    assert model(fair_episode(6, 20)).literals.std() > 0
    assert induce(fair_episode(6, 20), model).model == f"{condition} + refine"
    if condition.startswith("gnri"):
        assert load_model(tmp_path)(fair_episode(6, 20)) == model(fair_episode(6, 20))
    else:
        with pytest.raises(CheckpointError, match=re.escape(f"'{condition}' is a baseline")):
            load_model(tmp_path)


@pytest.mark.parametrize("condition", ["eqarch", "+tta", "+export"])
def test_the_evaluation_conditions_read_the_weights_of_eqarch(tmp_path, condition):
    assert WEIGHTS_OF[condition] == "eqarch"
    network, _ = load_condition(saved(tmp_path, "eqarch"), condition)
    assert network.condition == CONDITIONS[condition]
    wanted = random_network("eqarch").state_dict()
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, wanted[name].float())


@pytest.mark.parametrize(("trained", "asked"), [("eqarch", "gnri"), ("gnri", "nri")])
def test_weights_are_not_read_under_a_foreign_condition(tmp_path, trained, asked):
    with pytest.raises(CheckpointError, match=f"weights of {trained}, which {asked} does not use"):
        load_condition(saved(tmp_path, trained), asked)


def test_a_condition_nobody_knows_is_refused(tmp_path):
    folder = saved(tmp_path, "gnri")
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"gnri"', '"later"'))
    with pytest.raises(CheckpointError, match="no condition is called 'later'; upgrade gnri"):
        load_model(folder)


@pytest.mark.parametrize("change", [{"slots": 5}, {"layers": 3}, {"width": -1}, {"heads": 5}])
def test_settings_that_do_not_fit_the_weights_are_refused(tmp_path, change):
    network = random_network("gnri")
    settings = asdict(SMALL) | change
    tensors = network.arrays()
    folder = save_checkpoint(tmp_path, settings, "gnri", tensors, extra={})
    with pytest.raises(CheckpointError):
        load_model(folder)


@pytest.mark.parametrize(
    ("condition", "change", "message"),
    [
        ("guided", {"heads": 3}, "model.width must be a multiple of model.heads, got 16 and 3"),
        ("guided", {"layers": 0}, "model.layers must be a whole number from 1 up, got 0"),
        ("guided", {"anchors": 0}, "model.anchors must be a whole number from 1 up, got 0"),
        ("guided", {"anchors": 6.0}, "model.anchors must be a whole number from 1 up, got 6.0"),
        ("gnri", {"heads": 3}, "model.width must be a multiple of model.heads, got 32 and 3"),
        ("gnri", {"heads": True}, "model.heads must be a whole number from 1 up, got True"),
        ("gnri", {"pairs": "x"}, "model.pairs must be a whole number from 1 up, got 'x'"),
        ("gnri", {"pairs": 0}, "model.pairs must be a whole number from 1 up, got 0"),
        ("gnri", {"content_width": None}, "model.content_width must be a whole number from 1 up"),
        ("gnri", {"slots": 4.0}, "model.slots must be a whole number from 1 up, got 4.0"),
        ("gnri", {"dropout": "0"}, "model.dropout must be a number from 0 to 1, got '0'"),
        ("gnri", {"dropout": 2}, "model.dropout must be a number from 0 to 1, got 2"),
    ],
)
def test_settings_that_no_model_can_compute_with_are_refused(tmp_path, condition, change, message):
    module, config = random_network("gnri"), SMALL
    if condition == "guided":
        module, config = guided_cases.random_module(0), guided_cases.SMALL
    tensors = module.arrays()
    save_checkpoint(tmp_path, asdict(config), condition, tensors, extra={})
    assert load_model(tmp_path).name == condition
    save_checkpoint(tmp_path, asdict(config) | change, condition, tensors, extra={})
    with pytest.raises(CheckpointError, match=f"no model can be built from it: {message}"):
        load_model(tmp_path)


@pytest.mark.parametrize("fill", [0.0, 3e38, -3e38])
@pytest.mark.parametrize("condition", ["gnri", "guided"])
def test_finite_weights_give_a_rule_or_one_line(tmp_path, condition, fill):
    """Each array in turn is filled with a number; a warning of NumPy is an error here."""
    module, config = random_network("gnri"), SMALL
    if condition == "guided":
        module, config = guided_cases.random_module(0), guided_cases.SMALL
    tensors, refused = module.arrays(), []
    for name, tensor in tensors.items():
        changed = tensors | {name: np.full_like(tensor, fill)}
        save_checkpoint(tmp_path, asdict(config), condition, changed, extra={})
        try:
            induce(fair_episode(6, 20), load_model(tmp_path))
        except CheckpointError as error:
            assert "the weights of the model give NaN or infinity" in str(error)
            refused.append(name)
    if condition == "gnri":
        assert len(refused) > 10 if fill else not refused
    else:
        assert refused == ([] if fill else ["critic.spread"])


def test_the_tiny_model_is_small_and_half_precision():
    sizes = [file.stat().st_size for file in TINY.iterdir()]
    assert sum(sizes) <= 100_000
    assert '"dtype": "F16"' in (TINY / "config.json").read_text()


def test_the_tiny_model_has_learned_something():
    """Its recipe is recipes/tiny.toml: rules of one or two literals over 4 to 6 atoms."""
    rng = np.random.default_rng(0)
    tables = [rng.choice([-1, 1], (24, 5)) for _ in range(20)]
    episodes = [Episode(values, np.minimum(values[:, 0], -values[:, 3])) for values in tables]
    assert accuracy(load_model(TINY), episodes) > 0.8


def test_a_condition_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CheckpointError, match="which nonsense does not use"):
        load_condition(TINY, "nonsense")
