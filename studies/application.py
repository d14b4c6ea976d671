"""The command line of the studies: one application, to which each command module adds its own."""

import typer

from gnri.cli.application import Commands

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    help="Train, reproduce the paper, measure learners, read public tables.",
)
