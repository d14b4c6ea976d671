"""The server of the page, on this machine alone."""

import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from gnri.errors import GnriError
from gnri.web.app import DEFAULT, make_app
from gnri.web.security import Limits

ADDRESS = "127.0.0.1"


class Server(uvicorn.Server):
    """A server that stops at once, also in the middle of a request."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Cancel the running requests, which `Guard` then answers, and close."""
        for task in self.server_state.tasks:
            task.cancel()
        await super().shutdown(sockets)


def serve(
    port: int, *, browser: bool, say: Callable[[str], None], limits: Limits = DEFAULT
) -> None:
    """Serve the page until interrupted; port 0 takes any free port."""
    listening = listen(port)
    port = listening.getsockname()[1]
    url = f"http://{ADDRESS}:{port}/"
    app = make_app(frozenset({f"{ADDRESS}:{port}", f"localhost:{port}"}), limits)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    say(url)
    if browser:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    Server(config).run(sockets=[listening])


def listen(port: int) -> socket.socket:
    """Return a socket that already listens, so that a browser opened at once finds it."""
    # asyncio sends small answers at once only if the protocol is named; else each waits 40 ms.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((ADDRESS, port))
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or "not a port number"
        raise GnriError(
            f"port {port} cannot be used: {reason}; choose another with --port, or 0 for any"
        ) from None
    found.listen(128)
    return found
