"""The scores of both rails from a GPU: recorded once for each shape of tables and played again.

An answer for one table is some hundred small steps, and to start each of them takes the processor
longer than the GPU takes to do it. A recording is started as one.
"""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from gnri.model.nri.gram_statistics import Batch
from gnri.model.nri.nri import Network
from gnri.model.threads import straight

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


_recordings: WeakKeyDictionary[Network, dict[tuple[object, ...], Recording | None]] = (
    WeakKeyDictionary()
)


@torch.inference_mode()
def rail_scores(network: Network, batch: Batch) -> RailScores:
    """What a frozen network says of each table, on its device.

    From a GPU it is good until the next answer of the same shape. The first tables of a shape are
    read step by step, which makes ready what steps share.
    """
    weights = network.decoder.queries
    if not _steps_are_fixed(network, batch):
        return _step_by_step(network, batch.to(weights.device))
    known = _recordings.setdefault(network, {})
    # Of other weights, at another place, nothing is known.
    key = (weights.data_ptr(), weights.dtype, batch.values.shape)
    if key not in known:
        known[key] = None
        return _step_by_step(network, batch.to(weights.device))
    found = known.pop(key) or _recorded(network, batch.to(weights.device))
    known[key] = found  # the latest is the last
    for other in list(known)[:-KEPT]:
        del known[other]
    found.batch.values.copy_(batch.values)
    found.batch.labels.copy_(batch.labels)
    found.graph.replay()
    return found.scores


def _step_by_step(network: Network, batch: Batch) -> RailScores:
    chances = (torch.sigmoid(part.double()) for part in network(batch.both_rails()))
    return RailScores(*(torch.stack(part.chunk(2), 1) for part in chances))


def _steps_are_fixed(network: Network, batch: Batch) -> bool:
    """Whether the steps are the same for all tables of this shape. Content keys copy weights."""
    size, _, atoms = batch.values.shape
    fixed = not (network.training or network.condition.content_keys)
    return fixed and straight(network.decoder.queries.device, 2 * size, 2 * atoms)


def _recorded(network: Network, batch: Batch) -> Recording:
    graph, own = torch.cuda.CUDAGraph(), Batch(batch.values.clone(), batch.labels.clone())
    with torch.cuda.graph(graph):
        scores = _step_by_step(network, own)
    return Recording(graph, own, scores)
