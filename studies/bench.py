"""`python -m studies bench`: each command adds rows to a CSV file and draws its page."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

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
Jobs = Annotated[int, typer.Option(min=1, help="Processes.")]
Force = Annotated[bool, typer.Option("--force", help="Measure also what is there already.")]
DataDir = Annotated[
    Path | None, typer.Option(help="Folder of tables with schema.json; else GNRI_DATA.")
]

# What the committed figures are of, so that a command without options measures them again.
OTHERS = "majority,logistic,cart,cart-16,forest,boosted"
PRICES = "flat:0.5,flat:1,flat:2"
OURS = "guided,guided+refine"
HERE = Path("results")


@bench.command()
def real(  # noqa: PLR0913 - one for each thing a user may ask
    learners: Learners = f"{OTHERS},ripper,{PRICES},flat:4,{OURS}",
    sets: Sets = "",
    folds: Annotated[str, typer.Option(help="Of 0 to 4, with commas; all if none.")] = "",
    data_dir: DataDir = None,
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Accuracy on the nineteen public tables, in five folds."""
    from studies.benchmarks import public_tables, reports

    with one_line_errors():
        context = Context(results, data_dir, jobs, force)
        chosen = _folds(folds, public_tables.FOLDS)
        rows = public_tables.measure_folds(
            _words(learners), context, sets=_sets(sets), folds=chosen
        )
        _write_page(rows, reports.real, results, "real")


@bench.command()
def few(
    learners: Learners = f"logistic,cart,forest,{PRICES},{OURS}",
    sets: Sets = "",
    data_dir: DataDir = None,
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Accuracy from 10 to 200 rows of the public tables."""
    from studies.benchmarks import public_tables, reports

    with one_line_errors():
        context = Context(results, data_dir, jobs, force)
        rows = public_tables.measure_few_rows(_words(learners), context, sets=_sets(sets))
        _write_page(rows, reports.few_rows, results, "few_rows")


@bench.command()
def synthetic(
    learners: Learners = f"cart,forest,flat:1,{OURS},posterior",
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Fidelity to hidden rules over 6 to 1,024 atoms, and how many are found exactly."""
    from studies.benchmarks import random_tasks, reports

    with one_line_errors():
        context, names = Context(results, jobs=jobs, force=force), _words(learners)
        rows = random_tasks.measure_widths(names, context)
        _write_page(rows, reports.synthetic, results, "synthetic")
        rows = random_tasks.measure_shapes(names, context)
        _write_page(rows, reports.recovery, results, "recovery")


@bench.command()
def noise(
    learners: Learners = f"majority,cart,forest,ripper,flat:1,{OURS}",
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Fidelity under label noise and beside spurious columns."""
    from studies.benchmarks import random_tasks, reports

    with one_line_errors():
        context = Context(results, jobs=jobs, force=force)
        rows = random_tasks.measure_noise(_words(learners), context)
        _write_page(rows, reports.noise, results, "noise")
        reports.draw_noise(rows, results / "noise.svg")


@bench.command()
def ablation(
    sets: Sets = "",
    data_dir: DataDir = None,
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """What each part of the default learner buys on the public tables."""
    from studies.benchmarks import public_tables, reports
    from studies.benchmarks.ablation import LEARNERS

    with one_line_errors():
        context = Context(results, data_dir, jobs, force)
        rows = public_tables.measure_folds(LEARNERS, context, sets=_sets(sets), name="ablation")
        _write_page(rows, reports.ablation, results, "ablation")


@bench.command()
def numeric(results: Results = HERE, jobs: Jobs = 1, force: Force = False) -> None:
    """Raw numbers: RuleClassifier beside a tree on scikit-learn's tables."""
    from studies.benchmarks import reports, user_tables

    with one_line_errors():
        rows = user_tables.measure_numbers(Context(results, jobs=jobs, force=force))
        _write_page(rows, reports.numeric, results, "numeric")


@bench.command()
def own(
    folder: Annotated[Path, typer.Argument(help="Of CSV or Parquet files, the class last.")],
    learners: Learners = f"{OTHERS},{PRICES},flat:4,{OURS}",
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Accuracy on tables of your own, in five folds of their raw columns."""
    from studies.benchmarks import reports, user_tables

    with one_line_errors():
        context = Context(results, jobs=jobs, force=force)
        rows = user_tables.measure_folder(_words(learners), folder, context)
        _write_page(rows, reports.own, results, "own")


@bench.command("scale")
def scale(  # noqa: PLR0913 - one for each thing a user may ask
    learners: Learners = "guided+refine,guided,gnri,cart,ripper,figs,ebm",
    growth: Annotated[bool, typer.Option(help="Measure growth in rows and atoms too.")] = True,
    most_rows: Annotated[int, typer.Option(min=1000, help="The longest table.")] = 10_000_000,
    limit: Annotated[int, typer.Option(min=1, help="Seconds that one fit may take.")] = 600,
    results: Results = HERE,
    jobs: Jobs = 1,
    force: Force = False,
) -> None:
    """Seconds and memory from 1,000 to 10 million rows and from 10 to 100,000 atoms."""
    from studies.benchmarks import growth as measured

    with one_line_errors():
        context = Context(results, jobs=jobs, force=force)
        rows = measured.measure_growth(
            _words(learners), context, growth=growth, most_rows=most_rows, limit=limit
        )
        band = measured.bandwidth()
        _write_page(rows, lambda found: measured.report(found, band), results, "scale")
        measured.draw(rows, results / "scale.svg")


def _write_page(rows: Rows, draw: Callable[[Rows], str], results: Path, name: str) -> None:
    text = draw(rows)
    write_atomically(results / f"{name}.md", text.encode())
    typer.echo(text)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _sets(text: str) -> list[str]:
    from studies.datasets import BENCHMARK

    return _words(text) or list(BENCHMARK)


def _folds(text: str, count: int) -> list[int]:
    words = _words(text) or [str(fold) for fold in range(count)]
    for word in words:
        if word not in map(str, range(count)):
            raise GnriError(f"a fold must be one of 0 to {count - 1}, got {word!r}")
    return [int(word) for word in words]
