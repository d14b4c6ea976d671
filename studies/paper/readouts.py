"""What the network buys and what its read-out buys: every condition by every read-out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
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


NAMES = {
    **{"nri": "nri", "eqarch": "eqarch", "+export": "eqarch, tie-complete", "gnri": "gnri"},
    SHIPPED: "gnri, shipped",
}
BRIEF = ("12", "128", "1024")  # widths of the short tables
STEPS = {
    "nri": ("nri", "one rail"),
    "eqarch": ("eqarch", "one rail"),
    "+tta": ("eqarch", "compared"),
    "+export": ("+export", "compared"),
    "gnri": ("gnri", "compared"),
}


def page(rows: Rows, context: Context) -> list[str]:
    """Return what each read-out makes of each network, then what the paper's steps are made of."""
    full = context.protocol.section("readouts").full
    sweep = [row for row in rows if row["seed"] not in full]
    widths = sorted({row["atoms"] for row in rows}, key=int)
    brief = [atoms for atoms in widths if atoms in BRIEF] or widths
    parts = [f"## Conditions by read-outs\n\n{_grid(sweep, 'support_accuracy', brief)}"]
    parts += [f"## Without a threshold\n\n{AUC}\n\n{_grid(sweep, 'support_auc', brief)}"]
    parts += [f"## How often the answer is yes\n\n{YES}\n\n{_yes(sweep, widths)}"]
    for name in READ_OUTS:
        here = [row for row in sweep if row["readout"] == name]
        parts.append(f"## Support accuracy by width: {name}\n\n{_by_width(here, widths)}")
    parts.append(f"## By component\n\n{_components(sweep)}")
    titles = {"fresh_fidelity": "all episodes", "covered_fidelity": "episodes with a rule"}
    for figure, title in titles.items():
        parts.append(f"## Fresh fidelity, {title}\n\n{_grid(sweep, figure, brief)}")
    parts.append(f"## Coverage\n\n{_grid(sweep, 'coverage', brief)}")
    parts.append(f"## Ties and empty rules\n\n{TIES}\n\n{_ties(sweep, widths)}")
    if full and any(row["seed"] in full for row in rows):
        parts.append(f"## 8,192 episodes a step\n\n{FULL}\n\n{_full(rows, full[0], brief)}")
    return parts


AUC = "How often a positive row has more evidence than a negative one of its table."
YES = "At one rail, with the share of positive rows; one less that is what always no would get."
TIES = "`gnri` with its rails compared: shares of the episodes, the seeds together."
FULL = "Support accuracy of seed 42 by episodes a step; `gnri` at 8,192 is the bundled one."


def _of(rows: Rows, figure: str, **where: str) -> str:
    here = [row for row in rows if all(row[key] == value for key, value in where.items())]
    return spread_of([float(row[figure]) for row in here if row[figure]])


def _by_name(rows: Rows) -> dict[str, Rows]:
    """Return the rows of each condition, bundled weights apart, by what it is called."""
    found: dict[str, Rows] = {}
    for key, name in NAMES.items():
        here = [row for row in rows if _key(row) == key]
        found |= {name: here} if here else {}
    return found


def _key(row: Mapping[str, str]) -> str:
    return SHIPPED if row["seed"] == SHIPPED else row["condition"]


def _grid(rows: Rows, figure: str, widths: Sequence[str]) -> str:
    """Return a line for each condition, a column for each width and read-out."""
    head = ["", *(f"N = {atoms}: {name}" for atoms in widths for name in READ_OUTS)]
    places = [(atoms, name) for atoms in widths for name in READ_OUTS]
    body = [
        [name, *(_of(here, figure, atoms=atoms, readout=read) for atoms, read in places)]
        for name, here in _by_name(rows).items()
    ]
    return markdown(head, body)


def _by_width(rows: Rows, widths: Sequence[str]) -> str:
    named = _by_name(rows)
    cells = [[_of(here, "support_accuracy", atoms=n) for here in named.values()] for n in widths]
    body = [[atoms, *line] for atoms, line in zip(widths, cells, strict=True)]
    return markdown(["N", *named], body)


def _yes(rows: Rows, widths: Sequence[str]) -> str:
    named = _by_name([row for row in rows if row["readout"] == "one rail"])
    body = []
    for atoms in widths:
        positive = next(row["positive"] for row in rows if row["atoms"] == atoms)
        cells = [_of(here, "yes", atoms=atoms) for here in named.values()]
        body.append([atoms, f"{float(positive):.3f}", *cells])
    return markdown(["N", "positive rows", *named], body)


def _components(rows: Rows) -> str:
    """Return the paper's steps: which network, read how."""
    widths = [atoms for atoms in PUBLISHED["decomposition"]["nri"]]
    head = ["step", "network, read-out"]
    head += [f"N = {atoms}, {source}" for atoms in widths for source in ("ours", "paper")]
    body = []
    for step, (condition, read) in STEPS.items():
        here = [row for row in rows if row["condition"] == condition and row["seed"] != SHIPPED]
        cells = [step, f"{NAMES[condition]}, {read}"]
        for atoms in widths:
            middle, spread = PUBLISHED["decomposition"][step][atoms]
            cells += [_of(here, "support_accuracy", atoms=atoms, readout=read)]
            cells += [f"{middle:.3f} ± {spread:.3f}"]
        body.append(cells)
    return markdown(head, body)


def _ties(rows: Rows, widths: Sequence[str]) -> str:
    here = [r for r in rows if (_key(r), r["readout"]) == ("gnri", "compared")]
    body = []
    for atoms in widths:
        wide = [row for row in here if row["atoms"] == atoms]
        found = {c: mean(float(r[c]) for r in wide) for c in ("coverage", "empty", "unsigned")}
        tied = 1 - found["coverage"] - found["empty"]
        shares = (found["coverage"], found["empty"], tied, found["unsigned"])
        body.append([atoms, *(f"{abs(share):.4f}" for share in shares)])
    return markdown(["N", "a rule", "no clause", "rails tie", "an atom without sign"], body)


def _full(rows: Rows, full: str, widths: Sequence[str]) -> str:
    sizes = {"1,024": full.partition("-")[2], "8,192": full}
    body = []
    for condition in ("nri", "eqarch", "+export", "gnri"):
        for size, seed in sizes.items():
            named = SHIPPED if condition == "gnri" and seed == full else seed
            here = [r for r in rows if (r["condition"], r["seed"]) == (condition, named)]
            cells = [
                _of(here, "support_accuracy", atoms=n, readout=r) for n in widths for r in READ_OUTS
            ]
            body.append([f"{NAMES[condition]}, {size}", *cells])
    return markdown(["", *(f"N = {n}: {r}" for n in widths for r in READ_OUTS)], body)


STUDY = Study("readouts", pieces, measure, page)
