"""What an answer costs: one episode from table to rule, the conditions like for like.

The arms `nri`, `eqarch` and `gnri` attend to the rows one by one and start each step anew. `folded`
is gnri as the package runs it: with content keys off the rows fold into two counts, and a GPU plays
recorded steps again. The baseline's content keys allow neither.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from statistics import median
from time import perf_counter

import torch

from gnri.model.paper_export import ExportResult, canonical_export
from gnri.scores import Scores
from studies.markdown import markdown
from studies.paper import PUBLISHED
from studies.paper.baseline_networks import ConditionNetwork, native_export
from studies.paper.networks import network_of, scores_of, step_by_step
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of
from studies.training.batch import Batch
from studies.training.coin_tables import PriorConfig, sample
from studies.training.streams import seeded

FOLDED = "folded"


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return median milliseconds and peak memory of an arm on a device and width."""
    settings = context.protocol.section("cost")
    atoms, rows, arm = int(piece["atoms"]), settings.rows, str(piece["arm"])
    prior = PriorConfig(atoms=(atoms, atoms), rows=(rows, rows))
    batch = sample(prior, 1, generator=seeded("cost", atoms)).batch
    kept, checkpoint = network_of(context, "gnri" if arm == FOLDED else arm, settings.seed)
    network = deepcopy(kept)
    network.by_rows = arm != FOLDED
    answer = {"gnri": two_passes, FOLDED: folded}.get(arm, one_pass)
    spent = _timed(partial(answer, network, batch), settings.repeats, context.device)
    return [{**spent, "checkpoint": checkpoint}]


def one_pass(network: ConditionNetwork, batch: Batch) -> ExportResult:
    """Return the baseline as it is used: one rail, and its own decode."""
    with torch.inference_mode():
        logits = network(batch.to(network.decoder.queries.device))
        parts = [torch.sigmoid(part.double()).expand(2, *part.shape[1:]).cpu() for part in logits]
    return native_export(Scores(*(part.numpy() for part in parts)), batch.episode(0))


def two_passes(network: ConditionNetwork, batch: Batch) -> ExportResult:
    """Return G-NRI: both rails in one batch, and the canonical export."""
    with torch.inference_mode():
        scores = step_by_step(network, batch.to(network.decoder.queries.device))
    return canonical_export(Scores(*(part[0].cpu().numpy() for part in scores)), batch.episode(0))


def folded(network: ConditionNetwork, batch: Batch) -> ExportResult:
    """Return G-NRI as the package runs it."""
    return canonical_export(scores_of(network, batch)[0], batch.episode(0))


def _timed(answer: Callable[[], ExportResult], repeats: int, device: str) -> Row:
    """Return median time, and the memory an answer takes at its peak beside the weights."""
    on_gpu = device.startswith("cuda")
    answer()  # the libraries of a GPU take memory once, which is no answer's
    held = torch.cuda.memory_allocated() if on_gpu else 0
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    for _ in range(min(repeats, 5)):
        answer()
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        answer()  # ends with scores on the CPU, so the device has finished
        seconds.append(perf_counter() - start)
    peak = round((torch.cuda.max_memory_allocated() - held) / 2**20, 1) if on_gpu else ""
    return {"milliseconds": round(1000 * median(seconds), 3), "peak_mib": peak}


ARMS = ("nri", "eqarch", "gnri", FOLDED)


def page(rows: Rows, _: Context) -> list[str]:
    """Return milliseconds and memory of the arms on each device, the paper's beside."""
    found = {(row["machine"], int(row["atoms"]), row["arm"]): row for row in rows}
    head = ["device", "N", *(f"{arm} (ms)" for arm in ARMS), "gnri / nri", "gnri / eqarch"]
    head += [*(f"{arm} (MiB)" for arm in ARMS), "paper: nri (ms)", "gnri (ms)", "ratio"]
    body = []
    for machine, atoms in sorted({key[:2] for key in found}):
        here = [found.get((machine, atoms, arm)) for arm in ARMS]
        if None in here:
            continue
        times = [float(row["milliseconds"]) for row in here if row]
        cells = [machine, str(atoms), *(f"{time:.1f}" for time in times)]
        cells += [f"{times[2] / times[0]:.2f}", f"{times[2] / times[1]:.2f}"]
        cells += [row["peak_mib"] or "-" for row in here if row]
        base, ours = PUBLISHED["cost"].get(str(atoms), (None, None))
        body.append(
            cells + ([f"{base:.1f}", f"{ours:.1f}", f"{ours / base:.2f}"] if base else ["-"] * 3)
        )
    return [markdown(head, body)]


STUDY = Study(
    "cost", page, lambda s: pieces_of(device=s.devices, atoms=s.atoms, arm=s.arms), measure
)
