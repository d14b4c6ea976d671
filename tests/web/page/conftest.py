"""A browser, the page in it, and the page with a rule."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.browsing import learn_from, opened, wait_for_rule
from tests.web.conftest import CHROMIUM
from tests.web.serving import table_text


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with opened(browser, address) as found:
        yield found


@pytest.fixture
def learnt(page: Page) -> Page:
    """The page with the rule of a table."""
    learn_from(page, "pets.csv", table_text())
    wait_for_rule(page)
    return page
