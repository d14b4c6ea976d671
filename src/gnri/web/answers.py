"""Answers that take a while: the work stops when nobody waits for it any more."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from gnri.errors import GnriError
from gnri.web.security import STOPPING, Refusal, answer
from gnri.web.worker_pool import Progress

LINES = "application/x-ndjson"
"""Who accepts this gets a line of JSON for each step, and the result or the error as the last."""

Work = Callable[[Progress], Coroutine[Any, Any, dict[str, Any] | bytes]]
"""Bytes are JSON already, of answers so large that making it here would hold up all others."""


class Answer:
    """The response of a long job, as one JSON object or as lines with its progress."""

    def __init__(self, request: Request, work: Work) -> None:
        self.work = work
        self.by_lines = LINES in request.headers.get("accept", "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        steps: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        work = asyncio.ensure_future(self.work(lambda *step: steps.put_nowait(_step(*step))))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            if self.by_lines:
                await _send_lines(work, gone, steps, send)
            else:
                await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    await _whole(work)(scope, receive, send)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)


async def _send_lines(
    work: "asyncio.Future[Any]",
    gone: "asyncio.Future[None]",
    steps: "asyncio.Queue[dict[str, Any]]",
    send: Send,
) -> None:
    headers = [(b"content-type", LINES.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    try:
        await _send_steps(work, gone, steps, send)
    except asyncio.CancelledError:
        await _line(send, {"error": STOPPING, "status": 503}, more=False)
        raise
    if work.done():
        await _line(send, _last(work), more=False)


async def _send_steps(
    work: "asyncio.Future[Any]",
    gone: "asyncio.Future[None]",
    steps: "asyncio.Queue[dict[str, Any]]",
    send: Send,
) -> None:
    """Until the work is done, or nobody waits for it."""
    while not work.done() and not gone.done():
        step = asyncio.ensure_future(steps.get())
        await asyncio.wait({work, gone, step}, return_when=asyncio.FIRST_COMPLETED)
        if step.done():
            await _line(send, step.result(), more=True)
        step.cancel()


async def _line(send: Send, message: dict[str, Any], *, more: bool) -> None:
    data = await asyncio.to_thread(_written, message)
    await send({"type": "http.response.body", "body": data, "more_body": more})


def _written(message: dict[str, Any]) -> bytes:
    if isinstance(message.get("result"), bytes):
        return b'{"result": %b}\n' % message["result"]
    return f"{json.dumps(message)}\n".encode()


def _step(share: float, note: str) -> dict[str, Any]:
    return {"progress": share, "note": note}


def _last(work: "asyncio.Future[Any]") -> dict[str, Any]:
    status, message, found = _outcome(work)
    return {"result": found} if found is not None else {"error": message, "status": status}


def _whole(work: "asyncio.Future[Any]") -> Response:
    status, message, found = _outcome(work)
    if isinstance(found, bytes):
        return Response(found, media_type="application/json")
    return JSONResponse(found) if found is not None else answer(status, message)


def _outcome(work: "asyncio.Future[Any]") -> tuple[int, str, Any]:
    try:
        return 200, "", work.result()
    except Refusal as refusal:
        return refusal.status, refusal.message, None
    except GnriError as error:
        return 422, str(error), None


async def _gone(receive: Receive) -> None:
    """Until the client hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass


def handled(
    endpoint: Callable[[Request], Awaitable[Any]],
) -> Callable[[Request], Awaitable[Any]]:
    """The endpoint with bad input answered as such."""

    async def handling(request: Request) -> Any:
        try:
            return await endpoint(request)
        except Refusal as refusal:
            if refusal.status == 413:
                raise  # the guard answers it, as the rest of the body is still to come
            return answer(refusal.status, refusal.message)
        except GnriError as error:
            return answer(422, str(error))

    return handling
