"""How far a prediction moves when only the names of things change."""

import torch
from torch import Tensor

from gnri.model.nri.gram_statistics import Batch
from gnri.model.nri.nri import Network
from gnri.model.paper_export import export_of
from gnri.scores import Scores
from gnri.symmetry.audit_report import jaccard
from studies.benchmarks.results import Row
from studies.paper.reading import Predictions, predictions_of
from studies.paper.tasks import moves_of
from studies.training.streams import seeded


def max_devs(network: Network, batch: Batch, before: Predictions, draws: int) -> Row:
    """The largest change of a row's prediction, averaged over episodes and draws.

    Each draw reorders rows and atoms and negates atoms. One forward gives both rails, and with
    them the prediction for swapped labels; so the same draws serve B_N and, with the labels
    swapped, the combined symmetry.
    """
    generator = seeded("moves", batch.values.shape[2])
    kept, swapped = [], []
    expected = before.of(network.condition)
    for _ in range(draws):
        moves = moves_of(batch, generator=generator)
        moved = moves(batch)
        after = predictions_of(network, moved)
        here, shown = expected.gather(1, moves.rows), moved.labels != 0
        kept.append(_largest(after.of(network.condition) - here, shown))
        swapped.append(_largest(after.of(network.condition, swapped=True) - (1 - here), shown))
    return {"bn_max_dev": _mean(kept), "g_max_dev": _mean(swapped)}


def label_jaccard(network: Network, scores: list[Scores], batch: Batch) -> float:
    """Literals shared by the rule for swapped labels and the complement of the rule, on average.

    The scores for swapped labels are the same ones with the rails exchanged.
    """
    export = export_of(network.condition)
    found = []
    for index, given in enumerate(scores):
        rule = export(given, batch.episode(index)).rule
        other = export(
            Scores(given.literals[::-1], given.gates[::-1]), batch.swapped().episode(index)
        ).rule
        found.append(jaccard(None if rule is None else ~rule, other))
    return sum(found) / len(found)


def _largest(change: Tensor, shown: Tensor) -> Tensor:
    return (change.abs() * shown).amax(1)


def _mean(found: list[Tensor]) -> float:
    return float(torch.stack(found).mean())
