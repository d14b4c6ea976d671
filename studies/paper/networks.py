"""The paper's networks as studies read them: weights, conditions, many episodes at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gnri.episode import Episode
from gnri.errors import CheckpointError
from gnri.estimator.cross_validation import Values
from gnri.model.layers import fits_gpu
from gnri.model.paper_export import UNIT, ExportResult, canonical_export, soft_truth
from gnri.scores import Scores
from studies.paper.baseline_networks import (
    CONDITIONS,
    WEIGHTS_OF,
    Condition,
    ConditionInducer,
    ConditionNetwork,
    average_prediction,
    dual_rail_export,
    export_of,
    load_condition,
    native_export,
)
from studies.study import Context
from studies.training import soft_logic
from studies.training.batch import Batch

SHIPPED = "shipped"  # in place of a seed: the weights that come with the package
WIDE = "gnri-wide"  # ours, beside the conditions of the paper's protocol


def folder_of(context: Context, condition: str, seed: str | int) -> Path:
    """Return the folder of a condition's weights, for a seed of the sweep or bundled."""
    weights = WEIGHTS_OF[condition]
    if str(seed) == SHIPPED:
        with as_file(files("gnri") / "weights" / weights) as bundled:
            return bundled
    run = context.checkpoints / f"{weights}-{seed}"
    if not (run / "checkpoint").is_dir():
        recipe = f"recipes/{'' if weights == WIDE else 'sweep/'}{weights}.toml"
        raise CheckpointError(
            f"there are no weights in {run / 'checkpoint'}; train them with "
            f"`python -m studies train {recipe} --seed {seed} --out {run}`"
        )
    return run / "checkpoint"


def network_of(context: Context, condition: str, seed: str | int) -> tuple[ConditionNetwork, str]:
    """Return the network of a condition on the device of `context`, and its checksum."""
    folder = folder_of(context, condition, seed)
    return _network(folder.resolve(), condition, context.device)


@lru_cache(maxsize=4)  # a worker goes through the pieces of one checkpoint after another
def _network(folder: Path, condition: str, device: str) -> tuple[ConditionNetwork, str]:
    network, checksum = load_condition(folder, condition)
    return network.eval().requires_grad_(False).to(device), checksum[:12]


def train_tiny(context: Context) -> None:
    """Train networks of a few seconds in place of those of the sweep, for `--tiny`."""
    from studies.training import train
    from studies.training.recipe import load_recipe, with_overrides

    sweep = context.protocol.section("sweep")
    tiny = load_recipe(Path(__file__).parents[2] / "recipes" / "tiny.toml")
    for condition, seed in product(sweep.conditions, sweep.seeds):
        folder = context.checkpoints / f"{condition}-{seed}"
        if not (folder / "checkpoint").is_dir():
            own = [f"name={condition}", f"condition={condition}", f"seed={seed}"]
            recipe = with_overrides(tiny, [*own, "train.steps=12", "train.batch_size=32"])
            train(recipe, folder, device=context.device, progress=False)


KEPT = 4  # recordings of a network; each holds the memory of its steps


class RailScores(NamedTuple):
    """Probabilities on the rails that read the labels as given and swapped, in float64."""

    literals: Tensor  # (batch, 2 rails, slots, atoms, 2)
    gates: Tensor  # (batch, 2 rails, slots)


class Recording(NamedTuple):
    """Steps that read `batch` and write `scores`, always in the same place."""

    graph: torch.cuda.CUDAGraph
    batch: Batch
    scores: RailScores


_recordings: WeakKeyDictionary[ConditionNetwork, dict[tuple[object, ...], Recording | None]] = (
    WeakKeyDictionary()
)


@torch.inference_mode()
def rail_scores(network: ConditionNetwork, batch: Batch) -> RailScores:
    """Return what a frozen network says of each table, on its device.

    From a GPU it is good until the next answer of the same shape. The first tables of a shape are
    read step by step, which makes ready what steps share.
    """
    weights = network.decoder.queries
    # Content keys copy weights, and a recording holds the memory of its steps: too much of it for
    # many tables at once.
    fixed = len(batch) == 1 and not (network.training or network.condition.content_keys)
    if not (fixed and fits_gpu(weights, 2, 2 * batch.values.shape[2])):
        return step_by_step(network, batch.to(weights.device))
    known = _recordings.setdefault(network, {})
    # Of other weights, at another place, nothing is known.
    key = (weights.data_ptr(), weights.dtype, batch.values.shape)
    if key not in known:
        known[key] = None
        return step_by_step(network, batch.to(weights.device))
    found = known.pop(key) or _record(network, batch.to(weights.device))
    known[key] = found  # the latest is the last
    for other in list(known)[:-KEPT]:
        del known[other]
    found.batch.values.copy_(batch.values)
    found.batch.labels.copy_(batch.labels)
    found.graph.replay()
    return found.scores


def step_by_step(network: ConditionNetwork, batch: Batch) -> RailScores:
    """Return the same without a recording."""
    chances = (torch.sigmoid(part.double()) for part in network(batch.both_rails()))
    return RailScores(*(torch.stack(part.chunk(2), 1) for part in chances))


def _record(network: ConditionNetwork, batch: Batch) -> Recording:
    graph, own = torch.cuda.CUDAGraph(), Batch(batch.values.clone(), batch.labels.clone())
    with torch.cuda.graph(graph):
        scores = step_by_step(network, own)
    return Recording(graph, own, scores)


