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
        with one_line_errors():
            return super().make_context(*words, **extra)

    def invoke(self, ctx: Any) -> Any:
        with one_line_errors():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    help="Logic rules from labelled tables.",
)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn an error of the user, of ours or of the disk into one line and exit code 2."""
    try:
        yield
        return
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise  # the help was said instead
        said = " ".join(error.format_message().split())
        command = error.ctx.command_path if error.ctx else "gnri"
        line = f"{said}{'' if said.endswith(('.', '?')) else '.'} See `{command} --help`"
    except GnriError as error:
        line = str(error)
    except BrokenPipeError:
        raise  # who read the answer has seen enough
    except OSError as error:
        line = f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"
    typer.echo(f"gnri: {line}", err=True)
    raise typer.Exit(2)


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
