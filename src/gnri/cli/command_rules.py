"""`gnri predict`, `gnri explain`, `gnri export` and `gnri serve`."""

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnri.cli.application import app, refuse
from gnri.cli.console import check_outputs, read_input, write_text
from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.data.schema import Scalar
    from gnri.data.table import Table
    from gnri.formats.explanation import Explanation

ADDED = "prediction"
PORT = 8765


@app.command()
def predict(
    rule: Annotated[Path, typer.Argument(help="A rule that gnri induce --out saved.")],
    file: Annotated[str, typer.Argument(help="CSV, TSV or Parquet; - for standard input.")],
    out: Annotated[Path | None, typer.Option(help="Write here, not to standard output.")] = None,
) -> None:
    """Add the column `prediction` to a table, and write it as CSV.

    The table needs only the columns that the rule reads. An empty cell is unknown; an unknown
    category is none of the known ones.
    """
    from gnri.rules.documents import load_rules

    check_outputs([out], [rule, file])
    rule_list, path = load_rules(rule).compact(), Path(file)
    if path.is_dir() or (any(mark in path.name for mark in "*?[") and not path.exists()):
        what = "a folder" if path.is_dir() else "a pattern"
        raise GnriError(f"one file is predicted at a time, but {file} is {what}; name each file")
    table = read_input(file, may_be_empty=True)
    if ADDED in table:
        raise GnriError(f"{table.origin} has a column {ADDED!r} already; rename it")
    write_text(_to_csv(table, rule_list.predict(table)), out)


def _to_csv(table: "Table", answers: "list[Scalar]") -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table, ADDED])
    rows = zip(*(column.texts() for column in table.values()), strict=True)
    for row, answer in zip(rows, answers, strict=True):
        writer.writerow([*row, str(answer).lower() if isinstance(answer, bool) else answer])
    return text.getvalue()


@app.command()
def explain(
    rule: Annotated[Path, typer.Argument(help="A rule that gnri induce --out saved.")],
    file: Annotated[str, typer.Argument(help="CSV, TSV or Parquet; - for standard input.")],
    row: Annotated[list[int] | None, typer.Option(help="A row, from 1; repeatable.")] = None,
    changeable: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that may change; repeatable. Say what would change the answer."
        ),
    ] = None,
    towards: Annotated[str | None, typer.Option(help="The answer that is wanted.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Say why the rows of a table get their answers, and what would change these.

    With --changeable, the smallest changes of these columns are looked for: fewest columns first,
    then the least movement.
    """
    import numpy as np

    from gnri.data.table import check_has
    from gnri.formats.explanation import explain as explain_rows
    from gnri.rules.documents import load_rules

    rule_list, table = load_rules(rule).minimized(), read_input(file)
    for name in changeable or ():
        check_has(name, list(table), table.origin)
    rows = [one - 1 for one in row or range(1, table.rows + 1)]
    if not all(0 <= one < table.rows for one in rows):
        raise GnriError(f"--row must be from 1 to {table.rows}, the rows of {table.origin}")
    labels = {str(label): label for label in rule_list.classes}
    label = labels.get(towards, towards) if towards is not None else None
    found = explain_rows(rule_list, table.take(np.array(rows)), changeable, label)
    if as_json:
        typer.echo(
            json.dumps([_explanation(*one) for one in zip(rows, found, strict=True)], indent=2)
        )
        return
    for place, one in zip(rows, found, strict=True):
        typer.echo(f"row {place + 1}: {one.prediction} - {one.reason}")
        for line in (words for some in one.fired.values() for words in some):
            typer.echo(f"    {line}")
        for change in one.changes:
            typer.echo(f"    {change.words}")
        if changeable and not one.changes:
            typer.echo("    no change of these columns changes the answer")


def _explanation(place: int, one: "Explanation") -> dict[str, Any]:
    return {
        "row": place + 1,
        "prediction": one.prediction,
        "reason": one.reason,
        "fired": {str(label): words for label, words in one.fired.items()},
        "changes": [
            {**change._asdict(), "movement": float(change.movement)} for change in one.changes
        ],
    }


@app.command()
def export(
    context: typer.Context,
    rule: Annotated[Path, typer.Argument(help="A rule that gnri induce --out saved.")],
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            help="text, sql, python, pandas, javascript, prolog, dmn, pmml, latex or json.",
        ),
    ] = "text",
    table: Annotated[str, typer.Option(help="With --format sql, the table to read.")] = "data",
    points_scale: Annotated[
        str | None,
        typer.Option(
            help="With points as text or latex: a score, the odds there, and the points that "
            "double the odds, such as 600,50,20."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write here, not to standard output.")] = None,
) -> None:
    """Write a saved rule as text, SQL, a program or JSON, with the same predictions."""
    from gnri.formats import FORMATS, render
    from gnri.rules.documents import load_rules

    if format_name not in FORMATS:
        raise GnriError(f"--format must be one of {', '.join(FORMATS)}; got {format_name!r}")
    if format_name != "sql":
        refuse(context, f"--format {format_name} reads no table", "table")
    check_outputs([out], [rule])
    rule_list = load_rules(rule)
    options: dict[str, Any] = {"table": table} if format_name == "sql" else {}
    if format_name not in ("text", "latex"):
        refuse(context, f"--format {format_name} has points as they were learnt", "points_scale")
    elif points_scale is not None:
        options["points_scale"] = _read_scale(points_scale)
    shown = rule_list if format_name == "json" else rule_list.minimized()
    write_text(render(shown, format_name, **options), out)


def _read_scale(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise GnriError(
            "--points-scale must be three numbers with commas between them, such as 600,50,20; "
            f"got {text!r}"
        ) from None


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Where to listen; 0 for any free port.")] = PORT,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")
    ] = True,
) -> None:
    """Open a local web page: drop a table on it, see its rule, and try to break it."""
    try:
        from gnri.web.app import serve as run
    except ImportError as error:
        raise GnriError(
            f"the page needs the package {error.name}; install it with pip install 'gnri[web]'"
        ) from None

    run(
        port,
        browser=browser,
        say=lambda url: typer.echo(f"gnri is at {url} (stop it with Ctrl+C)"),
    )
