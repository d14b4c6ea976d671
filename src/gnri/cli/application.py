"""The application: its version, one-line errors, and refused options."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gnri.cli.console import open_streams
from gnri.errors import GnriError
from gnri.messages import escape

UsageError: Any = typer.BadParameter.__bases__[0]
"""The error of a mistyped command; typer has no public name for it."""


class Commands(TyperGroup):
    """A group of commands whose errors are one line each."""

    def make_context(self, *words: Any, **extra: Any) -> Any:
        """Parse the command line."""
        with one_line_errors():
            return super().make_context(*words, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with one_line_errors():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result

    def main(self, *words: Any, **extra: Any) -> Any:
        """Parse the command line and run the command, whatever the standard streams are."""
        open_streams()
        return super().main(*words, **extra)


app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gnri {version('gnri')}")
        raise typer.Exit


@app.callback()
def main(
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Learn logic rules from labelled tables."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Print a usage error, a `GnriError` or a file error as one line, with exit code 2."""
    try:
        yield
        return
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise  # the help was printed instead
        message = " ".join(error.format_message().split())
        command = error.ctx.command_path if error.ctx else "gnri"
        line = f"{message}{'' if message.endswith(('.', '?')) else '.'} See `{command} --help`"
    except GnriError as error:
        line = str(error)
    except OSError as error:
        line = f"{error.filename or 'a file'} cannot be used: {error.strerror or error}"
    typer.echo(f"gnri: {escape(line)}", err=True)
    raise typer.Exit(2)


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Raise if one of these options, named by their parameters, was given."""
    sources = {name: context.get_parameter_source(name) for name in names}
    typed = [
        option.opts[0]
        for option in context.command.params
        if (source := sources.get(option.name or "")) and source.name == "COMMANDLINE"
    ]
    if typed:
        raise GnriError(f"{why}; leave {' and '.join(typed)} out")
