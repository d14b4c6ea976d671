"""A point table on the page: its cells, the points of a row, points and threshold changed."""

import re

from playwright.sync_api import Locator, Page

from tests.web.browsing import check_accessible, exported, share, shot, wait_for_rule


def points_of(cell: Locator) -> float:
    """The points of a cell, which can be changed unless it is that of an empty cell."""
    field = cell.locator("input")
    return float(field.input_value() if field.count() else cell.locator("b").inner_text())


def test_points_are_shown_and_added_up(learnt: Page) -> None:
    learnt.select_option("#form", "scorecard")
    learnt.wait_for_selector(".line .cell")
    wait_for_rule(learnt)
    assert learnt.locator("button.literal").count() == 0
    assert learnt.is_hidden("#diagram-box") and learnt.is_hidden("#rule-hint")
    assert "multiplies the odds" in learnt.inner_text("#sentences .ending")
    learnt.click("#next-mistake")
    learnt.wait_for_selector(".cell.mine")
    assert learnt.locator(".cell.mine").count() == learnt.locator(".line").count()
    total = sum(points_of(one) for one in learnt.locator(".cell.mine").all())
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


def test_points_and_threshold_are_changed(learnt: Page) -> None:
    learnt.select_option("#form", "scorecard")
    learnt.wait_for_selector(".line .cell")
    wait_for_rule(learnt)
    before, first = exported(learnt), share(learnt)
    field = learnt.get_by_label("Points of dose: b", exact=True)
    old = int(field.input_value())
    field.focus()
    learnt.keyboard.press("ArrowUp")
    learnt.keyboard.press("Enter")
    learnt.wait_for_function("() => !document.querySelector('#undo').disabled")
    assert field.input_value() == str(old + 1)
    assert learnt.evaluate("document.activeElement.ariaLabel") == "Points of dose: b"
    assert f"b: {old + 1}" in exported(learnt)
    enough = learnt.get_by_label("Threshold of yes")
    was = int(enough.input_value())
    enough.fill(str(was + 6))
    enough.press("Enter")
    learnt.wait_for_selector(f".sentence h3:has-text('yes from {was + 6} points on')")
    learnt.wait_for_selector("#accuracy .delta.down")
    assert share(learnt) != first and f"yes from {was + 6} points on" in exported(learnt)
    enough.fill("1.5")
    enough.press("Enter")
    assert enough.input_value() == str(was + 6)
    shot(learnt, "21-points-edited")
    check_accessible(learnt)
    for _ in range(2):
        learnt.click("#undo")
    learnt.wait_for_selector("#undo:disabled")
    assert exported(learnt) == before and share(learnt) == first
