"""Weights of classes and of rows on the page."""

from playwright.sync_api import Page

from tests.web.browsing import check_accessible, learn_from, shot, wait_for_rule


def test_classes_and_rows_are_weighed(page: Page) -> None:
    rows = [
        f"{n // 2},{1 + n % 4},{'yes' if n // 2 % 4 == 0 and n > 30 else 'no'}" for n in range(80)
    ]
    table = "\n".join(["n,times,ill", *rows]).encode()
    learn_from(page, "t.csv", table)
    wait_for_rule(page)
    plain = page.inner_text("#sentences")
    for name, value in (("#balance", "balanced"), ("#weight", "times")):
        with page.expect_response("**/api/induce"):
            page.select_option(name, value)
        wait_for_rule(page)
    page.click("#columns-summary")
    assert page.locator("#columns tbody th").all_inner_texts() == ["n"]
    assert "1 column to learn from" in page.inner_text("#columns-summary")
    page.wait_for_function(
        "was => document.querySelector('#sentences').innerText !== was", arg=plain
    )
    shot(page, "13-weights")
    check_accessible(page)
