"""A point table on the page: its cells, the points of a row, what is not offered."""

import re

from playwright.sync_api import Page

from tests.web.browsing import check_accessible, exported, shot, wait_for_rule


def test_points_are_shown_and_added_up(learnt: Page) -> None:
    learnt.select_option("#form", "scorecard")
    learnt.wait_for_selector(".line .cell")
    wait_for_rule(learnt)
    assert learnt.locator("button.literal").count() == 0
    assert learnt.is_hidden("#diagram-box") and learnt.is_hidden("#rule-hint")
    assert "not edited here" in learnt.inner_text("#sentences")
    assert "multiplies the odds" in learnt.inner_text("#sentences .ending")
    learnt.click("#next-mistake")
    learnt.wait_for_selector(".cell.mine")
    assert learnt.locator(".cell.mine").count() == learnt.locator(".line").count()
    points = learnt.locator(".cell.mine b").all_inner_texts()
    total = sum(float(one.replace("−", "-")) for one in points)
    assert f"yes: {total:g} points" in learnt.inner_text(".row-card")
    shot(learnt, "11-points")
    check_accessible(learnt)
    assert re.match(r"yes from \d+ points on", exported(learnt))
    learnt.click("[data-change=everything]")
    learnt.wait_for_selector(".played[data-learner=rule][data-identical=true]")
    learnt.wait_for_selector(".played[data-learner=tree]")
    learnt.select_option("#form", "dnf")
    learnt.wait_for_selector("button.literal")


def test_three_classes_have_a_table_each(page: Page) -> None:
    page.click("#sets button:has-text('iris')")
    wait_for_rule(page)
    page.select_option("#form", "scorecard")
    page.wait_for_selector(".line .cell")
    assert page.locator(".sentence h3").count() == 3
    assert page.locator("#which option").count() == 3
    page.set_viewport_size({"width": 380, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shot(page, "12-points-three-classes")
