"""The HTTP server: limits on connections, and on the time that each may do nothing."""

import asyncio
import socket
import time
from typing import Any

import h11
import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from gnri.web.security import HEADERS, Limits

QUEUE = 128  # connections that wait to be accepted
ACCEPTED = 16  # at one time; with 256 open files, as on macOS, too many more would fail


class Server(uvicorn.Server):
    """A server that closes connections that take too long, and stops without waiting for any."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_make_protocol(limits.connections),
                ws="none",
                backlog=ACCEPTED,
                log_level="warning",
                access_log=False,
                server_header=False,
                lifespan="on",
                timeout_graceful_shutdown=1,
            )
        )
        self.limits = limits
        # The last request of each connection, when it was last busy, and when all was sent.
        self._seen: dict[Any, tuple[Any, float, float]] = {}

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        for one in sockets or []:
            one.listen(QUEUE)  # asyncio set it to `backlog`

    async def on_tick(self, counter: int) -> bool:
        """Close connections that take too long; return whether to stop."""
        now, seen = time.monotonic(), {}
        connections: list[Any] = list(self.server_state.connections)
        for one in connections:
            request = one.cycle
            last, busy, sent = self._seen.get(one, (None, now, now))
            if request is not last or not (request is None or request.response_complete):
                busy = now
            if not one.transport.get_write_buffer_size():
                sent = now
            seen[one] = request, busy, sent
            if now - busy > self.limits.header or now - sent > self.limits.writing:
                one.transport.abort()
        self._seen = seen
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Cancel the running requests, which `SecurityMiddleware` then answers, and close."""
        for task in self.server_state.tasks:
            task.cancel()
        await super().shutdown(sockets)


def _make_protocol(most: int) -> type[H11Protocol]:
    """Return the protocol of connections, of which there may be so many."""

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most:
                self._refuse(503, "too many connections; try again soon", {"Retry-After": "2"})

        def send_400_response(self, msg: str) -> None:
            self._refuse(400, msg, {})

        def _refuse(self, status: int, error: str, headers: dict[str, str]) -> None:
            """Answer in place of the application, unless it has begun to, and close."""
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                headers = {**HEADERS, **headers, "Connection": "close"}
                answer = JSONResponse({"error": error}, status, headers)
                head = h11.Response(status_code=status, headers=answer.raw_headers)
                for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                    self.transport.write(self.conn.send(event) or b"")
            self.transport.close()

    return Connection
