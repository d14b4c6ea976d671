"""`gnri reproduce`."""

from pathlib import Path
from typing import Annotated

import typer

from gnri.cli.application import Device, app, one_line_errors
from gnri.errors import GnriError


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

    with one_line_errors():
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
