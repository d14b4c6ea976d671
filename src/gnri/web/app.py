"""Define the routes of the web application, and serve it to this machine only."""

import asyncio
import ctypes
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.resources import files
from typing import Any, NoReturn

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles

from gnri.errors import GnriError
from gnri.web.endpoints import ABOUT_FIT, Answer, Endpoints
from gnri.web.openapi import describe_api
from gnri.web.schemas import REQUESTS, read_request
from gnri.web.security import Limits, SecurityMiddleware
from gnri.web.server import QUEUE, Server
from gnri.web.table_store import TableStore
from gnri.web.worker_pool import WorkerPool

ADDRESS = "127.0.0.1"
DEFAULT = Limits()
M_MMAP_THRESHOLD = -3  # of <malloc.h>: larger blocks are not taken from the heap
EVICTION = 60.0  # seconds between two evictions of idle tables


def make_app(hosts: frozenset[str], limits: Limits = DEFAULT) -> Starlette:
    """Return the application, which answers only requests to these hosts."""
    store, pool = TableStore(limits), WorkerPool(limits)
    endpoints = Endpoints(limits, store, pool)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start()
        eviction = asyncio.create_task(_evict_idle(store))
        yield
        eviction.cancel()
        await pool.stop()

    api = [
        Route("/about", endpoints.about, methods=["GET"]),
        Route("/openapi.json", lambda _: JSONResponse(describe_api()), methods=["GET"]),
        Route("/tables", endpoints.upload, methods=["POST"]),
        Route("/tables/{table}", endpoints.forget, methods=["DELETE"]),
        *(Route(f"/{name}", _post(endpoints, name), methods=["POST"]) for name in REQUESTS),
    ]
    return Starlette(
        routes=[
            # Plain routes would pass a GET of a POST route on to the files: 404 instead of 405.
            Mount("/api", Router(api, redirect_slashes=False)),
            Mount("/", StaticFiles(directory=str(files("gnri.web") / "page"), html=True)),
        ],
        middleware=[Middleware(SecurityMiddleware, limits=limits, hosts=hosts)],
        exception_handlers={HTTPException: _leave_to_middleware},
        lifespan=lifespan,
    )


def _post(endpoints: Endpoints, name: str) -> Callable[[Request], Awaitable[Answer]]:
    """Return the handler of `POST /api/{name}`: read the request, then call that endpoint."""
    about_fit = partial(endpoints.ask_about_fit, name)
    endpoint: Callable[..., Any] = about_fit if name in ABOUT_FIT else getattr(endpoints, name)

    async def post(request: Request) -> Answer:
        parsed = await read_request(request, REQUESTS[name], endpoints.limits)
        return Answer(endpoints.pool, partial(endpoint, parsed))

    return post


async def _evict_idle(store: TableStore) -> None:
    while True:
        await asyncio.sleep(EVICTION)
        store.evict_idle()


def _leave_to_middleware(_: Request, error: Exception) -> NoReturn:
    """Raise the error again, because `SecurityMiddleware` answers it in place of Starlette."""
    raise error


def serve(
    port: int, *, browser: bool, say: Callable[[str], None], limits: Limits = DEFAULT
) -> None:
    """Serve the page until interrupted; port 0 takes any free port."""
    with suppress(OSError, AttributeError, TypeError):  # glibc: give freed uploads back at once
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**20)
    listening = listen(port)
    port = listening.getsockname()[1]
    url = f"http://{ADDRESS}:{port}/"
    say(url)
    if browser:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    Server(make_app(allowed_hosts(port), limits), limits).run(sockets=[listening])


def allowed_hosts(port: int) -> frozenset[str]:
    """Return what a browser may send as the host; it leaves out the usual port."""
    names = (ADDRESS, "localhost")
    return frozenset(f"{name}:{port}" for name in names).union(names if port == 80 else ())


def listen(port: int) -> socket.socket:
    """Return a socket that already listens, so that a browser opened at once finds it."""
    # Given IPPROTO_TCP, asyncio sets TCP_NODELAY; without, each small response waits 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or "not a port number"
        raise GnriError(
            f"port {port} cannot be used: {reason}; choose another with --port, or 0 for any"
        ) from None
    listener.listen(QUEUE)
    return listener
