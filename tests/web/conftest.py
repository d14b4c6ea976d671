"""One server for all tests of a process, and the browser where there is one."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from gnri.web.security import Limits
from tests.web.serving import COLUMNS, client, running, table_text, upload

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
IN_CI = os.environ.get("CI") == "true"

# The page is tried in a real browser. Without one, on a machine that is not CI's, these tests are
# left out and the header says so; in CI its absence is a failure.
collect_ignore = [] if CHROMIUM or IN_CI else ["page"]


def pytest_report_header() -> list[str]:
    return [f"tests/web: the {name} is left out, there is no chromium" for name in collect_ignore]


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    with running(Limits(workers=1)) as found:
        yield found


@pytest.fixture(scope="package")
def web(address: str) -> Iterator[httpx.Client]:
    with client(address) as found:
        yield found


@pytest.fixture(scope="package")
def table(web: httpx.Client) -> str:
    """A table that is kept by the server, and has been learnt from."""
    name: str = upload(web, table_text()).json()["table"]
    body = {"table": name, "target": "ill", "columns": COLUMNS}
    assert web.post("/api/induce", json=body).status_code == 200
    return name


@pytest.fixture(scope="package")
def view(web: httpx.Client, table: str) -> dict[str, Any]:
    found: dict[str, Any] = web.post("/api/score", json={"table": table}).json()
    return found
