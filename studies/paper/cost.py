"""What an answer costs: one episode from table to rule, baseline and G-NRI."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter

import torch

from gnri.model.paper_export import Exported, canonical_export
from gnri.scores import Scores
from studies.markdown import markdown
from studies.paper import page
from studies.paper.baseline_networks import ConditionNetwork, native_export
from studies.paper.networks import network_of, scores_of
from studies.paper.published import COST
from studies.results import Row
from studies.study import Context, Piece, Protocol, Study, pieces_of
from studies.training.batch import Batch
from studies.training.coin_tables import PriorConfig, sample
from studies.training.streams import seeded


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """Return a piece for each device and width; both models are timed in it."""
    settings = protocol.section("cost")
    return pieces_of(device=settings.devices, atoms=settings.atoms)


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return median milliseconds and peak memory of each model."""
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


def one_pass(network: ConditionNetwork, batch: Batch) -> Exported:
    """Return the baseline as it is used: one rail, and its own decode."""
    with torch.inference_mode():
        logits = network(batch.to(network.decoder.queries.device))
        parts = [torch.sigmoid(part.double()).expand(2, *part.shape[1:]).cpu() for part in logits]
    return native_export(Scores(*(part.numpy() for part in parts)), batch.episode(0))


def two_passes(network: ConditionNetwork, batch: Batch) -> Exported:
    """Return G-NRI: both rails in one batch, and the canonical export."""
    return canonical_export(scores_of(network, batch)[0], batch.episode(0))


def _timed(answer: Callable[[], Exported], repeats: int, device: str) -> Row:
    """Return after a few answers that do not count, for the first ones prepare what the others use.

    What a recorded answer holds was asked for by the first ones, so memory is measured from there.
    """
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


def tables(context: Context) -> dict[str, str]:
    """Return milliseconds of both models and their ratio on each device, the paper's beside."""
    found = {(row["device"], row["atoms"], row["condition"]): row for row in context.rows("cost")}
    if not found:
        return {}
    head = ["device", "N", "nri (ms)", "gnri (ms)", "ratio", "nri (MiB)", "gnri (MiB)"]
    head += ["paper: nri (ms)", "paper: gnri (ms)", "paper: ratio"]
    body = []
    lines = {(device, int(atoms)) for device, atoms, _ in found}
    for device, atoms in ((device, str(atoms)) for device, atoms in sorted(lines)):
        base, ours = (found[device, atoms, name] for name in ("nri", "gnri"))
        times = [float(row["milliseconds"]) for row in (base, ours)]
        paper = COST.get(atoms)
        body.append(
            [
                base["machine"],
                atoms,
                *_times(times),
                *(row["peak_mib"] or "-" for row in (base, ours)),
                *(_times(paper) if paper else ["-"] * 3),
            ]
        )
    return page("cost", markdown(head, body))


def _times(pair: Sequence[float]) -> list[str]:
    base, ours = pair
    return [f"{base:.1f}", f"{ours:.1f}", f"{ours / base:.2f}"]


STUDY = Study("cost", pieces, measure, tables)
