"""What the network buys and what its read-out buys: every condition by every read-out."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gnri.model.paper_export import HALF, PAPER, Decode, canonical_decode, canonical_export
from gnri.scores import Scores
from studies.markdown import markdown, spread_of
from studies.paper import PUBLISHED, episodes
from studies.paper.baseline_networks import dual_rail_export, native_decode, native_export
from studies.paper.networks import (
    SHIPPED,
    Export,
    Predictions,
    network_of,
    predictions_of,
    scores_of,
)
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study
from studies.training.batch import Batch


class ReadOut(NamedTuple):
    """How a label is read off the predictions of the rails, and a rule off their scores."""

    evidence: Callable[[Predictions], Tensor]  # at least 0 where it is for the positive class
    export: Export
    decode: Decode
    rails: int  # how many of them are decoded


def average(predictions: Predictions) -> Tensor:
    """Return Equation 1 in single precision, less one half."""
    return (predictions.given.float() + 1 - predictions.swapped.float()) / 2 - HALF


READ_OUTS = {
    "one rail": ReadOut(lambda p: p.given - HALF, native_export, native_decode, 1),
    "average": ReadOut(average, dual_rail_export, native_decode, 2),
    "compared": ReadOut(lambda p: p.given - p.swapped, canonical_export, canonical_decode, 2),
}


def pieces(settings: Settings) -> list[Piece]:
    """Return a piece for each network: the seeds, those of full batches, the bundled one."""
    seeds = [(name, seed) for name in settings.conditions for seed in settings.seeds]
    seeds += [(name, seed) for name in settings.full_conditions for seed in settings.full]
    seeds += [(name, SHIPPED) for name in settings.shipped]
    return [{"condition": name, "seed": seed} for name, seed in seeds]


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each width and read-out of a network."""
    settings = context.protocol.section("readouts")
    network, checkpoint = network_of(context, str(piece["condition"]), piece["seed"])
    rows: list[Row] = []
    for atoms in settings.atoms:
        drawn = episodes.synthetic_episodes(atoms, settings.episodes, settings.fresh_rows)[0]
        scores, found = scores_of(network, drawn.batch), predictions_of(network, drawn.batch)
        for name, read_out in READ_OUTS.items():
            figures = _figures(read_out, scores, read_out.evidence(found), atoms, settings)
            ties = tie_shares(read_out, scores)
            facts: Row = {"atoms": atoms, "readout": name}
            rows.append({**facts, **figures, **ties, "checkpoint": checkpoint})
    return rows


def _figures(
    read_out: ReadOut, scores: list[Scores], evidence: Tensor, atoms: int, settings: Settings
) -> Row:
    said = torch.where(evidence >= 0, 1, -1).to(torch.int8).numpy()

    def replies(batch: Batch) -> Iterable[episodes.Reply]:
        for index, given in enumerate(scores):
            yield read_out.export(given, batch.episode(index)).rule, said[index]

    found = episodes.each_figures(replies, atoms, settings.episodes, settings.fresh_rows)
    support, fidelity, covered = (np.asarray(column) for column in zip(*found, strict=True))
    labels = episodes.synthetic_episodes(atoms, settings.episodes, settings.fresh_rows)[
        0
    ].batch.labels
    shown = (labels != 0).numpy()
    return {
        "support_accuracy": float(support.mean()),
        "support_auc": ranked_right(evidence, labels),
        "yes": float((said[shown] > 0).mean()),
        "positive": float((labels.numpy()[shown] > 0).mean()),
        "fresh_fidelity": float(fidelity.mean()),
        "covered_fidelity": float(fidelity[covered].mean()) if covered.any() else "",
        "coverage": float(covered.mean()),
    }


def ranked_right(evidence: Tensor, labels: Tensor) -> float:
    """Return how often a positive row has more evidence than a negative one: no threshold.

    The mean over the episodes that have both; equal evidence counts one half.
    """
    pairs = (labels > 0)[:, :, None] & (labels < 0)[:, None]
    gaps = torch.sign(evidence[:, :, None] - evidence[:, None]).double()
    both = pairs.flatten(1).any(1)
    right = ((gaps + 1) / 2 * pairs).sum((1, 2))[both] / pairs.sum((1, 2))[both]
    return float(right.mean())


def tie_shares(read_out: ReadOut, scores: list[Scores]) -> Row:
    """Return how often no rail has a clause, and how often an atom that is present has no sign."""
    empty, unsigned = [], []
    for given in scores:
        rails = list(zip(given.literals, given.gates, strict=True))[: read_out.rails]
        empty.append(not any(read_out.decode(*rail, PAPER).clauses for rail in rails))
        active = np.concatenate([literals[gates >= HALF] for literals, gates in rails])
        unsigned.append(((active.max(-1) >= HALF) & (active[..., 0] == active[..., 1])).any())
    return {"empty": float(np.mean(empty)), "unsigned": float(np.mean(unsigned))}


STUDY = Study("readouts", pieces, measure, lambda *_: [])
_ = (markdown, spread_of, PUBLISHED, Rows)
