"""`gnri predict`, `gnri explain`, `gnri export`, `gnri watch`, `gnri verify`, `gnri serve`."""

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnri.cli.application import AsJson, Decimal, Encoding, app, refuse
from gnri.cli.console import check_outputs, progress, read_input, write_text
from gnri.errors import GnriError, escape

if TYPE_CHECKING:
    from gnri.data.schema import Scalar
    from gnri.data.table import Table
    from gnri.formats.explanation import Explanation

SavedRule = Annotated[Path, typer.Argument(help="A rule that gnri induce --out saved.")]
Out = Annotated[Path | None, typer.Option(help="Write here, not to standard output.")]

PREDICTION_COLUMN = "prediction"
ALARM_EXIT_CODE = 3  # the exit code
PORT = 8765


@app.command()
def predict(
    rule: SavedRule,
    file: Annotated[str, typer.Argument(help="CSV, TSV, Parquet or Excel; - for standard input.")],
    out: Out = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
) -> None:
    """Add the column `prediction` to a table, and write it as CSV.

    The table needs only the columns that the rule reads. An empty cell is unknown; an unknown
    category is none of the known ones.
    """
    from gnri.data.sources import read_missing
    from gnri.data.structure import TextFormat
    from gnri.rules.documents import load_rules

    text = TextFormat(decimal, encoding)
    check_outputs([out], [rule, file])
    rule_list, path = load_rules(rule).compact(), Path(file)
    if path.is_dir() or (any(mark in path.name for mark in "*?[") and not path.exists()):
        what = "a folder" if path.is_dir() else "a pattern"
        raise GnriError(f"one file is predicted at a time, but {file} is {what}; name each file")
    table = read_input(file, text, may_be_empty=True)
    if PREDICTION_COLUMN in table:
        raise GnriError(f"{table.origin} has a column {PREDICTION_COLUMN!r} already; rename it")
    answers = rule_list.predict(read_missing(table, rule_list.na_values))
    write_text(_to_csv(table, answers), out)


def _to_csv(table: "Table", answers: "list[Scalar]") -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table, PREDICTION_COLUMN])
    rows = zip(*(column.texts() for column in table.values()), strict=True)
    for row, answer in zip(rows, answers, strict=True):
        writer.writerow([*row, str(answer).lower() if isinstance(answer, bool) else answer])
    return text.getvalue()


