"""The rule as something to edit: thresholds, conditions and clauses to add, clauses to keep."""

import re

from playwright.sync_api import Page

from tests.web.browsing import (
    check_accessible,
    exported,
    hold,
    share,
    shot,
    wait_for_rule,
    wait_until,
)


def words(page: Page) -> list[list[str]]:
    """The conditions of each clause, as they are shown."""
    clauses = page.locator(".clause").all()
    return [clause.locator("button.literal").all_inner_texts() for clause in clauses]


def rows_right(page: Page) -> int:
    """The training rows that are predicted right."""
    return int(re.findall(r"right \((\d+) of 120;", page.inner_text("#accuracy"))[0])


def open_threshold(page: Page) -> None:
    page.focus("button.literal:has-text('age')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#threshold:not([hidden])")
    page.wait_for_function(
        "() => !document.querySelector('#threshold-cost').innerText.includes('not known')"
    )


def test_a_threshold_is_moved_by_the_keyboard_with_its_cost_before(learnt: Page) -> None:
    before, old = share(learnt), words(learnt)
    open_threshold(learnt)
    assert learnt.is_disabled("#threshold-move")
    for _ in range(3):
        learnt.keyboard.press("Tab")
        if learnt.evaluate("document.activeElement.id") == "threshold-slider":
            break
    for _ in range(2):
        learnt.keyboard.press("ArrowRight")
    said = learnt.inner_text("#threshold-cost")
    assert said == learnt.get_attribute("#threshold-slider", "aria-valuetext")
    assert "age > 52: 8 (now 4) of 120 training rows wrong; held out, 8 (now 4)" in said
    assert share(learnt) == before and words(learnt) == old
    assert learnt.locator("#threshold svg rect").count() > 50
    shot(learnt, "18-threshold")
    check_accessible(learnt)
    learnt.keyboard.press("Tab")
    learnt.keyboard.press("Enter")
    learnt.wait_for_selector("#accuracy .delta")
    assert "112 of 120" in learnt.inner_text("#accuracy")
    assert words(learnt) == [["dose = b"], ["age > 52", "smoker"]]
    assert learnt.evaluate("document.activeElement.innerText") == "age > 52"
    assert "age > 52" in exported(learnt)
    learnt.click("#undo")
    learnt.wait_for_selector("#accuracy .delta", state="detached")
    assert words(learnt) == old


def test_what_is_held_out_is_told_once_it_is_known(learnt: Page) -> None:
    held = hold(learnt, "validate")
    learnt.select_option("#form", "dnf")
    wait_until(learnt, lambda: len(held) == 1)
    learnt.click("button.literal:has-text('age')")
    learnt.wait_for_selector("#threshold:not([hidden])")
    assert "held out: not known" in learnt.inner_text("#threshold-cost")
    held[0].continue_()
    learnt.wait_for_function(
        "() => document.querySelector('#threshold-cost').innerText.includes('held out, 4')"
    )


def test_conditions_and_clauses_are_added_the_best_first(learnt: Page) -> None:
    learnt.click("button.literal:has-text('smoker')")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    right = rows_right(learnt)
    learnt.get_by_role("button", name="Add a condition to clause 2").click()
    learnt.wait_for_selector("#adder-choice option")
    options = learnt.locator("#adder-choice option").all_inner_texts()
    gains = [int(one.split()[0].replace("−", "-").replace("±", "")) for one in options]
    assert gains == sorted(gains, reverse=True) and gains[0] > 0
    assert options[0].endswith("· smoker")
    assert f"smoker: +{gains[0]} training rows right" in learnt.inner_text("#adder-now")
    shot(learnt, "19-add")
    check_accessible(learnt)
    learnt.keyboard.press("Enter")
    learnt.wait_for_selector("#accuracy .delta", state="detached")
    assert rows_right(learnt) == right + gains[0]
    assert learnt.evaluate("document.activeElement.innerText") == "smoker"
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_function("() => document.querySelectorAll('.clause').length === 1")
    learnt.get_by_role("button", name="Add a clause").click()
    learnt.wait_for_selector("#adder-choice option")
    learnt.click("#adder-add")
    learnt.wait_for_function("() => document.querySelectorAll('.clause').length === 2")
    assert words(learnt)[1] == ["dose = b"]  # it comes last, where it was added


def test_a_clause_keeps_its_place_while_it_is_edited(learnt: Page) -> None:
    learnt.get_by_role("button", name="Add a condition to clause 1").click()
    learnt.wait_for_selector("#adder-choice option")
    learnt.select_option("#adder-choice", index=2)
    learnt.click("#adder-add")
    learnt.wait_for_selector("#accuracy .delta")
    (first, more), second = words(learnt)
    assert first == "dose = b" and "age" in more and second == ["age > 50", "smoker"]
    learnt.click("button.literal:has-text('smoker')")
    learnt.click("#menu-drop")
    learnt.wait_for_function("() => document.querySelectorAll('button.literal').length === 3")
    assert words(learnt) == [[first, more], ["age > 50"]]  # though the shorter is printed first
    learnt.click("#map svg", position={"x": 900, "y": 8})
    learnt.wait_for_selector(".row-card")
    fired = learnt.locator(".clause.fired .place").all_inner_texts()
    assert fired and all(f"lause {one}" in learnt.inner_text(".row-card") for one in fired[:1])


def test_a_clause_is_kept_and_the_rest_is_learnt(learnt: Page) -> None:
    assert learnt.is_disabled("#rest")
    open_threshold(learnt)
    learnt.focus("#threshold-slider")
    for _ in range(4):
        learnt.keyboard.press("ArrowRight")
    learnt.click("#threshold-move")
    learnt.wait_for_selector("#accuracy .delta")
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_function("() => document.querySelectorAll('.clause').length === 1")
    edited = exported(learnt)
    lock = learnt.get_by_role("button", name="Keep clause 1")
    lock.press("Enter")
    assert lock.get_attribute("aria-pressed") == "true"
    check_accessible(learnt)
    learnt.focus("#rest")
    learnt.keyboard.press("Enter")
    learnt.wait_for_selector("#accuracy .delta", state="detached")
    wait_for_rule(learnt)
    found = words(learnt)
    assert ["age > 54", "smoker"] in found and ["dose = b"] in found
    kept = learnt.locator(".lock[aria-pressed=true]")
    assert kept.count() == 1
    learnt.wait_for_selector("#accuracy:has-text('of unseen rows right')")
    shot(learnt, "20-kept")
    learnt.click("#undo")  # back to a rule that something else was learnt from
    learnt.wait_for_selector("#accuracy .delta")
    wait_for_rule(learnt)
    assert exported(learnt) == edited
