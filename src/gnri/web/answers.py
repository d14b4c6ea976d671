"""Answers to requests: the work stops when nobody waits for it any more."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gnri.errors import GnriError
from gnri.web import Report
from gnri.web.security import STOPPING, refusal_of

LINES = "application/x-ndjson"
"""Who accepts this gets a line of JSON for each step, and the result or the error as the last."""


class Answer:
    """The response with the result of some work, as one JSON object or as lines with its progress.

    What is raised before the first line is left to the caller.
    """

    def __init__(self, work: Callable[[Report], Coroutine[Any, Any, Any]]) -> None:
        self.work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # None when the work is done, or nobody waits for it.
        steps = asyncio.Queue[dict[str, Any] | None]()
        work = asyncio.ensure_future(
            self.work(lambda share, note: steps.put_nowait({"progress": share, "note": note}))
        )
        gone = asyncio.ensure_future(_wait_until_gone(receive))
        for end in (work, gone):
            end.add_done_callback(lambda _: steps.put_nowait(None))
        lines = _Lines(send) if LINES in Headers(scope=scope).get("accept", "") else None
        try:
            while (step := await steps.get()) is not None:
                if lines is not None:
                    await lines.write(step)
            if work.done() and lines is not None:
                await lines.write({"result": work.result()}, more=False)
            elif work.done():
                body = await asyncio.to_thread(msgspec.json.encode, work.result())
                await Response(body, media_type="application/json")(scope, receive, send)
        except (GnriError, asyncio.CancelledError) as error:
            if lines is None or not lines.begun:
                raise
            refusal = refusal_of(error) if isinstance(error, GnriError) else STOPPING
            await lines.write({"error": refusal.message, "status": refusal.status}, more=False)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)


class _Lines:
    """A response of lines, which begins with the first."""

    def __init__(self, send: Send) -> None:
        self.send, self.begun = send, False

    async def write(self, line: dict[str, Any], *, more: bool = True) -> None:
        body = await asyncio.to_thread(msgspec.json.encode, line)
        if not self.begun:
            self.begun = True
            headers = [(b"content-type", LINES.encode())]
            await self.send({"type": "http.response.start", "status": 200, "headers": headers})
        await self.send({"type": "http.response.body", "body": body + b"\n", "more_body": more})


async def _wait_until_gone(receive: Receive) -> None:
    """Return when the client hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass
