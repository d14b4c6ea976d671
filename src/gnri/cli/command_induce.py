"""`gnri induce`."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnri.cli.application import app, one_line_errors
from gnri.cli.options import refuse

if TYPE_CHECKING:
    from gnri.cli.held_out import Tried
    from gnri.cli.learning import About, Learnt

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

_OF_A_RULE = (
    *("target", "ignore", "model", "refine", "binarize", "max_clauses", "max_literals"),
    *("negations", "estimate", "html", "memory", "scheduler"),
)
"""Options that a program of transitions has no use for."""


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
    html: Annotated[Path | None, typer.Option(help="Write a page about the rule here.")] = None,
    to: Annotated[str, typer.Option(help="With --transitions: program or python.")] = "program",
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
    settings = {
        "model": model,
        "refine": refine,
        "binarize": binarize,
        "max_clauses": max_clauses,
        "max_literals": max_literals,
        "negations": negations,
    }
    with one_line_errors():
        if transitions:
            from gnri.cli.command_program import learn_program

            refuse(context, "--transitions learns a program, not a rule", *_OF_A_RULE)
            learn_program(file, to, out, as_json)
            return
        refuse(context, "a rule is saved with --out and then written with `gnri export`", "to")
        from gnri.cli import learning, parts
        from gnri.cli.held_out import try_held_out
        from gnri.cli.outputs import check_outputs

        folder = model if model is not None and Path(model).is_dir() else None
        check_outputs([out, html], [file, folder])
        if parts.in_parts(file, memory, scheduler):
            parts.check_unasked(html, estimate)
            where = parts.Where(file, target, ignore or [], memory, scheduler)
            about, learnt = parts.learn_parts(where, settings)
            tries: Callable[[], Tried] = parts.not_tried
        else:
            task = learning.task_of(file, target, ignore or [])
            about, learnt = task.about(), learning.learn(task, settings)
            tries = partial(try_held_out, task, learnt, estimate)
        if out is not None:
            learning.save(learnt, out)
        _answer(about, learnt, tries, as_json)
        if html is not None:  # last, as it takes ten times as long as the rule
            learning.write_page(task, learnt, html)


def _answer(about: "About", learnt: "Learnt", tries: "Callable[[], Tried]", as_json: bool) -> None:
    """Say the rule and then, as that takes longer, how it does on held-out rows."""
    from gnri.cli import console
    from gnri.cli import display as showing

    if as_json:
        content = showing.document(about, learnt, tries())
        typer.echo(json.dumps(content, indent=2, allow_nan=False))
        return
    screen = console.output()
    showing.show_rule(screen, about, learnt)
    showing.show_facts(screen, about, learnt, tries())
