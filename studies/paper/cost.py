"""What an answer costs: one episode from table to rule, baseline and G-NRI."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter

import torch

from gnri.model.paper_export import ExportResult, canonical_export
from gnri.scores import Scores
from studies.markdown import markdown
from studies.paper import PUBLISHED
from studies.paper.baseline_networks import ConditionNetwork, native_export
from studies.paper.networks import network_of, scores_of
from studies.results import Row, Rows
from studies.study import Context, Piece, Study, pieces_of
from studies.training.batch import Batch
from studies.training.coin_tables import PriorConfig, sample
from studies.training.streams import seeded


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return median milliseconds and peak memory of each model on a device and width."""
    settings = context.protocol.section("cost")
    atoms, rows = int(piece["atoms"]), settings.rows
    prior = PriorConfig(atoms=(atoms, atoms), rows=(rows, rows))
    batch = sample(prior, 1, generator=seeded("cost", atoms)).batch
    found: list[Row] = []
    for condition, answer in {"nri": one_pass, "gnri": two_passes}.items():
        network, checkpoint = network_of(context, condition, settings.seed)
        spent = _timed(partial(answer, network, batch), settings.repeats, context.device)
        found.append({"condition": condition, **spent, "checkpoint": checkpoint})
    return found


def one_pass(network: ConditionNetwork, batch: Batch) -> ExportResult:
    """Return the baseline as it is used: one rail, and its own decode."""
    with torch.inference_mode():
        logits = network(batch.to(network.decoder.queries.device))
        parts = [torch.sigmoid(part.double()).expand(2, *part.shape[1:]).cpu() for part in logits]
    return native_export(Scores(*(part.numpy() for part in parts)), batch.episode(0))


def two_passes(network: ConditionNetwork, batch: Batch) -> ExportResult:
    """Return G-NRI: both rails in one batch, and the canonical export."""
    return canonical_export(scores_of(network, batch)[0], batch.episode(0))


def _timed(answer: Callable[[], ExportResult], repeats: int, device: str) -> Row:
    """Return median time and peak memory; of the first answers, which prepare, only memory."""
    on_gpu = device.startswith("cuda")
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    for _ in range(min(repeats, 5)):
        answer()
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        answer()  # ends with scores on the CPU, so the device has finished
        seconds.append(perf_counter() - start)
    peak = round(torch.cuda.max_memory_allocated() / 2**20, 1) if on_gpu else ""
    return {"milliseconds": round(1000 * median(seconds), 3), "peak_mib": peak}


def page(rows: Rows, _: Context) -> list[str]:
    """Return milliseconds of both models and their ratio on each device, the paper's beside."""
    found = {(row["device"], int(row["atoms"]), row["condition"]): row for row in rows}
    head = ["device", "N", "nri (ms)", "gnri (ms)", "ratio", "nri (MiB)", "gnri (MiB)"]
    head += ["paper: nri (ms)", "paper: gnri (ms)", "paper: ratio"]
    body = []
    for device, atoms in sorted({key[:2] for key in found}):
        pair = [found[device, atoms, name] for name in ("nri", "gnri")]
        paper = PUBLISHED["cost"].get(str(atoms))
        cells = [pair[0]["machine"], str(atoms)]
        cells += _times([float(row["milliseconds"]) for row in pair])
        cells += [row["peak_mib"] or "-" for row in pair]
        body.append(cells + (_times(paper) if paper else ["-"] * 3))
    return [markdown(head, body)]


def _times(pair: Sequence[float]) -> list[str]:
    base, ours = pair
    return [f"{base:.1f}", f"{ours:.1f}", f"{ours / base:.2f}"]


STUDY = Study("cost", lambda s: pieces_of(device=s.devices, atoms=s.atoms), measure, page)
