"""The application: the page, its endpoints, and the guard before both."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles

from gnri.errors import GnriError
from gnri.web.endpoints import Endpoints
from gnri.web.openapi import describe_api
from gnri.web.schemas import REQUESTS, read_request
from gnri.web.security import Guard, Limits, answer, status_of
from gnri.web.table_store import Store
from gnri.web.worker_pool import Workshop

DEFAULT = Limits()

FREEING = 60.0
"""Seconds between looks for idle tables."""


def make_app(hosts: frozenset[str], limits: Limits = DEFAULT) -> Starlette:
    """The application, which answers to these hosts alone."""
    store, workshop = Store(limits), Workshop(limits)
    endpoints = Endpoints(limits, store, workshop)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        workshop.start()
        freeing = asyncio.create_task(_free_idle(store))
        yield
        freeing.cancel()
        await workshop.stop()

    return Starlette(
        routes=[
            # Apart, as an address of ours that is asked the wrong way would else be a missing file.
            Mount("/api", Router(_api(endpoints), redirect_slashes=False)),
            Mount("/", StaticFiles(directory=str(files("gnri.web") / "page"), html=True)),
        ],
        middleware=[Middleware(Guard, limits=limits, hosts=hosts)],
        exception_handlers={
            GnriError: _refused,
            HTTPException: _not_served,
            Exception: _broken,
        },
        lifespan=lifespan,
    )


def _api(endpoints: Endpoints) -> list[Route]:
    return [
        Route("/about", endpoints.about, methods=["GET"]),
        Route("/openapi.json", _openapi, methods=["GET"]),
        Route("/tables", endpoints.upload, methods=["POST"]),
        Route("/tables/{table}", endpoints.forget, methods=["DELETE"]),
        *(Route(f"/{name}", _post(endpoints, name), methods=["POST"]) for name in REQUESTS),
    ]


def _post(endpoints: Endpoints, name: str) -> Callable[[Request], Awaitable[Any]]:
    """Return the endpoint of this name, which is handed its request as a struct."""

    async def post(request: Request) -> Any:
        asked = await read_request(request, REQUESTS[name], endpoints.limits)
        return await getattr(endpoints, name)(asked)

    return post


async def _free_idle(store: Store) -> None:
    """Free what nobody asks for, also when nobody asks for anything."""
    while True:
        await asyncio.sleep(FREEING)
        store.free_idle()


async def _openapi(_: Request) -> Response:
    return JSONResponse(describe_api())


async def _refused(_: Request, error: Exception) -> Response:
    if status_of(error) == 413:
        raise error  # the guard answers it, as the rest of the body is still to come
    return answer(status_of(error), str(error))


async def _not_served(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "it is called for these alone"
    status = error.status_code
    words = {404: "there is nothing at this address", 405: "this address is not asked that way"}
    response = answer(status, words.get(status, "this cannot be answered"))
    if status == 405:  # without a word on what is allowed, it is a file of the page
        response.headers["Allow"] = (error.headers or {}).get("Allow", "GET, HEAD")
    return response


async def _broken(_: Request, __: Exception) -> Response:
    return answer(500, "the server made a mistake; what it was is on its terminal")