CELLS = 2**25  # pair scores held at once on the device: eight episodes of 1,024 atoms


class Predictions(NamedTuple):
    """R(X, Y) and R(X, 1 - Y) on each row, (batch, rows) in float64 on the CPU."""

    given: Tensor
    swapped: Tensor

    def of(self, condition: Condition, *, swapped: bool = False) -> Tensor:
        """Return what the condition predicts: the rail itself, or the average of Equation 1."""
        here, there = (self.swapped, self.given) if swapped else (self.given, self.swapped)
        return (here + 1 - there) / 2 if condition.label_average else here

    def labels(self, condition: Condition) -> Tensor:
        """Return the predicted label of each row, +1 or -1.

        R_avg >= 1/2 is read as R(X, Y) >= R(X, 1 - Y): far beyond the trained width both can be
        smaller than the rounding of 1/2.
        """
        above = self.swapped if condition.label_average else torch.full_like(self.given, 0.5)
        return torch.where(self.given >= above, 1, -1)


def scores_of(network: ConditionNetwork, batch: Batch) -> list[Scores]:
    """Return the scores of each episode, on both rails."""
    found = []
    for scores, _ in _read_chunks(network, batch):
        pairs = (part.cpu().numpy() for part in scores)
        found += [Scores(*both) for both in zip(*pairs, strict=True)]
    return found


def predictions_of(network: ConditionNetwork, batch: Batch) -> Predictions:
    """Return the soft predictions for each episode's own rows."""
    rails = []
    for scores, part in _read_chunks(network, batch):
        values = part.values.to(scores.gates.device)
        both = zip(scores.literals.unbind(1), scores.gates.unbind(1), strict=True)
        rails.append(torch.stack([soft_logic.soft_truth(*rail, values).cpu() for rail in both]))
    return Predictions(*torch.cat(rails, 1))


def _read_chunks(network: ConditionNetwork, batch: Batch) -> Iterator[tuple[RailScores, Batch]]:
    """Yield the scores chunk by chunk, with the episodes of each chunk."""
    chunk = max(1, CELLS // (2 * batch.values.shape[2]) ** 2)
    for start in range(0, len(batch), chunk):
        part = Batch(batch.values[start : start + chunk], batch.labels[start : start + chunk])
        yield rail_scores(network, part), part


def inducer_of(context: Context, condition: str, seed: str | int) -> ConditionInducer:
    """Return the network of a condition and seed as it answers one table, on the CPU."""
    network, checkpoint = network_of(replace(context, device="cpu"), condition, seed)
    return ConditionInducer(network, condition, checkpoint)


def signal(condition: Condition, scores: Scores, values: Values) -> NDArray[np.int64]:
    """Return the soft prediction of each row, at least zero where it is for the positive class."""
    given, swapped = soft_truth(scores, values)
    return given - swapped if condition.label_average else 2 * given - UNIT


Export = Callable[[Scores, Episode], ExportResult]


@dataclass(frozen=True, slots=True)
class Variant:
    """Whose weights, by which export, and whether the forward pass cuts ties by index."""

    condition: str
    export: Export
    native_forward: bool = False


VARIANTS = {
    "gnri": Variant("gnri", canonical_export),
    WIDE: Variant(WIDE, export_of(CONDITIONS[WIDE])),
    "native forward": Variant("gnri", canonical_export, native_forward=True),
    "dual rail": Variant("gnri", dual_rail_export),
    "native decode": Variant("gnri", native_export),
    "eqarch": Variant("eqarch", native_export),
    "nri": Variant("nri", native_export),
    "nri + canonical decode": Variant("nri", canonical_export),
}


@dataclass(frozen=True)
class ScoredModel:
    """Scores and an export as something that answers episodes: by a rule, and row by row."""

    scores: Callable[[Episode], Scores]
    export: Export
    averaged: bool = True  # whether rows are answered by Equation 1, or by one rail alone

    def __call__(self, episode: Episode) -> ExportResult:
        return self.export(self.scores(episode), episode)

    def predict(self, episode: Episode) -> NDArray[np.float64]:
        """Return the probability of the positive class for each row."""
        if self.averaged:
            return average_prediction(self.scores(episode), episode)
        return soft_truth(self.scores(episode), episode.values)[0] / UNIT


def model_of(network: ConditionNetwork, export: Export, *, plain: bool = False) -> ScoredModel:
    """Return a network with an export.

    An equivariant forward reads each episode in an order that no symmetry can change (`NRI`),
    so it runs on the CPU, one episode at a time; a `plain` one reads it as it comes.
    """
    inducer = ConditionInducer(network, "", plain=plain)
    kept = lru_cache(maxsize=1)(inducer.__call__)  # rule and prediction need the same scores
    return ScoredModel(kept, export, network.condition.label_average)


def load_variant(context: Context, name: str, seed: str | int) -> tuple[ScoredModel, str]:
    """Return a variant with the weights of a seed, and the start of their checksum."""
    variant = VARIANTS[name]
    network, checkpoint = network_of(replace(context, device="cpu"), variant.condition, seed)
    return model_of(
        native(network) if variant.native_forward else network, variant.export
    ), checkpoint


def native(network: ConditionNetwork) -> ConditionNetwork:
    """Return the same weights in a forward pass without tie completion, as the baseline has it."""
    found = ConditionNetwork(network.config, replace(network.condition, tie_complete=False))
    found.load_state_dict(network.state_dict())
    return found.to(network.decoder.queries)
