"""`python -m studies datasets`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnri.cli.application import one_line_errors
from gnri.cli.console import output, write_text
from gnri.cli.outputs import check_outputs
from gnri.errors import GnriError
from studies.application import app

if TYPE_CHECKING:
    from studies.datasets.listing import Facts

DataDir = Annotated[
    Path | None, typer.Option(help="Folder of tables with schema.json; else GNRI_DATA.")
]


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="One table; all are listed if none.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table to this CSV file.")] = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the tables that are known by name, describe one, or write one to a file."""
    from studies.datasets.listing import facts, listed
    from studies.datasets.loading import load

    with one_line_errors():
        if out is not None:
            _write(name, out, data_dir)
            return
        found = listed(data_dir) if name is None else [facts(load(name, data_dir))]
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in found], indent=1))
    else:
        _print(found)


def _write(name: str | None, out: Path, data_dir: Path | None) -> None:
    from studies.datasets.loading import folder_of, load

    if name is None:
        raise GnriError(
            "--out needs the name of one table; `python -m studies datasets` lists them"
        )
    check_outputs([out], [folder_of(data_dir)])
    write_text(load(name, data_dir).to_csv(), out)
    typer.echo(f"{name}: {out}")


def _print(found: "list[Facts]") -> None:
    from rich.table import Table

    table = Table(box=None)
    for title in found[0]._fields:
        table.add_column(title, justify="left" if title in ("name", "origin") else "right")
    for row in found:
        table.add_row(*map(_cell, row))
    output().print(table)


def _cell(fact: object) -> str:
    if fact is None:
        return "-"
    return f"{fact:.1%}" if isinstance(fact, float) else str(fact)
