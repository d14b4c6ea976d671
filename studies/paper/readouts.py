"""What the network buys and what its read-out buys: every condition by every read-out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gnri.model.paper_export import HALF, PAPER, Decode, canonical_decode, canonical_export
from gnri.scores import Scores
from studies import plotting
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
from studies.study import PAGES, Context, Piece, Settings, Study
from studies.training.batch import Batch

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ReadOut(NamedTuple):
    """How a label is read off the predictions of the rails, and a rule off their scores."""

    evidence: Callable[[Predictions], Tensor]  # at least 0 where it is for the positive class
    export: Export
    decode: Decode
    rails: int  # how many of them are decoded


READ_OUTS = {
    "one rail": ReadOut(lambda p: p.given - HALF, native_export, native_decode, 1),
    "average": ReadOut(  # Equation 1 in single precision, less one half
        lambda p: (p.given.float() + 1 - p.swapped.float()) / 2 - HALF,
        dual_rail_export,
        native_decode,
        2,
    ),
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
        size = atoms, settings.episodes, settings.fresh_rows
        batch = episodes.synthetic_episodes(*size)[0].batch
        scores, found = scores_of(network, batch), predictions_of(network, batch)
        for name, read_out in READ_OUTS.items():
            figures = _figures(read_out, scores, read_out.evidence(found), size)
            facts: Row = {"atoms": atoms, "readout": name}
            facts |= figures | tie_shares(read_out, scores)
            rows.append(facts | {"checkpoint": checkpoint})
    return rows


def _figures(
    read_out: ReadOut, scores: list[Scores], evidence: Tensor, size: tuple[int, int, int]
) -> Row:
    said = torch.where(evidence >= 0, 1, -1).to(torch.int8).numpy()

    def replies(batch: Batch) -> Iterable[episodes.Reply]:
        for index, given in enumerate(scores):
            yield read_out.export(given, batch.episode(index)).rule, said[index]

    found = episodes.each_figures(replies, *size)
    support, fidelity, covered = (np.asarray(column) for column in zip(*found, strict=True))
    labels = episodes.synthetic_episodes(*size)[0].batch.labels
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
    named = _by_name([row for row in rows if row["seed"] not in full])
    batches = _batches(rows, full)
    widths = sorted({row["atoms"] for row in rows}, key=int)
    brief = [atoms for atoms in widths if atoms in BRIEF] or widths
    tables = {
        "support_accuracy": _grid(named, "support_accuracy", brief),
        "every": _by_width(named, widths),
        "support_auc": _grid(named, "support_auc", brief),
        "yes": _yes(named, widths),
        "components": _components(named),
        "fresh_fidelity": _grid(named, "fresh_fidelity", brief),
        "covered_fidelity": _grid(named, "covered_fidelity", brief),
        "coverage": _grid(named, "coverage", brief),
        "ties": _ties(named, widths),
    }
    if batches:
        tables["full"] = _grid(batches, "support_accuracy", brief)
    sections = [PAGES["readouts"]["sections"][name] + table for name, table in tables.items()]
    return ["![read-outs](figures/readouts.svg)\n", *sections]


def _by_name(rows: Rows) -> dict[str, Rows]:
    """Return the rows of each condition, bundled weights apart, by what it is called."""
    found: dict[str, Rows] = {}
    for key, name in NAMES.items():
        here = [r for r in rows if (SHIPPED if r["seed"] == SHIPPED else r["condition"]) == key]
        found |= {name: here} if here else {}
    return found


def _batches(rows: Rows, full: Sequence[str]) -> dict[str, Rows]:
    """Return the rows of seeds that were trained with both sizes of batch."""
    seeds = {(row["condition"], row["seed"]): None for row in rows if row["seed"] in full}
    seeds |= {("gnri", SHIPPED): None} if seeds else {}
    found: dict[str, Rows] = {}
    for name, seed in seeds:
        for size, own in {"1,024": full[0].partition("-")[2], "8,192": seed}.items():
            here = [row for row in rows if (row["condition"], row["seed"]) == (name, own)]
            found[f"{NAMES[name]}, {size}"] = here
    return found


def _of(rows: Rows, figure: str, **where: str) -> list[float]:
    here = [row for row in rows if all(row[key] == value for key, value in where.items())]
    return [float(row[figure]) for row in here if row[figure]]


def _grid(named: Mapping[str, Rows], figure: str, widths: Sequence[str]) -> str:
    """Return a line for each condition, a column for each width and read-out."""
    places = [(atoms, name) for atoms in widths for name in READ_OUTS]
    body = [
        [name, *(spread_of(_of(here, figure, atoms=n, readout=read)) for n, read in places)]
        for name, here in named.items()
    ]
    return markdown(["", *(f"N = {atoms}: {name}" for atoms, name in places)], body)


def _by_width(named: Mapping[str, Rows], widths: Sequence[str]) -> str:
    body = [[atoms] for atoms in widths]
    for line, here in product(body, named.values()):
        found = [_of(here, "support_accuracy", atoms=line[0], readout=read) for read in READ_OUTS]
        line.append(" / ".join(f"{mean(some):.3f}" if some else "-" for some in found))
    return markdown(["N", *named], body)


def _yes(named: Mapping[str, Rows], widths: Sequence[str]) -> str:
    body = []
    for atoms in widths:
        cells = [_of(here, "yes", atoms=atoms, readout="one rail") for here in named.values()]
        positive = _of(next(iter(named.values())), "positive", atoms=atoms)[0]
        body.append([atoms, f"{positive:.3f}", *map(spread_of, cells)])
    return markdown(["N", "positive rows", *named], body)


def _components(named: Mapping[str, Rows]) -> str:
    """Return the paper's steps: which network, read how."""
    head, body = ["step", "network, read-out"], []
    for step, paper in PUBLISHED["decomposition"].items():
        condition, read = STEPS[step]
        here, cells = named.get(NAMES[condition], []), [step, f"{NAMES[condition]}, {read}"]
        for atoms, (middle, spread) in paper.items():
            cells += [spread_of(_of(here, "support_accuracy", atoms=atoms, readout=read))]
            cells += [f"{middle:.3f} ± {spread:.3f}"]
        body.append(cells)
    head += [f"N = {atoms}, {source}" for atoms in paper for source in ("ours", "paper")]
    return markdown(head, body)


def _ties(named: Mapping[str, Rows], widths: Sequence[str]) -> str:
    body = []
    for atoms in widths:
        found = [
            mean(_of(named[NAMES["gnri"]], column, atoms=atoms, readout="compared"))
            for column in ("coverage", "empty", "unsigned")
        ]
        shares = [*found[:2], round(1 - found[0] - found[1], 9), found[2]]
        body.append([atoms, *(f"{share:.4f}" for share in shares)])
    return markdown(["N", "a rule", "no clause", "rails tie", "an atom without sign"], body)


def draw(rows: Rows) -> dict[str, "Figure"]:
    """Return support accuracy by width, a panel for each read-out."""
    figure = plotting.blank(11, 4)
    for axes, name in zip(figure.subplots(1, 3, sharey=True), READ_OUTS, strict=True):
        for condition in ("nri", "eqarch", "+export", "gnri"):
            here = [r for r in rows if (r["condition"], r["readout"]) == (condition, name)]
            seeds = [row for row in here if row["seed"].isdigit()]
            widths = sorted({int(row["atoms"]) for row in seeds})
            runs = {float(n): _of(seeds, "support_accuracy", atoms=str(n)) for n in widths}
            plotting.curve(axes, runs, condition)
        plotting.widths(axes, widths)
        axes.set_title(f"support accuracy, {name}")
    axes.legend(fontsize=8)
    return {"readouts": figure}


STUDY = Study("readouts", page, pieces, measure, draw)
