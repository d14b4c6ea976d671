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
from starlette.responses import JSONResponse, Response
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

FREEING = 60.0
"""Seconds between looks for idle tables."""


def make_app(hosts: frozenset[str], limits: Limits = DEFAULT) -> Starlette:
    """Return the application, which answers to these hosts alone."""
    store, pool = TableStore(limits), WorkerPool(limits)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start()
        freeing = asyncio.create_task(_free_idle(store))
        yield
        freeing.cancel()
        await pool.stop()

    return Starlette(
        routes=[
            # Apart: else an address of ours with the wrong method would be a missing file.
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
        Route("/openapi.json", _openapi, methods=["GET"]),
        Route("/tables", endpoints.upload, methods=["POST"]),
        Route("/tables/{table}", endpoints.forget, methods=["DELETE"]),
        *(Route(f"/{name}", _post(endpoints, name), methods=["POST"]) for name in REQUESTS),
    ]


def _post(endpoints: Endpoints, name: str) -> Callable[[Request], Awaitable[Any]]:
    """Return the endpoint of this name, which is given its request as a struct."""

    async def post(request: Request) -> Any:
        asked = await read_request(request, REQUESTS[name], endpoints.limits)
        return Answer(partial(getattr(endpoints, name), asked))

    return post


async def _openapi(_: Request) -> Response:
    return JSONResponse(describe_api())


async def _free_idle(store: TableStore) -> None:
    """Free idle tables from time to time."""
    while True:
        await asyncio.sleep(FREEING)
        store.free_idle()


def _leave_to_guard(_: Request, error: Exception) -> NoReturn:
    raise error
