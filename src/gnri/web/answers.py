"""Answers that take a while: the work stops when nobody waits for it any more."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from gnri.errors import GnriError
from gnri.web.learnt import Report
from gnri.web.security import STOPPING, status_of

LINES = "application/x-ndjson"
"""Who accepts this gets a line of JSON for each step, and the result or the error as the last."""

Steps = asyncio.Queue[dict[str, Any] | None]
"""What to say of a job; None when it is done, or nobody waits for it."""


class Answer:
    """The response of a long job, as one JSON object or as lines with its progress.

    The work may give bytes: JSON already, of answers so large that making it here would hold up
    all others.
    """

    def __init__(self, work: Callable[[Report], Coroutine[Any, Any, Any]]) -> None:
        self.work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        steps: Steps = asyncio.Queue()
        work = asyncio.ensure_future(
            self.work(lambda share, note: steps.put_nowait({"progress": share, "note": note}))
        )
        gone = asyncio.ensure_future(_gone(receive))
        for end in (work, gone):
            end.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            if LINES in Headers(scope=scope).get("accept", ""):
                await _send_lines(work, steps, send)
            else:
                await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    await _whole(work.result())(scope, receive, send)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)


async def _send_lines(work: "asyncio.Future[Any]", steps: Steps, send: Send) -> None:
    headers = [(b"content-type", LINES.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    try:
        while (step := await steps.get()) is not None:
            await _line(send, step, more=True)
    except asyncio.CancelledError:
        await _line(send, {"error": STOPPING, "status": 503}, more=False)
        raise
    if work.done():
        await _line(send, _last(work), more=False)


async def _line(send: Send, message: dict[str, Any], *, more: bool) -> None:
    data = await asyncio.to_thread(_written, message)
    await send({"type": "http.response.body", "body": data, "more_body": more})


def _written(message: dict[str, Any]) -> bytes:
    if isinstance(message.get("result"), bytes):
        return b'{"result": %b}\n' % message["result"]
    return f"{json.dumps(message)}\n".encode()


def _last(work: "asyncio.Future[Any]") -> dict[str, Any]:
    try:
        return {"result": work.result()}
    except GnriError as error:
        return {"error": str(error), "status": status_of(error)}


def _whole(found: Any) -> Response:
    if isinstance(found, bytes):
        return Response(found, media_type="application/json")
    return JSONResponse(found)


async def _gone(receive: Receive) -> None:
    """Return when the client hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass
