"""ASGI middleware: allowed hosts, limits on size, headers, and the answer to every error."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnri.errors import GnriError


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

    def __init__(self, status: int, message: str, allow: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.allow = status, message, allow

    def response(self) -> JSONResponse:
        """Return the answer that says so."""
        headers = {"Allow": self.allow} if self.allow else {}
        if self.status == 503:
            headers["Retry-After"] = "2"
        return JSONResponse({"error": self.message}, self.status, headers)


STOPPING = Refusal(503, "the server is stopping; start it again and ask once more")


def refusal_of(error: Exception) -> Refusal:
    """Return the answer to a request that ended in this error."""
    match error:
        case Refusal():
            return error
        case GnriError():
            return Refusal(422, str(error))
        case MemoryError():
            words = "this table takes more memory than there is; try a sample of its rows"
            return Refusal(422, words)
        case HTTPException(status_code=405):
            allow = (error.headers or {}).get("Allow", "GET, HEAD")  # none for a file of the page
            return Refusal(405, f"this method is not allowed here; allowed is {allow}", allow)
        case HTTPException():
            return Refusal(error.status_code, "there is nothing at this address")
    return Refusal(500, "the server made a mistake; what it was is on its terminal")


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
"""Bytes of a refused body that are read and dropped. A client that is still sending would else see
its connection break, not the refusal."""


class Guard:
    """Let a request through to `app` if it names this machine and is not too large.

    Whatever is raised on the way is answered here.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: frozenset[str]) -> None:
        self.app, self.limits, self.hosts = app, limits, hosts
        self.buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(self, scope, receive, send)
        try:
            try:
                self._check(exchange)
                await self.app(scope, exchange.receive, exchange.send)
            except ClientDisconnect:
                pass  # nobody waits for an answer
            except Exception as error:
                await exchange.refuse(refusal_of(error))
                if not isinstance(error, GnriError | HTTPException):
                    raise  # the server writes it on its terminal
        except asyncio.CancelledError:  # the server does this to all that it works on as it stops
            exchange.more = False  # there is no time to drain
            await exchange.refuse(STOPPING)
        finally:
            exchange.release()

    def _check(self, exchange: "_Exchange") -> None:
        headers = exchange.headers
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            raise Refusal(400, "this server answers only to the address that it printed")
        if origin is not None and origin.removeprefix("http://") != host:
            raise Refusal(403, "other pages may not ask this server")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > exchange.most:
            raise _too_large(exchange.most)
        if not exchange.scope["query_string"].isascii():
            raise Refusal(400, "an address is ASCII; percent-encode what is not")


class _Exchange:
    """A request, counted as it comes in, and its answer, sent with our headers."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self.guard, self.scope, self.inner = guard, scope, (receive, send)
        self.headers = Headers(scope=scope)
        json = self.headers.get("content-type", "").lower().startswith("application/json")
        self.most = min(guard.limits.body, guard.limits.json if json else guard.limits.body)
        self.size = 0
        self.more = any(name in self.headers for name in ("content-length", "transfer-encoding"))
        self.begun = self.whole = False  # the answer

    async def receive(self) -> Message:
        message = await self.inner[0]()
        self.more = message.get("more_body", False)
        size = len(message.get("body", b""))
        self.size += size
        self.guard.buffered += size
        if self.size > self.most:
            raise _too_large(self.most)
        if self.guard.buffered > self.guard.limits.buffered:
            raise Refusal(503, "too much is being sent at once; try again in a moment")
        return message

    def release(self) -> None:
        """Count what came in no longer, as it is not kept."""
        self.guard.buffered -= self.size
        self.size = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            MutableHeaders(scope=message).update(HEADERS)
        else:
            self.whole = not message.get("more_body", False)
        await self.inner[1](message)

    async def refuse(self, refusal: Refusal) -> None:
        """Send the whole answer, then take in what is still being sent, and only then hang up.

        Of an answer that has begun only the end is sent.
        """
        self.release()
        if not self.begun:
            response = refusal.response()
            if self.more:  # what is drained is not read as a next request
                response.headers["Connection"] = "close"
            kind, status = "http.response.start", refusal.status
            await self.send({"type": kind, "status": status, "headers": response.raw_headers})
            await self._send_body(bytes(response.body), more=True)
        drained = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(self.guard.limits.reading):
                while self.more and drained < DRAINED:
                    message = await self.inner[0]()
                    self.more = message.get("more_body", False)
                    drained += len(message.get("body", b""))
        if not self.whole:
            await self._send_body(b"", more=False)

    async def _send_body(self, body: bytes, *, more: bool) -> None:
        await self.send({"type": "http.response.body", "body": body, "more_body": more})


def _too_large(most: int) -> Refusal:
    return Refusal(
        413,
        f"at most {most // 2**20} MiB can be sent so; send fewer rows or columns, and tables as "
        "text/csv",
    )
