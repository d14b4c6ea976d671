"""On a phone and in the dark."""

import pytest
from playwright.sync_api import Browser, Page

from tests.web.browsing import (
    SHOTS,
    check_accessible,
    learn_from,
    opened,
    shot,
    wait_for_rule,
)
from tests.web.serving import table_text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, address: str, scheme: str) -> None:
    small = {"width": 360, "height": 740}
    with opened(browser, address, viewport=small, color_scheme=scheme, has_touch=True) as page:
        shot(page, f"14-phone-{scheme}-start")
        learn_from(page, "pets.csv", table_text())
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


def test_long_names_and_wide_tables_fit_a_phone(browser: Browser, address: str) -> None:
    small = {"width": 375, "height": 700}
    name = "the_name_of_a_column_that_somebody_made_by_joining_three_tables"
    with opened(browser, address, viewport=small) as page:
        rows = "big,dog,true\nsmall,cat,false\n" * 9
        learn_from(page, "pets.csv", f"{name},{name}_2,class\n{rows}")
        wait_for_rule(page)
        page.click("#columns-summary")
        for row in page.locator("#columns tbody tr").all():
            box = row.locator("td").last.bounding_box()
            assert box is not None and box["width"] >= 200 and box["height"] < 200
        shot(page, "16-phone-columns")
        page.route("**/api/audit", lambda route: route.fulfill(json=AUDITED))
        page.click("#audit")
        page.wait_for_selector(".tally")
        assert page.evaluate("document.documentElement.scrollWidth") == small["width"]
        check_accessible(page)
        page.set_viewport_size({"width": 1180, "height": 500})
        below = page.evaluate(TALLY_HEADER)
        assert below == pytest.approx(0, abs=1)


AUDITED = {
    "transforms": [{"transform": f"change {i} of the table", "rule_eq": 1} for i in range(13)],
    "gaps": [{"equal": True}] * 13,
}

TALLY_HEADER = """() => {
    const [table, head] = [".tally", ".tally thead th"].map((one) => document.querySelector(one));
    const top = window.scrollY + table.getBoundingClientRect().top + 100;
    window.scrollTo({top, behavior: "instant"});
    return head.getBoundingClientRect().top - table.getBoundingClientRect().top;
}"""
"""How far the header has moved down in its table, once the page is scrolled past it."""


def test_nothing_is_cut_in_pictures(page: Page) -> None:
    left = page.evaluate(
        """async () => {
            const {corner} = await import("/js/corner.js");
            const rows = [1, 12345, 200000];
            const [names, cells, labels] = [["x"], [[1], [0], [-1]], [1, 1, -1]];
            const drawn = corner("a", {names, cells, labels, rows});
            document.querySelector("main").append(drawn);
            return Math.min(...[...drawn.querySelectorAll("text")].map((one) => one.getBBox().x));
        }"""
    )
    assert left >= 0
    for length in range(3, 30):
        cut = page.evaluate(
            "async ([text, length]) => (await import('/js/words.js')).clipped(text, length)",
            ["pet = " + "\N{DOG FACE}" * 20, length],
        )
        cut.encode()  # half a character cannot be
        assert "…" in cut and len(cut.encode("utf-16-le")) // 2 <= length


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_editor_fits_a_phone(browser: Browser, address: str, scheme: str) -> None:
    small = {"width": 360, "height": 740}
    with opened(browser, address, viewport=small, color_scheme=scheme, has_touch=True) as page:
        learn_from(page, "pets.csv", table_text())
        wait_for_rule(page)
        page.tap("#aim-ask")
        page.wait_for_selector("#aim-curve svg", timeout=60_000)
        page.tap("button.literal:has-text('age')")
        page.wait_for_selector("#threshold:not([hidden])")
        page.tap("#threshold-slider", position={"x": 200, "y": 12})
        check_accessible(page)
        page.screenshot(path=SHOTS / f"24-phone-{scheme}-threshold.png")
        page.tap("#threshold-move")
        page.wait_for_selector("#accuracy .delta")
        page.tap("[data-add='0']")
        page.wait_for_selector("#adder-choice option")
        inside = page.locator("#adder").bounding_box()
        assert inside is not None and inside["x"] >= 0 and inside["x"] + inside["width"] <= 360
        page.screenshot(path=SHOTS / f"25-phone-{scheme}-add.png")
        check_accessible(page)
        page.tap("#adder-close")
        page.tap(".lock >> nth=0")
        assert page.evaluate("document.documentElement.scrollWidth") == small["width"]
        shot(page, f"26-phone-{scheme}-editor")
        page.select_option("#form", "scorecard")
        page.wait_for_selector(".cell input")
        assert page.evaluate("document.documentElement.scrollWidth") == small["width"]
        shot(page, f"27-phone-{scheme}-points")
        check_accessible(page)
