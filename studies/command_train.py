"""`python -m studies train`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gnri.cli.application import Device, one_line_errors
from studies.application import app


@app.command()
def train(  # noqa: PLR0913 - one for each thing a user may ask
    recipe: Annotated[Path, typer.Argument(help="A TOML recipe, such as recipes/gnri.toml.")],
    seed: Annotated[int | None, typer.Option(help="Instead of the recipe's seed.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; runs/NAME-SEED.")] = None,
    device: Device = "auto",
    init: Annotated[Path | None, typer.Option(help="Start from this checkpoint of guided.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that draw the critic's tasks.")] = 1,
    set_: Annotated[list[str] | None, typer.Option("--set", help="train.steps=100, ...")] = None,
) -> None:
    """Train a network or a critic by a recipe; a run that was cut off goes on where it stopped."""
    from gnri.model.threads import device_named
    from studies.training.recipe import load_recipe, with_overrides
    from studies.training.training import train as run

    with one_line_errors():
        settings = [*(set_ or []), *([] if seed is None else [f"seed={seed}"])]
        settings += [] if init is None else [f"init={json.dumps(str(init))}"]
        chosen = with_overrides(load_recipe(recipe), settings)
        folder = out or Path("runs") / f"{chosen.name}-{chosen.seed}"
        checkpoint = run(chosen, folder, device=device_named(device), jobs=jobs)
    typer.echo(f"checkpoint: {checkpoint}")
