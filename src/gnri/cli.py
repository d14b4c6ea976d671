"""The command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from gnri.errors import GnriError

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Logic rules from labelled tables."
)

Device = Annotated[str, typer.Option(help="cpu, cuda, or auto for a GPU where there is one.")]


@app.command()
def train(
    recipe: Annotated[Path, typer.Argument(help="A TOML recipe, such as recipes/gnri.toml.")],
    seed: Annotated[int | None, typer.Option(help="Instead of the recipe's seed.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; runs/NAME-SEED.")] = None,
    device: Device = "auto",
    set_: Annotated[list[str] | None, typer.Option("--set", help="train.steps=100, ...")] = None,
) -> None:
    """Train a network by a recipe; a run that was cut off goes on where it stopped."""
    from gnri.model.device import device_named
    from gnri.train.loop import train as run
    from gnri.train.recipe import load_recipe, with_overrides

    with _one_line_errors():
        settings = [*(set_ or []), *([] if seed is None else [f"seed={seed}"])]
        chosen = with_overrides(load_recipe(recipe), settings)
        folder = out or Path("runs") / f"{chosen.name}-{chosen.seed}"
        checkpoint = run(chosen, folder, device=device_named(device))
    typer.echo(f"checkpoint: {checkpoint}")


@app.command()
def reproduce(
    table: Annotated[str, typer.Argument(help="scaling")],
    checkpoint: Annotated[list[Path], typer.Option(help="Folder of a checkpoint; repeatable.")],
    condition: Annotated[str | None, typer.Option(help="Read it under this condition.")] = None,
    device: Device = "auto",
    results: Annotated[Path, typer.Option(help="Folder of the CSV files.")] = Path("results"),
) -> None:
    """Measure a table of the paper and add the rows to its CSV file."""
    from gnri.bench import scaling
    from gnri.model.device import device_named

    with _one_line_errors():
        if table != "scaling":
            raise GnriError(f"the tables are: scaling; got {table!r}")
        place, csv = device_named(device), results / "scaling.csv"
        for folder in checkpoint:
            scaling.measure(folder, csv, device=place, condition=condition)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn an error of ours into one line and exit code 2."""
    try:
        yield
    except GnriError as error:
        typer.echo(f"gnri: {error}", err=True)
        raise typer.Exit(2) from None
