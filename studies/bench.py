"""`python -m studies bench`: each command adds rows to a CSV file and draws its page."""

from collections.abc import Callable, Iterator
from functools import partial, wraps
from importlib.util import find_spec
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from gnri.atomic_write import write_atomically
from gnri.cli.application import one_line_errors
from gnri.errors import GnriError
from studies.results import Rows
from studies.study import Context

bench = typer.Typer(no_args_is_help=True, help="Measure learners, ours and others'.")

Learners = Annotated[
    str, typer.Option(help="By name, with commas; also flat:PRICE, MODEL, MODEL+refine.")
]
Sets = Annotated[str, typer.Option(help="Names of tables, with commas; all if none.")]
Results = Annotated[Path, typer.Option(help="Folder of the CSV files.")]
Folds = Annotated[str, typer.Option(help="Of 0 to 4, with commas; all if none.")]
Jobs = Annotated[int, typer.Option(min=1, help="Processes.")]
Force = Annotated[bool, typer.Option("--force", help="Measure also what is there already.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder of tables with schema.json; else GNRI_DATA.")
]

# What the committed figures are of, so that a command without options measures them again.
OTHERS = "majority,logistic,cart,cart-16,forest,boosted"
PRICES = "flat:0.5,flat:1,flat:2"
MODELS = "guided,guided+refine"
HERE = Path("results")


@bench.callback()
def check_torch() -> None:
    """Refuse what draws or reads tensors where torch is not installed."""
    with one_line_errors():
        if find_spec("torch") is None:
            raise GnriError(
                "training and studies need torch, which is not installed; in the folder of the "
                "repository run: pip install '.[train]'"
            )


Page = tuple[str, Rows, Callable[[Rows], str]]  # a page's name, its rows, what draws it


def _context(
    data_dir: DataDir = None, results: Results = HERE, jobs: Jobs = 1, force: Force = False
) -> Context:
    return Context(results, data_dir, jobs, force)


def _command(measure: Callable[..., Iterator[Page]], *, data: bool = False) -> Callable[..., None]:
    """Register what measures pages; the command writes and prints each as soon as it is there.

    After its own options come those of `_context`, --data-dir only if it reads public `data`.
    """
    shared = dict(signature(_context).parameters)
    if not data:
        del shared["data_dir"]

    @wraps(measure)
    def run(**options: Any) -> None:
        with one_line_errors():
            context = _context(**{name: options.pop(name) for name in shared})
            for name, rows, draw in measure(context, **options):
                text = draw(rows)
                write_atomically(context.results / f"{name}.md", text.encode())
                typer.echo(text)

    _, *own = signature(measure).parameters.values()
    run.__signature__ = Signature([*own, *shared.values()])  # type: ignore[attr-defined]
    bench.command()(run)
    return run


@partial(_command, data=True)
def real(
    context: Context,
    learners: Learners = f"{OTHERS},ripper,{PRICES},flat:4,{MODELS},scorecard,auto",
    sets: Sets = "",
    folds: Folds = "",
) -> Iterator[Page]:
    """Accuracy on the nineteen public tables, in five folds."""
    from studies.benchmarks import public_tables, reports

    names, chosen = _words(learners), _folds(folds)
    rows = public_tables.measure_folds(names, context, sets=_sets(sets), folds=chosen)
    yield "real", rows, reports.real


@partial(_command, data=True)
def few(
    context: Context,
    learners: Learners = f"logistic,cart,forest,{PRICES},{MODELS},auto",
    sets: Sets = "",
    raw: Annotated[
        Path | None, typer.Option(help="Take the raw columns of the tables of this folder.")
    ] = None,
) -> Iterator[Page]:
    """Accuracy from 10 to 200 rows of the public tables."""
    from studies.benchmarks import public_tables, reports, user_tables

    if raw is not None:
        rows = user_tables.measure_few_rows(_words(learners), raw, context)
        yield "few_raw", rows, partial(reports.few_rows, page="few_raw")
        return
    rows = public_tables.measure_few_rows(_words(learners), context, sets=_sets(sets))
    yield "few_rows", rows, reports.few_rows


@_command
def synthetic(
    context: Context, learners: Learners = f"cart,forest,flat:1,{MODELS},posterior"
) -> Iterator[Page]:
    """Fidelity to hidden rules over 6 to 1,024 atoms, and how many are found exactly."""
    from studies.benchmarks import random_tasks, reports

    names = _words(learners)
    yield "synthetic", random_tasks.measure_widths(names, context), reports.synthetic
    yield "recovery", random_tasks.measure_shapes(names, context), reports.recovery


@_command
def noise(
    context: Context, learners: Learners = f"majority,cart,forest,ripper,flat:1,{MODELS}"
) -> Iterator[Page]:
    """Fidelity under label noise and beside spurious columns."""
    from studies.benchmarks import random_tasks, reports

    rows = random_tasks.measure_noise(_words(learners), context)
    yield "noise", rows, reports.noise
    reports.draw_noise(rows, context.results / "noise.svg")


@partial(_command, data=True)
def ablation(context: Context, sets: Sets = "") -> Iterator[Page]:
    """Measure what each part of the default learner buys on the public tables."""
    from studies.benchmarks import public_tables, reports
    from studies.benchmarks.ablation import LEARNERS

    rows = public_tables.measure_folds(LEARNERS, context, sets=_sets(sets), name="ablation")
    yield "ablation", rows, reports.ablation


@_command
def numeric(context: Context) -> Iterator[Page]:
    """Raw numbers: RuleClassifier beside a tree on scikit-learn's tables."""
    from studies.benchmarks import reports, user_tables

    yield "numeric", user_tables.measure_numbers(context), reports.numeric


@_command
def own(
    context: Context,
    folder: Annotated[Path, typer.Argument(help="Of CSV or Parquet files, the class last.")],
    learners: Learners = f"{OTHERS},guided+refine,dnf,auto",
) -> Iterator[Page]:
    """Accuracy on tables of your own, in five folds of their raw columns."""
    from studies.benchmarks import reports, user_tables

    rows = user_tables.measure_folder(_words(learners), folder, context)
    yield "own", rows, reports.own


@partial(_command, data=True)
def budget(
    context: Context,
    folder: Annotated[
        Path | None, typer.Argument(help="Take the raw columns of its tables, the class last.")
    ] = None,
    learners: Learners = "auto,scorecard,cart,ripper,figs,fasterrisk",
    sets: Sets = "",
    folds: Folds = "0",
) -> Iterator[Page]:
    """Accuracy at 3 to 12 lines and at 3 to 20 conditions, for each rule."""
    from studies.benchmarks import reports, user_tables

    names, chosen = _words(learners), _folds(folds)
    name = "budget" if folder is None else "budget_raw"
    rows = user_tables.measure_budgets(names, context, folder, _words(sets), chosen, name)
    yield name, rows, partial(reports.budget, page=name)


@_command
def imbalance(
    context: Context,
    learners: Learners = "",
    folds: Folds = "",
) -> Iterator[Page]:
    """Balanced accuracy, and recall at a precision, on ten tables with few positive rows."""
    from studies.benchmarks import imbalance as measured

    names = _words(learners) or list(measured.LEARNERS)
    rows = measured.measure_imbalance(names, context, _folds(folds))
    yield "imbalance", rows, measured.report


@_command
def scale(
    context: Context,
    learners: Learners = "guided+refine,guided,gnri,cart,ripper,figs,ebm",
    limit: Annotated[int, typer.Option(min=1, help="Seconds that one fit may take.")] = 600,
) -> Iterator[Page]:
    """Seconds and memory from 1,000 to 10 million rows and from 10 to 100,000 atoms."""
    from studies.benchmarks import growth as measured

    rows = measured.measure_growth(_words(learners), context, limit=limit)
    yield "scale", rows, partial(measured.report, band=measured.bandwidth())
    measured.draw(rows, context.results / "scale.svg")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _sets(text: str) -> list[str]:
    from studies.datasets import BENCHMARK

    return _words(text) or list(BENCHMARK)


def _folds(text: str) -> list[int]:
    words = _words(text) or list("01234")
    for word in words:
        if word not in list("01234"):
            raise GnriError(f"a fold must be one of 0 to 4, got {word!r}")
    return [int(word) for word in words]