@app.command()
def explain(  # noqa: PLR0913 - one for each option
    rule: SavedRule,
    file: Annotated[str, typer.Argument(help="CSV, TSV, Parquet or Excel; - for standard input.")],
    row: Annotated[list[int] | None, typer.Option(help="A row, from 1; repeatable.")] = None,
    changeable: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that may change; repeatable. Say what would change the answer."
        ),
    ] = None,
    towards: Annotated[str | None, typer.Option(help="The answer that is wanted.")] = None,
    as_json: AsJson = False,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
) -> None:
    """Say why the rows of a table get their answers, and what would change these.

    With --changeable, the smallest changes of these columns are looked for: fewest columns first,
    then the least movement.
    """
    import numpy as np

    from gnri.data.structure import TextFormat
    from gnri.data.table import check_has
    from gnri.formats.conditions import format_value
    from gnri.formats.explanation import explain as explain_rows
    from gnri.rules.documents import load_rules

    rule_list = load_rules(rule).minimized()
    table = read_input(file, TextFormat(decimal, encoding, rule_list.na_values))
    for name in changeable or ():
        check_has(name, list(table), table.origin)
    rows = [one - 1 for one in row or range(1, table.rows + 1)]
    if not all(0 <= one < table.rows for one in rows):
        raise GnriError(f"--row must be from 1 to {table.rows}, the rows of {table.origin}")
    labels = {words: one for one in rule_list.classes for words in (str(one), format_value(one))}
    label = labels.get(towards, towards) if towards is not None else None
    found = explain_rows(rule_list, table.take(np.array(rows)), changeable, label)
    if as_json:
        typer.echo(
            json.dumps([_explanation(*one) for one in zip(rows, found, strict=True)], indent=2)
        )
        return
    for place, one in zip(rows, found, strict=True):
        typer.echo(f"row {place + 1}: {format_value(one.prediction)} - {one.reason}")
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
    rule: SavedRule,
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
    out: Out = None,
) -> None:
    """Write a saved rule as text, SQL, a program or JSON, with the same predictions."""
    from gnri.formats import FORMATS, render
    from gnri.rules.documents import load_rules, load_training

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
    if format_name == "pmml" and (training := load_training(rule)) is not None:
        from msgspec import to_builtins

        from gnri.report.batch import read_training

        counts, shown = read_training(training, rule_list)
        options["training"] = to_builtins(counts)
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
def watch(  # noqa: PLR0913 - one for each option
    context: typer.Context,
    rule: SavedRule,
    file: Annotated[
        str, typer.Argument(help="New rows: CSV, TSV, Parquet or Excel; - for standard input.")
    ],
    target: Annotated[
        str | None, typer.Option(help="The column of labels; an empty cell is no label yet.")
    ] = None,
    training: Annotated[
        str | None,
        typer.Option(help="Compare with this table, not with the counts in the rule file."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Slice by a column: months of dates, or its values.")
    ] = None,
    slices: Annotated[int, typer.Option(help="Slices in the order of the rows.", min=1)] = 12,
    alpha: Annotated[float, typer.Option(help="Corrected p-value below which a change counts.")] = (
        0.01
    ),
    psi: Annotated[float, typer.Option(help="Limit of a stability index.")] = 0.1,
    drop: Annotated[float, typer.Option(help="Limit of the fall of a precision.")] = 0.05,
    missing: Annotated[float, typer.Option(help="Limit of more empty cells.")] = 0.05,
    unseen: Annotated[float, typer.Option(help="Limit of unseen categories or labels.")] = 0.01,
    outside: Annotated[float, typer.Option(help="Limit of numbers out of range.")] = 0.01,
    report: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    as_json: AsJson = False,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
) -> None:
    """Say what changed since a rule was learnt, and which clause broke first.

    The exit code is 3 if a limit was crossed, so that a scheduler can raise an alarm.
    """
    from gnri.data.structure import TextFormat
    from gnri.report.change_checks import Limits
    from gnri.report.monitoring import watch_files
    from gnri.rules.documents import load_rules

    if by is not None:
        refuse(context, f"--by {by} says how to slice", "slices")
    check_outputs([report], [rule, file, training])
    limits = Limits(alpha, psi, drop, missing, unseen, outside)
    text = TextFormat(decimal, encoding, load_rules(rule).na_values)
    old = None if training is None else read_input(training, text)
    found = watch_files(rule, read_input(file, text), target, old, by or slices, limits)
    if report is not None:
        found.save(report)
    write_text(found.to_json() if as_json else found.to_text(), None)
    if found.alarms:
        raise typer.Exit(ALARM_EXIT_CODE)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="A dossier that gnri audit --dossier wrote.")],
    file: Annotated[str | None, typer.Argument(help="Your own copy of the table.")] = None,
    decimal: Decimal = ".",
    encoding: Encoding = "utf-8",
) -> None:
    """Check a dossier, and with a copy of the table do all of it again.

    Prints a line for each thing that differs; the exit code is then 1.
    """
    from gnri.data.structure import TextFormat
    from gnri.report.verification import verify_dossier

    with progress() as said:
        table = None if file is None else read_input(file, TextFormat(decimal, encoding))
        found = verify_dossier(folder, table, said)
    for line in found.notes:
        typer.echo(escape(f"note: {line}"))
    for line in found.differences:
        typer.echo(escape(f"differs: {line}"))
    typer.echo(escape(found.verdict))
    if found.differences:
        raise typer.Exit(1)


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
