"""`gnri induce`: a rule, or a program of state transitions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnri.cli.application import app, refuse
from gnri.cli.console import check_outputs, output, progress, write_text
from gnri.errors import GnriError

if TYPE_CHECKING:
    from gnri.cli.learning import FileFit
    from gnri.estimator.fitting import Fitted

File = Annotated[
    str,
    typer.Argument(
        help="CSV, TSV or Parquet; - for standard input; a folder or a quoted pattern such as "
        "'part-*.parquet' for a table in parts."
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(help="What the process may take, such as 2GB; the file is then read in parts."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="A Dask scheduler whose workers count, such as tcp://host:8786."),
]
Target = Annotated[str | None, typer.Option(help="The column to predict.")]
Ignore = Annotated[list[str] | None, typer.Option(help="Leave this column out; repeatable.")]
Model = Annotated[str | None, typer.Option(help="A bundled model, or a checkpoint's folder.")]
Refine = Annotated[bool, typer.Option(help="Whether a search goes on from the model's rule.")]
Binarize = Annotated[str, typer.Option(help="How columns are cut: auto, or median as the paper.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead.")]

PROGRAMS = ("program", "python")
OF_A_PROGRAM = {"file", "transitions", "out", "format_name", "as_json"}
"""The parameters that a program of transitions has use for."""


@app.command()
def induce(  # noqa: PLR0913 - one for each thing a user may ask
    context: typer.Context,
    file: File,
    target: Target = None,
    transitions: Annotated[
        bool, typer.Option("--transitions", help="Learn a program from state transitions instead.")
    ] = False,
    ignore: Ignore = None,
    model: Model = None,
    refine: Refine = True,
    binarize: Binarize = "auto",
    max_clauses: Annotated[int | None, typer.Option(help="Clauses a rule may have.")] = None,
    max_literals: Annotated[int | None, typer.Option(help="Literals a clause may have.")] = None,
    negations: Annotated[bool, typer.Option(help="Whether clauses may hold negations.")] = True,
    estimate: Annotated[
        bool | None, typer.Option(help="Try it on held-out rows; else only if that is quick.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Save the rule (or the program) here.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about the rule here.")] = None,
    format_name: Annotated[
        str, typer.Option("--format", help="With --transitions: program or python.")
    ] = "program",
    as_json: AsJson = False,
    memory: Memory = None,
    scheduler: Scheduler = None,
) -> None:
    """Learn a rule for a column of a table, and say how good it is.

    With --transitions, FILE holds pairs of states, columns x, y, ... and x', y', ... (or x_next),
    all 0 or 1, and the answer is a logic program of the system.

    A table in parts, or one that is large, is never read into memory as a whole: its rows are
    counted where they are. The rule is the same; it is not tried on held-out rows.
    """
    # long: each parameter is a line of the help, and here they are put together.
    if transitions:
        others = {str(one.name) for one in context.command.params} - OF_A_PROGRAM
        refuse(context, "--transitions learns a program, not a rule", *others)
        _learn_program(file, format_name, out, as_json)
        return
    from gnri.data.discretize import STRATEGIES

    if binarize not in STRATEGIES:
        raise GnriError(f"binarize must be 'auto' or 'median', got {binarize!r}")
    refuse(context, "a rule is saved with --out and then written with `gnri export`", "format_name")
    check_outputs([out, report], [file, model])
    from gnri.cli.learning import fit_source, is_in_parts
    from gnri.data.sources import TableSource, open_source, read_table
    from gnri.estimator.fitting import FitSettings

    in_parts = is_in_parts(file, memory, scheduler)
    if in_parts:
        _check_needs_no_rows(report, estimate)
    settings = FitSettings(
        model=model or "guided",
        refine=refine,
        strategy=binarize,
        max_clauses=max_clauses,
        max_literals=max_literals,
        negations=negations,
    )
    source = open_source(file) if in_parts else TableSource.of(read_table(file))
    found = fit_source(source, target, ignore or (), settings, memory, scheduler)
    _answer(found, out, estimate, as_json)
    if report is not None:  # last, as it takes ten times as long as the rule
        _write_page(found.fitted, report)


def _check_needs_no_rows(report: Path | None, estimate: bool | None) -> None:
    """Raise, before any work is done, if something is asked for that needs rows in memory."""
    if report is not None:
        raise GnriError("a page pictures the rows, which takes them in memory; leave --report out")
    if estimate:
        raise GnriError(
            "rows of a table in parts are not held out; leave --estimate out, keep some files "
            "back, and try the rule on them with `gnri predict`"
        )


def _answer(found: "FileFit", out: Path | None, wanted: bool | None, as_json: bool) -> None:
    """Save and print the rule and then, as that takes longer, how it does on held-out rows."""
    from gnri.cli import display, learning
    from gnri.rules.documents import save_rules

    if out is not None:
        save_rules(found.fitted.rule_list, out)
    if as_json:
        content = display.to_document(found, learning.estimate(found.fitted, wanted))
        typer.echo(json.dumps(content, indent=2, allow_nan=False))
        return
    screen = output()
    display.show_rule(screen, found)
    display.show_facts(screen, found, learning.estimate(found.fitted, wanted))


def _write_page(fitted: "Fitted", path: Path) -> None:
    with progress() as report:
        report("writing the page")
        from gnri.report.facts import gather_facts
        from gnri.report.page import write_page

        write_page(gather_facts(fitted, folds=5), path)


def _learn_program(file: str, format_name: str, out: Path | None, as_json: bool) -> None:
    """Learn the system in a file of transitions, and write it in the form asked for."""
    from gnri.data.sources import read_table
    from gnri.messages import shorten

    if format_name not in PROGRAMS:
        raise GnriError(
            f"--format must be {' or '.join(PROGRAMS)} with --transitions; got {format_name!r}"
        )
    check_outputs([out], [file])
    table = read_table(file)
    with progress() as report:
        report("looking for the rules")
        from gnri.transitions import learn, read_transitions, to_program, to_python

        given = read_transitions(table)
        learnt = learn(given)
    reproduced, rows = learnt.reproduced(given), len(given.now)
    verdict = f"{shorten(table.origin)}: reproduces {reproduced:,} of {rows:,} transitions"
    programs = {
        "program": f"% {verdict}\n{to_program(learnt)}",
        "python": f"# {verdict}\n{to_python(learnt)}",
    }
    content = {
        "format": "gnri-program",
        "version": 1,
        "source": table.origin,
        "variables": list(learnt.variables),
        "transitions": rows,
        "reproduced": reproduced,
        **programs,
    }
    write_text(json.dumps(content, indent=2) if as_json else programs[format_name], out)
