"""`gnri serve`."""

from typing import Annotated

import typer

from gnri.cli.application import app, one_line_errors
from gnri.errors import GnriError

PORT = 8765


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Where to listen; 0 for any free port.")] = PORT,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")
    ] = True,
) -> None:
    """Open a page on this machine to drop a table on, see its rule, and try to break it."""
    with one_line_errors():
        try:
            from gnri.web.server import serve as run
        except ImportError as error:
            raise GnriError(
                f"the page needs the package {error.name}; install it with pip install 'gnri[web]'"
            ) from None
        run(port, browser=browser, say=_say)


def _say(url: str) -> None:
    typer.echo(f"gnri is at {url} (stop it with Ctrl+C)")
