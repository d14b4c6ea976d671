"""Answers that take a while: the work stops when nobody waits for it any more."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gnri.errors import GnriError
from gnri.web import Report
from gnri.web.security import STOPPING, Refusal, refusal_of

LINES = "application/x-ndjson"
"""Who accepts this gets a line of JSON for each step, and the result or the error as the last."""

Steps = asyncio.Queue[dict[str, Any] | None]
"""What to say of a job; None when it is done, or nobody waits for it."""


class Answer:
    """The response of a long job, as one JSON object or as lines with its progress."""

    def __init__(self, work: Callable[[Report], Coroutine[Any, Any, Any]]) -> None:
        self.work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        steps: Steps = asyncio.Queue()
        work = asyncio.ensure_future(
            self.work(lambda share, note: steps.put_nowait({"progress": share, "note": note}))
        )
        gone = asyncio.ensure_future(_wait_until_gone(receive))
        for end in (work, gone):
            end.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            if LINES in Headers(scope=scope).get("accept", ""):
                await _send_lines(work, steps, send)
            else:
                await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    await (await json_response(work.result()))(scope, receive, send)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)


async def json_response(found: Any) -> Response:
    """Return the response; its JSON is made in a thread, as it may be large."""
    return Response(
        await asyncio.to_thread(msgspec.json.encode, found), media_type="application/json"
    )


async def _send_lines(work: "asyncio.Future[Any]", steps: Steps, send: Send) -> None:
    async def write(line: dict[str, Any], *, more: bool) -> None:
        body = await asyncio.to_thread(msgspec.json.encode, line)
        await send({"type": "http.response.body", "body": body + b"\n", "more_body": more})

    headers = [(b"content-type", LINES.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    try:
        while (step := await steps.get()) is not None:
            await write(step, more=True)
    except asyncio.CancelledError:
        await write(_error_line(STOPPING), more=False)
        raise
    if work.done():
        try:
            last = {"result": work.result()}
        except GnriError as error:
            last = _error_line(refusal_of(error))
        await write(last, more=False)


def _error_line(refusal: Refusal) -> dict[str, Any]:
    return {"error": refusal.message, "status": refusal.status}


async def _wait_until_gone(receive: Receive) -> None:
    """Return when the client hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass
