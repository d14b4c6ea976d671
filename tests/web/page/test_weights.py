"""Weights of classes and of rows on the page."""

from playwright.sync_api import Page

from tests.web.browsing import check_accessible, shot, wait_for_rule


def test_classes_and_rows_are_weighed(page: Page) -> None:
    rows = [f"{n},{1 + n % 4},{'yes' if n % 7 == 0 and n > 30 else 'no'}" for n in range(80)]
    table = "\n".join(["n,times,ill", *rows]).encode()
    page.set_input_files("#file", {"name": "t.csv", "mimeType": "text/csv", "buffer": table})
    wait_for_rule(page)
    page.select_option("#target", "ill")
    wait_for_rule(page)
    plain = page.inner_text("#sentences")
    for name, value in (("#balance", "balanced"), ("#weight", "times")):
        with page.expect_response("**/api/induce"):
            page.select_option(name, value)
        wait_for_rule(page)
    page.click("#columns-summary")
    assert page.locator("#columns tbody th").all_inner_texts() == ["n"]
    assert "1 column to learn from" in page.inner_text("#columns-summary")
    assert page.inner_text("#sentences") != plain
    shot(page, "13-weights")
    check_accessible(page)
