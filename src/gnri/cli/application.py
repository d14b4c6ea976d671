"""The application: its commands, one-line errors, and options that would change nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from gnri.errors import GnriError

UsageError: Any = typer.BadParameter.__bases__[0]
"""A command typed wrong; typer has no public name for it."""


class Commands(TyperGroup):
    """A group of commands whose errors are one line each."""

    def make_context(self, *words: Any, **extra: Any) -> Any:
        with _one_line_usage():
            return super().make_context(*words, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _one_line_usage(), one_line_errors():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    help="Logic rules from labelled tables.",
)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn an error of ours, or of the disk, into one line and exit code 2."""
    try:
        yield
    except GnriError as error:
        typer.echo(f"gnri: {error}", err=True)
        raise typer.Exit(2) from None
    except BrokenPipeError:
        raise  # who read the answer has seen enough
    except OSError as error:
        place = error.filename or "a file"
        typer.echo(f"gnri: {place} cannot be used: {error.strerror or error}", err=True)
        raise typer.Exit(2) from None


@contextmanager
def _one_line_usage() -> Iterator[None]:
    """Turn a usage error, of which typer would draw a box, into one line and exit code 2."""
    try:
        yield
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise  # the help was said instead
        said = " ".join(error.format_message().split())
        command = error.ctx.command_path if error.ctx else "gnri"
        ending = "" if said.endswith((".", "?")) else "."
        typer.echo(f"gnri: {said}{ending} See `{command} --help`", err=True)
        raise typer.Exit(2) from None


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Raise if one of the options, by the names of their parameters, was typed."""
    sources = {name: context.get_parameter_source(name) for name in names}
    typed = [
        option.opts[0]
        for option in context.command.params
        if (source := sources.get(option.name or "")) and source.name == "COMMANDLINE"
    ]
    if typed:
        raise GnriError(f"{why}; leave {' and '.join(typed)} out")
