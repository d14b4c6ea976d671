"""The weights that studies read: those of the eight-seed sweep, and the bundled ones."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from gnri.errors import CheckpointError
from gnri.model.load import WEIGHTS_OF, load_network
from gnri.model.nri.config import ModelConfig
from gnri.model.nri.nri import Network
from studies.paper.study import Place
from studies.training.coin_tables import PriorConfig

if TYPE_CHECKING:
    from studies.training.recipe import Recipe

SHIPPED = "shipped"
"""In place of a seed: the weights that come with the package."""


def folder_of(place: Place, condition: str, seed: str | int) -> Path:
    """Where the weights that `condition` reads lie, for a seed of the sweep or the bundled ones."""
    weights = WEIGHTS_OF[condition]
    if str(seed) == SHIPPED:
        with as_file(files("gnri") / "weights" / weights) as bundled:
            return bundled
    run = place.checkpoints / f"{weights}-{seed}"
    if not (run / "checkpoint").is_dir():
        raise CheckpointError(
            f"there are no weights in {run / 'checkpoint'}; train them with "
            f"`python -m studies train recipes/sweep/{weights}.toml --seed {seed} --out {run}`"
        )
    return run / "checkpoint"


def network_of(place: Place, condition: str, seed: str | int) -> tuple[Network, str]:
    """The network of a condition on the device of `place`, and the start of its checksum."""
    folder = folder_of(place, condition, seed)
    return _network(folder.resolve(), condition, place.device)


@lru_cache(maxsize=4)  # a worker goes through the pieces of one checkpoint after another
def _network(folder: Path, condition: str, device: str) -> tuple[Network, str]:
    network, found = load_network(folder, condition=condition)
    return network.eval().requires_grad_(False).to(device), found.sha256[:12]


@dataclass(frozen=True)
class Sweep:
    """[sweep] of the protocol: which networks there are."""

    conditions: tuple[str, ...]
    seeds: tuple[int, ...]


def train_tiny(place: Place) -> None:
    """Weights for `--tiny`: networks of a few seconds in place of those of the sweep."""
    from studies.training.loop import train

    sweep = place.protocol.read("sweep", Sweep)
    for condition in sweep.conditions:
        for seed in sweep.seeds:
            folder = place.checkpoints / f"{condition}-{seed}"
            if not (folder / "checkpoint").is_dir():
                train(_tiny(condition, seed), folder, device=place.device, progress=False)


def _tiny(condition: str, seed: int) -> "Recipe":
    from studies.training.recipe import Recipe, TrainConfig

    return Recipe(
        name=condition,
        condition=condition,
        seed=seed,
        prior=PriorConfig(atoms=(4, 6), rows=(16, 24), clauses=(1, 2), literals=(1, 2)),
        model=ModelConfig(width=32, slots=4, layers=1, heads=2, pairs=4),
        train=TrainConfig(steps=12, batch_size=32, learning_rate=3e-3, warmup=4, evaluate_every=12),
    )
