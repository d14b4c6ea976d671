"""The page in a real browser: what a person does, and what must never turn up on the way."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Route

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "build" / "web"
"""Ignored by git: axe-core, as npm installs it, and the pictures."""
AXE = TOOLS / "node_modules" / "axe-core" / "axe.min.js"
SHOTS = TOOLS / "shots"

# The browser notes every answer of 400 and above; they are asked for here, and are no error of the
# page. Anything else that is written to the console fails the test.
EXPECTED = "Failed to load resource: the server responded with a status of"


@contextmanager
def opened(browser: Browser, address: str, **context: Any) -> Iterator[Page]:
    """The page, ready; at the end nothing may have gone wrong in it."""
    settings: dict[str, Any] = {"viewport": {"width": 1180, "height": 860}, **context}
    with browser.new_context(accept_downloads=True, **settings) as place:
        page = place.new_page()
        faults: list[str] = []

        def heard(message: ConsoleMessage) -> None:
            if not message.text.startswith(EXPECTED):
                faults.append(f"{message.type}: {message.text}")

        page.on("console", heard)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda sent: _check_local(sent.url, address, faults))
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]")
        yield page
        assert faults == []


def _check_local(url: str, address: str, faults: list[str]) -> None:
    if not url.startswith((address, "blob:", "about:")):
        faults.append(f"asked for {url}")


def choose_file(page: Page, name: str, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": data})


def learn_from(page: Page, name: str, text: str | bytes) -> None:
    """A file, and the word to learn the target that the page offers."""
    choose_file(page, name, text)
    page.click("#learn")


def wait_for_rule(page: Page) -> None:
    page.wait_for_selector("#sentences .sentence", timeout=120_000)
    page.wait_for_function(
        "() => !document.querySelector('#jobs').childElementCount", timeout=120_000
    )


def share(page: Page) -> str:
    return page.inner_text("#accuracy .trained")


def shot(page: Page, name: str) -> None:
    """A picture of the whole page as it is, to be looked at."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def check_accessible(page: Page) -> None:
    """No violation that axe-core calls serious or critical."""
    assert AXE.is_file(), f"{AXE} is missing; npm install --prefix build/web axe-core"
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [
        (one["id"], [node["html"][:120] for node in one["nodes"][:3]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert found["passes"] and serious == []


def hold(page: Page, *names: str) -> list[Route]:
    """Requests under /api/ with these names, kept from the server, in the order they came."""
    routes: list[Route] = []
    pattern = re.compile(rf"/api/({'|'.join(names)})$")
    page.route(pattern, lambda route: routes.append(route))
    return routes


def wait_until(page: Page, done: Callable[[], bool]) -> None:
    """Lets the page go on until this is so; at most 10 seconds."""
    for _ in range(500):
        if done():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to this within 10 seconds")


def exported(page: Page) -> str:
    """The rule as the page hands it out, as text."""
    page.evaluate("document.querySelector('#preview-text').textContent = ''")
    page.click("[data-format=text]")
    page.wait_for_function("() => document.querySelector('#preview-text').textContent")
    return page.inner_text("#preview-text")
