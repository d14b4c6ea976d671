"""The command line."""

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
    from gnri.train.loop import train as run
    from gnri.train.recipe import load_recipe, with_overrides

    with _one_line_errors():
        settings = [*(set_ or []), *([] if seed is None else [f"seed={seed}"])]
        chosen = with_overrides(load_recipe(recipe), settings)
        folder = run(chosen, out or Path("runs") / f"{chosen.name}-{chosen.seed}", device=_device(device))
    typer.echo(f"checkpoint: {folder}")


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

    with _one_line_errors():
        if table != "scaling":
            raise GnriError(f"the tables are: scaling; got {table!r}")
        for folder in checkpoint:
            scaling.measure(folder, results / "scaling.csv", device=_device(device), condition=condition)


def _device(name: str) -> str:
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return name


class _one_line_errors:  # noqa: N801
    """Turn an error of ours into one line and exit code 2."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, GnriError):
            typer.echo(f"gnri: {error}", err=True)
            raise typer.Exit(2)
