"""Who may ask, how much they may send, and what a browser may do with the answer."""

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnri.errors import GnriError

STOPPING = "the server is stopping; start it again and ask once more"


@dataclass(frozen=True, slots=True)
class Limits:
    """What is beyond these is refused, with a message that names the limit."""

    body: int = 64 * 2**20
    """Bytes of one request, counted while they come in."""
    json: int = 8 * 2**20
    """Bytes of one that is JSON."""
    buffered: int = 256 * 2**20
    """Bytes of all requests that are being read at one time."""
    rows: int = 200_000
    columns: int = 1_000
    tables: int = 8
    """Tables kept for open pages; of more, the one used longest ago goes."""
    idle: float = 1_800.0
    """Seconds after which a table that nobody asks for is freed."""
    workers: int = 2
    """Jobs at one time."""
    waiting: int = 16
    """Jobs that may wait for a worker."""
    seconds: float = 120.0
    """The longest that a job may run."""
    reading: float = 60.0
    """The longest that a request may take to come in, in seconds."""


class Refusal(GnriError):  # noqa: N818 - an answer, not a mistake
    """A request that is refused; the message is shown to the person as it is."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def status_of(error: Exception) -> int:
    """Return the status of the answer to a request with this error."""
    return error.status if isinstance(error, Refusal) else 422


def answer(status: int, message: str) -> JSONResponse:
    """Return the refusal as a response."""
    headers = {"Retry-After": "2"} if status == 503 else None
    return JSONResponse({"error": message}, status, headers)


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Only our own files run or are loaded, and no text is ever read as markup."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

DRAINED = 512 * 2**20
"""Bytes of a refused body that are thrown away as they come; a client that is still sending would
else see its connection break, not the refusal."""


class Guard:
    """Let a request through to `app` if it names this machine and is not too large."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: frozenset[str]) -> None:
        self.app, self.limits, self.hosts = app, limits, hosts
        self.buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        body, reply = _Body(self, receive, self._most(headers)), _Reply(send)
        try:
            try:
                self._check(headers, body.most, scope["query_string"])
                await self.app(scope, body.receive, reply.send)
            except Refusal as refusal:
                await _refuse(refusal, scope, receive, reply.send)
        except ClientDisconnect:
            pass  # nobody waits for an answer
        except asyncio.CancelledError:  # which the server does to all that it works on as it stops
            await reply.stop(scope, receive)
        finally:
            self.buffered -= body.size

    def _most(self, headers: Headers) -> int:
        """Return how many bytes the body may have."""
        if headers.get("content-type", "").lower().startswith("application/json"):
            return min(self.limits.json, self.limits.body)
        return self.limits.body

    def _check(self, headers: Headers, most: int, query: bytes) -> None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            raise Refusal(400, "this server answers only to the address that it printed")
        if origin is not None and origin.removeprefix("http://") != host:
            raise Refusal(403, "other pages may not ask this server")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise _too_large(most)
        if not query.isascii():
            raise Refusal(400, "an address is ASCII; percent-encode what is not")


class _Body:
    """What of a request has come in, counted as it comes, with a length header or without."""

    def __init__(self, guard: Guard, receive: Receive, most: int) -> None:
        self.guard, self.inner, self.most, self.size = guard, receive, most, 0

    async def receive(self) -> Message:
        message = await self.inner()
        size = len(message.get("body", b""))
        self.size += size
        self.guard.buffered += size
        if self.size > self.most:
            raise _too_large(self.most)
        if self.guard.buffered > self.guard.limits.buffered:
            raise Refusal(503, "too much is being sent at once; try again in a moment")
        return message


class _Reply:
    """What is sent back, with our headers, and how far it has come."""

    def __init__(self, send: Send) -> None:
        self.inner, self.begun, self.whole = send, False, False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            MutableHeaders(scope=message).update(HEADERS)
        else:
            self.whole = not message.get("more_body", False)
        await self.inner(message)

    async def stop(self, scope: Scope, receive: Receive) -> None:
        """Say that the server stops, if that can still be said."""
        if not self.begun:
            await answer(503, STOPPING)(scope, receive, self.send)
        elif not self.whole:
            await self.send({"type": "http.response.body", "body": b""})


def _too_large(most: int) -> Refusal:
    return Refusal(
        413,
        f"at most {most // 2**20} MiB can be sent so; send fewer rows or columns, and tables as "
        "text/csv",
    )


async def _refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    """Send the whole answer, then take in what is still being sent, and only then hang up."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "more_body": True}
        await send(message)

    response = answer(refusal.status, refusal.message)
    response.headers["Connection"] = "close"  # of what was drained, no next request is made out
    await response(scope, receive, sending)
    drained, more = 0, True
    while more and drained < DRAINED:
        message = await receive()
        more = bool(message.get("more_body", False))
        drained += len(message.get("body", b""))
    await send({"type": "http.response.body", "body": b"", "more_body": False})
