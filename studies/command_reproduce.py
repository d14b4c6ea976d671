"""`python -m studies reproduce`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnri.cli.application import Device, one_line_errors
from gnri.errors import GnriError
from studies.application import app
from studies.command_datasets import DataDir

if TYPE_CHECKING:
    from studies.paper.running import Only
    from studies.paper.study import Place, Study


@app.command()
def reproduce(  # noqa: PLR0913 - one for each thing a user may ask
    names: Annotated[
        list[str] | None, typer.Argument(help="Studies, or all; none to list.")
    ] = None,
    tiny: Annotated[bool, typer.Option("--tiny", help="The whole chain at toy size.")] = False,
    render: Annotated[bool, typer.Option("--render", help="Only redraw from the rows.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Pieces with these values, as in seed=42,43.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Measure also what is there already.")
    ] = False,
    checkpoints: Annotated[Path | None, typer.Option(help="Folder of the sweep's runs.")] = None,
    results: Annotated[Path | None, typer.Option(help="Folder of the CSV files.")] = None,
    data_dir: DataDir = None,
    device: Device = "auto",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Measure tables and figures of the paper; what is measured already is kept.

    Without a name it lists the studies. With --tiny networks of a few seconds are trained first,
    and everything goes to runs/tiny.
    """
    from gnri.model.threads import device_named
    from studies.paper.protocol import load_protocol
    from studies.paper.study import Place

    with one_line_errors():
        if not names and not render:
            _list()
            return
        folder = results or Path("runs/tiny" if tiny else "results")
        place = Place(
            protocol=load_protocol(tiny=tiny),
            results=folder,
            checkpoints=checkpoints or (folder / "checkpoints" if tiny else Path("runs/sweep")),
            data_dir=data_dir,
            device=device_named(device),
        )
        asked = _studies(names or ["all"])
        if not render:
            _measure(asked, place, jobs=jobs, only=_only(only or []), again=again)
        if not only:  # the rows of one piece alone make no table
            _render(asked, place)


def _measure(studies: "list[Study]", place: "Place", **how: Any) -> None:
    from studies.paper.checkpoints import train_tiny
    from studies.paper.running import run

    if place.protocol.tiny:
        train_tiny(place)
    for study in studies:
        typer.echo(f"{study.name}: {run(study, place, **how)} pieces measured")


def _render(studies: "list[Study]", place: "Place") -> None:
    from studies.paper.document import refresh
    from studies.paper.rendering import render

    for study in studies:
        render(study, place.found)
    refresh(place.results.parent / "docs" / "reproduction.md", place.results)


def _list() -> None:
    from studies.paper.studies import studies

    for study in studies().values():
        typer.echo(f"{study.name:<16} {study.says}")


def _studies(names: list[str]) -> "list[Study]":
    from studies.paper.studies import studies, study_named

    return list(studies().values()) if "all" in names else [study_named(name) for name in names]


def _only(settings: list[str]) -> "Only":
    found = {}
    for setting in settings:
        key, equals, values = setting.partition("=")
        if not equals:
            raise GnriError(f"--only takes KEY=VALUE,VALUE, as in seed=42,43, got {setting!r}")
        found[key] = frozenset(values.split(","))
    return found
