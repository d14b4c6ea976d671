"""Train the networks of the sweep side by side, and measure each as soon as it is trained.

    python -m studies.paper.sweep --results OUT --device cuda --workers 8 --jobs 8

What is already trained or measured is kept. Nothing but torch and numpy is needed for what is not
about public tables.
"""

import os
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing import TimeoutError, get_context
from multiprocessing.pool import AsyncResult, Pool
from pathlib import Path
from traceback import print_exc
from typing import Any

from studies.paper import study_named
from studies.paper.baseline_networks import WEIGHTS_OF
from studies.paper.networks import VARIANTS, train_tiny_network
from studies.results import append
from studies.study import Context, Piece, Study, load_protocol, measure_piece

ON_DEVICE = ("readouts", "scaling")
ON_CPU = (
    *("native_forward", "drift", "capability", "rule_eq", "stress", "schema_rule_eq"),
    "rule_examples",
)
Job = tuple[str, str]  # the condition and the seed that a network is trained for


def jobs_of(context: Context) -> list[Job]:
    """Return the networks, seed by seed."""
    sweep = context.protocol.section("sweep")
    return [(name, str(seed)) for seed in sweep.seeds for name in sweep.conditions]


def train_job(job: Job, context: Context, *, tiny: bool) -> None:
    """Train the network of a job by its recipe, in recipes/sweep or, for a full batch, recipes."""
    from studies.training import train
    from studies.training.recipe import load_recipe, with_overrides

    (condition, seed), folder = job, context.checkpoints / "-".join(job)
    if (folder / "checkpoint").is_dir():
        return
    if tiny:
        train_tiny_network(condition, int(seed), folder, context.device)
        return
    *full, number = seed.split("-")
    recipe = load_recipe(Path("recipes", *([] if full else ["sweep"]), f"{condition}.toml"))
    chosen = with_overrides(recipe, [f"seed={number}"])
    train(chosen, folder, device=context.device, progress=False)


def pieces_of_job(study: Study, job: Job, context: Context) -> Iterator[Piece]:
    """Yield the pieces of a study that read the weights of a job."""
    for piece in study.pieces(context.protocol.section(study.name)):
        name = str(
            piece["condition"]
            if "condition" in piece
            else VARIANTS[str(piece["variant"])].condition
        )
        if (WEIGHTS_OF.get(name), str(piece["seed"])) == job:
            yield piece


def measure_quietly(name: str, piece: Piece, context: Context) -> None:
    """Measure a piece and add its rows; what goes wrong is printed, and ends nothing else."""
    try:
        study = study_named(name)
        append(context.results / f"{name}.csv", measure_piece(study, context, piece))
    except Exception:
        print_exc()


def train_and_measure(job: Job, context: Context, studies: Sequence[str], *, tiny: bool) -> Job:
    """Train a network and measure on its device what is measured there."""
    start = time.perf_counter()
    try:
        train_job(job, context, tiny=tiny)
    except Exception:
        print_exc()
        return job
    trained = time.perf_counter()
    for name in (name for name in ON_DEVICE if name in studies):
        for piece in pieces_of_job(study_named(name), job, context):
            measure_quietly(name, piece, context)
    done = time.perf_counter() - trained
    print(*job, f"trained in {trained - start:.0f} s, measured in {done:.0f} s", flush=True)
    return job


def run(  # noqa: PLR0913 - one for each thing a user may ask
    jobs: Sequence[Job],
    large: Sequence[Job],
    context: Context,
    begin: Callable[[Job], Job],
    *,
    workers: int,
    studies: Sequence[str],
    minutes: float,
) -> None:
    """Train and measure all networks, then what they cost; stop where the time is over.

    Each is trained in a process of its own, whose memory goes with it. The `large` ones, one at
    a time, begin when a third of the others is left.
    """
    spawn, end = get_context("spawn"), time.monotonic() + 60 * minutes
    with (
        spawn.Pool(workers, maxtasksperchild=1) as training,
        spawn.Pool(1, maxtasksperchild=1) as alone,
        spawn.Pool(context.jobs, os.nice, (10,)) as measuring,
    ):
        waiting: list[AsyncResult[Any]] = []
        try:
            trained = training.imap_unordered(begin, jobs)
            for left in range(len(jobs), 0, -1):
                if left == 1 + len(jobs) // 3:
                    waiting += [alone.apply_async(begin, (job,)) for job in large]
                job = trained.next(max(0.0, end - time.monotonic()))
                waiting += _measure_on_cpu(measuring, job, context, studies)
            for result in waiting:
                result.get(max(0.0, end - time.monotonic()))
        except TimeoutError:
            print("the time is over", flush=True)
    for piece in study_named("cost").pieces(context.protocol.section("cost")):
        if "cost" in studies:
            measure_quietly("cost", piece, context)


def _measure_on_cpu(
    pool: Pool, job: Job, context: Context, studies: Sequence[str]
) -> "list[AsyncResult[Any]]":
    return [
        pool.apply_async(measure_quietly, (name, piece, context))
        for name in ON_CPU
        if name in studies
        for piece in pieces_of_job(study_named(name), job, context)
    ]


def main() -> None:
    """Read the options and run."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--checkpoints", type=Path, default=Path("runs/sweep"))
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--networks", nargs="*", help="nri-42 ..., all if none")
    parser.add_argument("--large", nargs="*", default=[], help="nri-8192-42 ...")
    parser.add_argument("--studies", nargs="*", default=[*ON_DEVICE, *ON_CPU, "cost"])
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    protocol = load_protocol(tiny=given.tiny)
    where = given.results, given.data_dir, given.jobs, False, protocol, given.checkpoints
    context = Context(*where, given.device)
    named = [[_job(name) for name in names or []] for names in (given.networks, given.large)]
    begin = partial(train_and_measure, context=context, studies=given.studies, tiny=given.tiny)
    timed = {"workers": given.workers, "minutes": given.minutes}
    run(named[0] or jobs_of(context), named[1], context, begin, studies=given.studies, **timed)


def _job(name: str) -> Job:
    condition, _, seed = name.partition("-")
    return condition, seed


if __name__ == "__main__":
    main()
