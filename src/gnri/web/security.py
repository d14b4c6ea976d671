"""ASGI middleware: allowed hosts, limits on size, headers, and the answer to every error."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnri.errors import GnriError


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the server; a request beyond one of them is refused."""

    body: int = 64 * 2**20  # bytes of a request
    json: int = 8 * 2**20  # bytes of a JSON request
    buffered: int = 256 * 2**20  # bytes of all requests being read
    rows: int = 200_000
    columns: int = 1_000
    tables: int = 8  # stored; the least recently used is deleted first
    idle: float = 1_800.0  # seconds after which an unused table is deleted
    workers: int = 2  # jobs at one time
    waiting: int = 16  # jobs that wait for a worker
    seconds: float = 120.0  # for a job
    memory: int = 4 * 2**30  # bytes of a worker
    thresholds: int = 1_000  # in a request
    connections: int = 128
    header: float = 10.0  # seconds until a request begins, or the next one of a connection
    reading: float = 60.0  # seconds to receive a request
    draining: float = 10.0  # seconds to receive the rest of a refused one
    writing: float = 30.0  # seconds for the client to read what was sent


class Refusal(GnriError):  # noqa: N818 - an answer, not a mistake
    """An HTTP error response; the user sees the message unchanged."""

    def __init__(self, status: int, message: str, allow: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.allow = status, message, allow


STOPPING = Refusal(503, "the server is stopping; start it again and repeat the request")


def refusal_of(error: Exception) -> Refusal:
    """Return the answer to a request that ended in this error."""
    match error:
        case Refusal():
            return error
        case GnriError():
            return Refusal(422, str(error))
        case MemoryError():
            return Refusal(422, "the table needs too much memory; try a sample of its rows")
        case RuntimeError() if "allocate memory" in str(error):  # torch's
            return refusal_of(MemoryError())
        case HTTPException(status_code=405):
            allow = (error.headers or {}).get("Allow", "GET, HEAD")  # static files name none
            return Refusal(405, f"method not allowed; use {allow}", allow)
        case HTTPException():
            return Refusal(error.status_code, "not found")
    return Refusal(500, "the server failed; see its terminal for the reason")


LINES = "application/x-ndjson"
"""The content type of progress: one JSON object a line; the last has the result or the error."""

HEADERS = {
    # Only our own files are loaded or run, and text is never parsed as markup.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class SecurityMiddleware:
    """Pass a request to `app` if it names this machine and is not too large; answer all errors."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: frozenset[str]) -> None:
        self.app, self.limits, self.hosts = app, limits, hosts
        self.buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(self, scope, receive, send)
        try:
            try:
                self._check(exchange)
                await self.app(scope, exchange.receive, exchange.send)
            except ClientDisconnect:
                pass
            except Exception as error:
                await exchange.refuse(refusal_of(error))
                if not isinstance(error, GnriError | HTTPException):
                    raise  # the server writes it on its terminal
        except asyncio.CancelledError:  # the server is stopping
            exchange.more = False  # there is no time to drain
            await exchange.refuse(STOPPING)
        finally:
            exchange.release()

    def _check(self, exchange: "_Exchange") -> None:
        headers = exchange.headers
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            raise Refusal(400, "wrong Host header; use the address that the server printed")
        if origin is not None and origin.removeprefix("http://") != host:
            raise Refusal(403, "other web pages may not use this server")
        length = headers.get("content-length", "0")
        if length.isdecimal():
            exchange.check_size(int(length))
        if not exchange.scope["query_string"].isascii():
            raise Refusal(400, "an address must be ASCII; percent-encode other characters")


class _Exchange:
    """One request and its response: count the bytes received, and add our headers."""

    def __init__(
        self, guard: SecurityMiddleware, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self.guard, self.scope, self.inner = guard, scope, (receive, send)
        self.headers = Headers(scope=scope)
        self.size = 0
        self.more = any(name in self.headers for name in ("content-length", "transfer-encoding"))
        self.answer: str | None = None  # the content type of the answer, once it has begun
        self.complete = False

    def check_size(self, size: int) -> None:
        limits = self.guard.limits
        json = self.headers.get("content-type", "").lower().startswith("application/json")
        most = min(limits.body, limits.json) if json else limits.body
        if size > most:
            words = f"a request may have at most {most // 2**20} MiB; send fewer rows or columns"
            raise Refusal(413, f"{words}, or send the table as text/csv")

    async def receive(self) -> Message:
        message = await self.inner[0]()
        self.more = message.get("more_body", False)
        size = len(message.get("body", b""))
        self.size += size
        self.guard.buffered += size
        self.check_size(self.size)
        if self.guard.buffered > self.guard.limits.buffered:
            raise Refusal(503, "too much data is being sent at once; try again in a moment")
        return message

    def release(self) -> None:
        """Subtract the size of the body from `guard.buffered`."""
        self.guard.buffered -= self.size
        self.size = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            self.answer = headers.get("content-type", "")
        else:
            self.complete = not message.get("more_body", False)
        await self.inner[1](message)

    async def refuse(self, refusal: Refusal) -> None:
        """Send the refusal, read the rest of the request, and only then end the response."""
        self.release()
        if self.answer is None:
            response = JSONResponse({"error": refusal.message})
            if refusal.allow:
                response.headers["Allow"] = refusal.allow
            if refusal.status == 503:
                response.headers["Retry-After"] = "2"
            if self.more:  # else the rest of the body would be read as the next request
                response.headers["Connection"] = "close"
            start = {"type": "http.response.start", "status": refusal.status}
            await self.send({**start, "headers": response.raw_headers})
            await self._send_body(bytes(response.body), more=True)
        elif self.answer == LINES and not self.complete:
            line = msgspec.json.encode({"error": refusal.message, "status": refusal.status})
            await self._send_body(line + b"\n", more=True)
        # A client that is still sending would otherwise see a broken connection.
        with suppress(TimeoutError):
            async with asyncio.timeout(self.guard.limits.draining):
                while self.more:
                    self.more = (await self.inner[0]()).get("more_body", False)
        if not self.complete:
            await self._send_body(b"", more=False)

    async def _send_body(self, body: bytes, *, more: bool) -> None:
        await self.send({"type": "http.response.body", "body": body, "more_body": more})
