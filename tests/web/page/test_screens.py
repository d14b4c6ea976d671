"""On a phone and in the dark."""

import pytest
from playwright.sync_api import Browser

from tests.web.browsing import check_accessible, choose_file, opened, shot, wait_for_rule
from tests.web.serving import table_text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, address: str, scheme: str) -> None:
    small = {"width": 360, "height": 740}
    with opened(browser, address, viewport=small, color_scheme=scheme, has_touch=True) as page:
        shot(page, f"14-phone-{scheme}-start")
        choose_file(page, "pets.csv", table_text())
        wait_for_rule(page)
        page.tap("#columns-summary")
        page.tap("#map svg", position={"x": 200, "y": 8})
        page.wait_for_selector(".row-card")
        page.tap("[data-change=everything]")
        page.wait_for_selector(".played[data-learner=tree]")
        page.tap("#compare-ask")
        page.wait_for_selector(".learner", timeout=60_000)
        page.tap("[data-format=sql]")
        page.wait_for_selector("#preview:not([hidden])")
        assert page.evaluate("document.documentElement.scrollWidth") == small["width"]
        shot(page, f"14-phone-{scheme}")
        check_accessible(page)


def test_it_is_the_same_in_the_dark(browser: Browser, address: str) -> None:
    with opened(browser, address, color_scheme="dark") as page:
        page.click("#sets button:has-text('tic-tac-toe')")
        wait_for_rule(page)
        page.click("#map svg", position={"x": 60, "y": 12})
        page.wait_for_selector(".row-card")
        page.click("[data-change=everything]")
        page.wait_for_selector(".played[data-learner=tree]")
        shot(page, "15-dark")
        check_accessible(page)
