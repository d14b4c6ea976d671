"""`python -m studies`: train, reproduce the paper, measure learners, read public tables."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gnri.cli.application import Commands, one_line_errors
from gnri.cli.console import check_outputs, output, write_text
from gnri.errors import GnriError
from studies.bench import DataDir, Force, Jobs, bench, check_torch

Device = Annotated[str, typer.Option(help="cpu, cuda, or auto for a GPU where there is one.")]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    help="Train, reproduce the paper, measure learners, read public tables.",
)


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
    with one_line_errors():
        check_torch()
        from studies import training
        from studies.training.recipe import load_recipe, with_overrides

        settings = [*(set_ or []), *([] if seed is None else [f"seed={seed}"])]
        settings += [] if init is None else [f"init={json.dumps(str(init))}"]
        chosen = with_overrides(load_recipe(recipe), settings)
        folder = out or Path("runs") / f"{chosen.name}-{chosen.seed}"
        place = training.device_named(device)
        checkpoint = training.train(chosen, folder, device=place, jobs=jobs)
    typer.echo(f"checkpoint: {checkpoint}")


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
    force: Force = False,
    checkpoints: Annotated[Path | None, typer.Option(help="Folder of the sweep's runs.")] = None,
    results: Annotated[Path | None, typer.Option(help="Folder of the CSV files.")] = None,
    data_dir: DataDir = None,
    device: Device = "auto",
    jobs: Jobs = 1,
) -> None:
    """Measure tables and figures of the paper; what is measured already is kept.

    Without a name it lists the studies. With --tiny networks of a few seconds are trained first,
    and everything goes to runs/tiny.
    """
    with one_line_errors():
        check_torch()
        from studies.markdown import refresh_page
        from studies.paper import studies, study_named
        from studies.paper.networks import train_tiny
        from studies.study import PAGES, Context, load_protocol, run
        from studies.study import render as draw
        from studies.training import device_named

        if not names and not render:
            for name in studies():
                typer.echo(f"{name:<16} {PAGES[name]['summary']}")
            return
        folder = results or Path("runs/tiny" if tiny else "results")
        weights = checkpoints or (folder / "checkpoints" if tiny else Path("runs/sweep"))
        protocol, place = load_protocol(tiny=tiny), device_named(device)
        context = Context(folder, data_dir, jobs, force, protocol, weights, place)
        every = not names or "all" in names
        chosen = [study_named(name) for name in (studies() if every else names or ())]
        wanted: dict[str, frozenset[str]] = {}
        for setting in only or []:
            key, equals, values = setting.partition("=")
            if not equals:
                raise GnriError(f"--only takes KEY=VALUE,VALUE, as in seed=42,43, got {setting!r}")
            wanted[key] = frozenset(values.split(","))
        if tiny and not render:
            train_tiny(context)
        for study in [] if render else chosen:
            typer.echo(f"{study.name}: {run(study, context, wanted)} pieces measured")
        if not only:  # the rows of one piece alone make no table
            for study in chosen:
                draw(study, context)
            refresh_page(folder.parent / "docs" / "reproduction.md", folder)


app.add_typer(bench, name="bench")


@app.command()
def datasets(
    name: Annotated[
        str | None,
        typer.Argument(help="One table, or keel for 27 raw ones; all are listed if none."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the table to this CSV file; keel to this folder.")
    ] = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tables that are known by name, describe one, or write one to a file."""
    from rich.table import Table

    from studies.datasets.registry import facts, folder_of, list_facts, load

    with one_line_errors():
        if out is not None:
            if name is None:
                raise GnriError(
                    "--out needs the name of one table; `python -m studies datasets` lists them"
                )
            if name == "keel":
                from studies.datasets.keel import write_keel

                typer.echo(f"{write_keel(out)} tables: {out}")
                return
            check_outputs([out], [folder_of(data_dir)])
            write_text(load(name, data_dir).to_csv(), out)
            typer.echo(f"{name}: {out}")
            return
        found = list_facts(data_dir) if name is None else [facts(load(name, data_dir))]
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in found], indent=1))
        return
    table = Table(box=None)
    for title in found[0]._fields:
        table.add_column(title, justify="left" if title in ("name", "origin") else "right")
    for row in found:
        cells = ("-" if fact is None else fact for fact in row)
        table.add_row(*(f"{c:.1%}" if isinstance(c, float) else str(c) for c in cells))
    output().print(table)


if __name__ == "__main__":
    app(prog_name="python -m studies")
