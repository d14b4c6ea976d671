"""Responses to jobs: the work is cancelled when the client closes the connection."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gnri.web import Report
from gnri.web.security import LINES


class Answer:
    """The response with the result of some work: one JSON object, or lines with the progress."""

    def __init__(self, work: Callable[[Report], Coroutine[Any, Any, Any]]) -> None:
        self.work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Do the work and send its result."""
        steps = asyncio.Queue[dict[str, Any] | None]()  # None at the end
        work = asyncio.ensure_future(
            self.work(lambda share, note: steps.put_nowait({"progress": share, "note": note}))
        )
        gone = asyncio.ensure_future(_wait_for_disconnect(receive))
        for end in (work, gone):
            end.add_done_callback(lambda _: steps.put_nowait(None))
        begun, lines = False, LINES in Headers(scope=scope).get("accept", "")

        async def write(line: dict[str, Any], *, more: bool = True) -> None:
            nonlocal begun
            body = await asyncio.to_thread(msgspec.json.encode, line)
            if not begun:
                begun, headers = True, [(b"content-type", LINES.encode())]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body + b"\n", "more_body": more})

        try:
            while (step := await steps.get()) is not None:
                if lines:
                    await write(step)
            if work.done() and lines:
                await write({"result": work.result()}, more=False)
            elif work.done():
                body = await asyncio.to_thread(msgspec.json.encode, work.result())
                await Response(body, media_type="application/json")(scope, receive, send)
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
            # An error of the work refers to this frame. Without the reference back, the table of
            # a refused request is freed at once.
            del work, end


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
