"""`python -m studies bench`: each command adds rows to a CSV file and draws its table."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from gnri.cli.application import one_line_errors
from gnri.errors import GnriError
from studies.application import app
from studies.command_datasets import DataDir

bench = typer.Typer(no_args_is_help=True, help="Measure learners, ours and others'.")
app.add_typer(bench, name="bench")

Learners = Annotated[
    str, typer.Option(help="By name, with commas; also flat:PRICE, MODEL, MODEL+refine.")
]
Sets = Annotated[str, typer.Option(help="Names of tables, with commas; all if none.")]
Results = Annotated[Path, typer.Option(help="Folder of the CSV files.")]
Jobs = Annotated[int, typer.Option(min=1, help="Processes.")]
Again = Annotated[bool, typer.Option("--again", help="Measure also what is there already.")]

# What the committed figures are of, so that a command without words measures them again.
OTHERS = "majority,logistic,cart,cart-16,forest,boosted"
PRICES = "flat:0.5,flat:1,flat:2"
OURS = "guided,guided+refine"
Rows = list[dict[str, str]]


@bench.command()
def real(  # noqa: PLR0913 - one for each thing a user may ask
    learners: Learners = f"{OTHERS},ripper,{PRICES},flat:4,{OURS}",
    sets: Sets = "",
    folds: Annotated[str, typer.Option(help="Of 0 to 4, with commas; all if none.")] = "",
    data_dir: DataDir = None,
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Accuracy on the nineteen public tables, in five folds."""
    from studies.benchmarks import real as measured
    from studies.benchmarks import report
    from studies.benchmarks.measuring import Place

    with one_line_errors():
        place = Place(results, data_dir, jobs, again)
        chosen = _folds(folds, measured.FOLDS)
        rows = measured.real(_words(learners), place, sets=_sets(sets), folds=chosen)
        _show(rows, report.real, results, "real")


@bench.command()
def few(
    learners: Learners = f"logistic,cart,forest,{PRICES},{OURS}",
    sets: Sets = "",
    data_dir: DataDir = None,
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Accuracy from 10 to 200 rows of the public tables."""
    from studies.benchmarks import report
    from studies.benchmarks.few_rows import few_rows
    from studies.benchmarks.measuring import Place

    with one_line_errors():
        place = Place(results, data_dir, jobs, again)
        rows = few_rows(_words(learners), place, sets=_sets(sets))
        _show(rows, report.few_rows, results, "few_rows")


@bench.command()
def synthetic(
    learners: Learners = f"cart,forest,flat:1,{OURS},posterior",
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Fidelity to hidden rules over 6 to 1,024 atoms, and how many are found exactly."""
    from studies.benchmarks import report_tasks
    from studies.benchmarks import synthetic as measured
    from studies.benchmarks.measuring import Place

    with one_line_errors():
        place = Place(results, jobs=jobs, again=again)
        rows = measured.synthetic(_words(learners), place)
        _show(rows, report_tasks.synthetic, results, "synthetic")
        rows = measured.recovery(_words(learners), place)
        _show(rows, report_tasks.recovery, results, "recovery")


@bench.command()
def noise(
    learners: Learners = f"majority,cart,forest,ripper,flat:1,{OURS}",
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Fidelity under label noise and beside spurious columns."""
    from studies.benchmarks import report_tasks
    from studies.benchmarks.measuring import Place
    from studies.benchmarks.robustness import draw, robustness

    with one_line_errors():
        rows = robustness(_words(learners), Place(results, jobs=jobs, again=again))
        _show(rows, report_tasks.noise, results, "noise")
        draw(rows, results / "noise.svg")


@bench.command()
def ablation(
    sets: Sets = "",
    data_dir: DataDir = None,
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """What each part of the default learner buys on the public tables."""
    from studies.benchmarks import ablation as measured
    from studies.benchmarks import report
    from studies.benchmarks.measuring import Place

    with one_line_errors():
        rows = measured.ablation(Place(results, data_dir, jobs, again), sets=_sets(sets))
        _show(rows, report.ablation, results, "ablation")


@bench.command()
def numeric(
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Raw numbers: RuleClassifier beside a tree on scikit-learn's tables."""
    from studies.benchmarks import numeric as measured
    from studies.benchmarks import report
    from studies.benchmarks.measuring import Place

    with one_line_errors():
        rows = measured.numeric(Place(results, jobs=jobs, again=again))
        _show(rows, report.numeric, results, "numeric")


@bench.command()
def own(
    folder: Annotated[Path, typer.Argument(help="Of CSV or Parquet files, the class last.")],
    learners: Learners = f"{OTHERS},{PRICES},flat:4,{OURS}",
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Accuracy on tables of your own, in five folds of their raw columns."""
    from studies.benchmarks import own as measured
    from studies.benchmarks import report
    from studies.benchmarks.measuring import Place

    with one_line_errors():
        place = Place(results, jobs=jobs, again=again)
        rows = measured.own(_words(learners), folder, place)
        _show(rows, report.own, results, "own")


@bench.command("scale")
def scale_(  # noqa: PLR0913 - one for each thing a user may ask
    learners: Learners = "guided+refine,guided,gnri,cart,ripper,figs,ebm",
    growth: Annotated[bool, typer.Option(help="Measure growth in rows and atoms too.")] = True,
    most_rows: Annotated[int, typer.Option(min=1000, help="The longest table.")] = 10_000_000,
    limit: Annotated[int, typer.Option(min=1, help="Seconds that one fit may take.")] = 600,
    results: Results = Path("results"),
    jobs: Jobs = 1,
    again: Again = False,
) -> None:
    """Seconds and memory from 1,000 to 10 million rows and from 10 to 100,000 atoms."""
    from studies.benchmarks import scale_report
    from studies.benchmarks.bandwidth import bandwidth
    from studies.benchmarks.measuring import Place
    from studies.benchmarks.scale import scale

    with one_line_errors():
        place = Place(results, jobs=jobs, again=again)
        rows = scale(_words(learners), place, growth=growth, most_rows=most_rows, limit=limit)
        found = bandwidth()
        _show(rows, lambda drawn: scale_report.report(drawn, found), results, "scale")
        scale_report.draw(rows, results / "scale.svg")


def _show(rows: Rows, draw: Callable[[Rows], str], results: Path, name: str) -> None:
    from studies.benchmarks.report import write

    text = draw(rows)
    write(results, name, text)
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
