"""The application: the page, its endpoints, and the guard before both."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles

from gnri.web.answers import handled
from gnri.web.endpoints import Endpoints
from gnri.web.openapi import describe_api
from gnri.web.schemas import REQUESTS
from gnri.web.security import Guard, Limits, answer
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
            Mount("/", StaticFiles(directory=_page(), html=True)),
        ],
        middleware=[Middleware(Guard, limits=limits, hosts=hosts)],
        exception_handlers={HTTPException: _not_served, Exception: _broken},
        lifespan=lifespan,
    )


def _api(endpoints: Endpoints) -> list[Route]:
    routes = [
        Route("/about", handled(endpoints.about), methods=["GET"]),
        Route("/openapi.json", _openapi, methods=["GET"]),
        Route("/tables", handled(endpoints.upload), methods=["POST"]),
        Route("/tables/{table}", handled(endpoints.forget), methods=["DELETE"]),
    ]
    for name in REQUESTS:
        routes.append(Route(f"/{name}", handled(getattr(endpoints, name)), methods=["POST"]))
    return routes


async def _free_idle(store: Store) -> None:
    """Free what nobody asks for, also when nobody asks for anything."""
    while True:
        await asyncio.sleep(FREEING)
        store.free_idle()


def _page() -> str:
    return str(files("gnri.web") / "page")


async def _openapi(_: Request) -> Response:
    return JSONResponse(describe_api())


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
