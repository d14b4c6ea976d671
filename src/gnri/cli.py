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
    table: Annotated[str, typer.Argument(help="scaling, anchors or rule_eq.")],
    checkpoint: Annotated[
        list[Path] | None, typer.Option(help="Folder of a checkpoint; repeatable.")
    ] = None,
    condition: Annotated[str | None, typer.Option(help="Read it under this condition.")] = None,
    device: Device = "auto",
    results: Annotated[Path, typer.Option(help="Folder of the CSV files.")] = Path("results"),
    render: Annotated[bool, typer.Option(help="Only redraw from the CSV files.")] = False,
) -> None:
    """Measure a table of the paper and add the rows to its CSV file."""
    from gnri.bench import anchors, rule_eq, scaling
    from gnri.bench import render as rendering
    from gnri.model.device import device_named

    with _one_line_errors():
        if table not in ("scaling", "anchors", "rule_eq"):
            raise GnriError(f"the tables are scaling, anchors and rule_eq; got {table!r}")
        if not render and table == "anchors":
            anchors.measure(results / "scaling.csv")
        for folder in [] if render else checkpoint or []:
            if table == "rule_eq":
                rule_eq.measure(folder, results / "rule_eq.csv")
            else:
                place = device_named(device)
                scaling.measure(folder, results / "scaling.csv", device=place, condition=condition)
        rendering.write(results)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn an error of ours into one line and exit code 2."""
    try:
        yield
    except GnriError as error:
        typer.echo(f"gnri: {error}", err=True)
        raise typer.Exit(2) from None
