"""The application: the page, its endpoints, and the guard before both."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
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

from gnri.web.answers import Answer
from gnri.web.endpoints import Endpoints
from gnri.web.openapi import describe_api
from gnri.web.schemas import REQUESTS, read_request
from gnri.web.security import Guard, Limits
from gnri.web.table_store import TableStore
from gnri.web.worker_pool import WorkerPool

DEFAULT = Limits()

EVICTION = 60.0
"""Seconds between two evictions of idle tables."""


def make_app(hosts: frozenset[str], limits: Limits = DEFAULT) -> Starlette:
    """Return the application, which answers only requests to these hosts."""
    store, pool = TableStore(limits), WorkerPool(limits)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start()
        eviction = asyncio.create_task(_evict_idle(store))
        yield
        eviction.cancel()
        await pool.stop()

    return Starlette(
        routes=[
            # Mounted, or else a wrong method would be answered as a missing file.
            Mount("/api", Router(_routes(Endpoints(limits, store, pool)), redirect_slashes=False)),
            Mount("/", StaticFiles(directory=str(files("gnri.web") / "page"), html=True)),
        ],
        middleware=[Middleware(Guard, limits=limits, hosts=hosts)],
        exception_handlers={HTTPException: _leave_to_guard},
        lifespan=lifespan,
    )


def _routes(endpoints: Endpoints) -> list[Route]:
    return [
        Route("/about", endpoints.about, methods=["GET"]),
        Route("/openapi.json", lambda _: JSONResponse(describe_api()), methods=["GET"]),
        Route("/tables", endpoints.upload, methods=["POST"]),
        Route("/tables/{table}", endpoints.forget, methods=["DELETE"]),
        *(Route(f"/{name}", _post(endpoints, name), methods=["POST"]) for name in REQUESTS),
    ]


def _post(endpoints: Endpoints, name: str) -> Callable[[Request], Awaitable[Any]]:
    """Return the endpoint of this name, which reads the request first."""

    async def post(request: Request) -> Any:
        asked = await read_request(request, REQUESTS[name], endpoints.limits)
        return Answer(partial(getattr(endpoints, name), asked))

    return post


async def _evict_idle(store: TableStore) -> None:
    while True:
        await asyncio.sleep(EVICTION)
        store.evict_idle()


def _leave_to_guard(_: Request, error: Exception) -> NoReturn:
    raise error
