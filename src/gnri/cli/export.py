"""`gnri export`."""

from pathlib import Path
from typing import Annotated

import typer

from gnri.cli.application import app, one_line_errors
from gnri.cli.wishes import refuse
from gnri.errors import GnriError

FORMATS = ("text", "sql", "python", "prolog", "latex", "json")


@app.command()
def export(
    context: typer.Context,
    rule: Annotated[Path, typer.Argument(help="A rule that gnri induce --out saved.")],
    to: Annotated[str, typer.Option(help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")] = "text",
    table: Annotated[str, typer.Option(help="With --to sql, the table to read.")] = "data",
    out: Annotated[Path | None, typer.Option(help="Write here, not to standard output.")] = None,
) -> None:
    """Write a saved rule as words, a query, a program or a document; each predicts as it does."""
    from gnri import render
    from gnri.cli.console import write_text
    from gnri.cli.outputs import check_outputs
    from gnri.render.shorten import shortened

    with one_line_errors():
        if to not in FORMATS:
            raise GnriError(f"a rule is exported --to {', '.join(FORMATS)}; got {to!r}")
        if to != "sql":
            refuse(context, f"--to {to} reads no table", "table")
        check_outputs([out], [rule])
        ruleset = render.read_ruleset(rule)
        if to == "json":
            write_text(render.to_json(ruleset), out)
        elif to == "sql":
            write_text(render.to_sql(shortened(ruleset), table), out)
        else:
            write_text(getattr(render, f"to_{to}")(shortened(ruleset)), out)
