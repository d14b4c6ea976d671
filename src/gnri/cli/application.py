"""The command line: one application, to which each module of this package adds its commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from gnri.errors import GnriError

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Logic rules from labelled tables."
)

Device = Annotated[str, typer.Option(help="cpu, cuda, or auto for a GPU where there is one.")]


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
