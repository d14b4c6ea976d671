"""Literals dropped, flipped and brought back."""

import pytest
from playwright.sync_api import Error, Page

from tests.web.browsing import exported, share, shot


def test_a_literal_is_edited_and_the_edit_undone(learnt: Page) -> None:
    before = share(learnt)
    learnt.click("button.literal >> nth=0")
    foretold = learnt.wait_for_selector("#menu-flip b").inner_text()
    shot(learnt, "5-menu")
    learnt.click("#menu-flip")
    learnt.wait_for_selector("#accuracy .delta")
    assert share(learnt) == foretold != before
    shot(learnt, "6-edited")
    learnt.click("#undo")
    learnt.wait_for_selector("#accuracy .delta", state="detached")
    assert share(learnt) == before
    learnt.click("#redo")
    learnt.wait_for_selector("#accuracy .delta")
    learnt.click("#again")
    learnt.wait_for_selector("#accuracy .delta", state="detached")
    assert share(learnt) == before
    learnt.keyboard.press("Control+z")  # what was asked for again can be undone as well
    learnt.wait_for_selector("#accuracy .delta")


def test_the_keyboard_alone_is_enough(learnt: Page) -> None:
    literals = learnt.locator("button.literal").count()
    for _ in range(60):
        learnt.keyboard.press("Tab")
        if learnt.evaluate("document.activeElement.matches('button.literal')"):
            break
    learnt.keyboard.press("Enter")
    assert learnt.evaluate("document.activeElement.id") == "menu-drop"
    learnt.keyboard.press("Escape")
    assert learnt.evaluate("document.activeElement.matches('button.literal')")
    learnt.keyboard.press("Enter")
    learnt.keyboard.press("Enter")
    learnt.wait_for_selector("#accuracy .delta")
    assert learnt.locator("button.literal").count() == literals - 1
    assert learnt.evaluate("document.activeElement !== document.body")


def test_every_clause_can_be_dropped(learnt: Page) -> None:
    while left := learnt.locator("button.literal").count():
        learnt.click("button.literal >> nth=0")
        learnt.click("#menu-drop")
        learnt.wait_for_function(
            "left => document.querySelectorAll('button.literal').length < left", arg=left
        )
    assert "all clauses are gone" in learnt.inner_text("#sentences")
    learnt.click("#undo")
    learnt.wait_for_selector("button.literal")


def test_a_reload_warns_of_edits_until_they_are_taken(learnt: Page) -> None:
    asked: list[str] = []
    learnt.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    with pytest.raises(Error):  # to stay is to break off the reload
        learnt.reload(timeout=2_000)
    assert asked == ["beforeunload"]
    learnt.click("[data-format=text]")
    learnt.wait_for_selector("#preview:not([hidden])")
    with learnt.expect_download():
        learnt.click("#download")
    learnt.reload()
    assert asked == ["beforeunload"]


def drop_first(page: Page) -> None:
    left = page.locator("button.literal").count()
    page.click("button.literal >> nth=0")
    page.click("#menu-drop")
    page.wait_for_function(
        "left => document.querySelectorAll('button.literal').length < left", arg=left
    )


PRESS = """([id, times]) => {
    for (let i = 0; i < times; i++) document.getElementById(id).click();
}"""


def test_steps_in_one_tick_are_taken_one_after_the_other(learnt: Page) -> None:
    shares = [share(learnt)]
    drop_first(learnt)
    shares.append(share(learnt))
    learnt.click("button.literal >> nth=0")
    learnt.evaluate(PRESS, ["menu-drop", 2])  # the second is of a rule that is gone by then
    learnt.wait_for_function(
        "old => document.querySelector('#accuracy .trained').innerText !== old", arg=shares[1]
    )
    shares.append(share(learnt))
    learnt.evaluate(PRESS, ["undo", 2])
    learnt.wait_for_selector("#undo:disabled")
    assert share(learnt) == shares[0]
    learnt.evaluate(PRESS, ["redo", 2])
    learnt.wait_for_selector("#redo:disabled")
    assert share(learnt) == shares[2]
    for _ in range(4):
        learnt.keyboard.press("Control+z")
    learnt.wait_for_selector("#undo:disabled")
    learnt.keyboard.press("Control+Shift+z")
    learnt.wait_for_selector("#undo:enabled")
    assert share(learnt) == shares[1]


def test_an_undo_that_fails_changes_nothing(learnt: Page) -> None:
    drop_first(learnt)
    rule = exported(learnt)
    learnt.route("**/api/score", lambda route: route.fulfill(status=503, json={"error": "busy"}))
    learnt.click("#undo")
    learnt.get_by_role("alert").filter(has_text="busy").wait_for()
    learnt.unroute_all()
    assert exported(learnt) == rule
    learnt.click("#undo")
    learnt.wait_for_selector("#undo:disabled")
    assert exported(learnt) != rule


def test_the_keyboard_is_not_left_nowhere(learnt: Page) -> None:
    for key, times, place in (("Tab", 3, 1), ("Shift+Tab", 1, -1)):
        learnt.focus("button.literal >> nth=0")
        learnt.keyboard.press("Enter")
        learnt.wait_for_selector("#menu:popover-open")
        for _ in range(times):
            learnt.keyboard.press(key)
        assert learnt.locator("#menu:popover-open").count() == 0
        now = learnt.evaluate(
            "[...document.querySelectorAll('#sentences button')].indexOf(document.activeElement)"
        )
        assert now == place
        assert learnt.evaluate("document.activeElement !== document.body")
    drop_first(learnt)
    learnt.focus("#undo")
    learnt.keyboard.press("Enter")
    learnt.wait_for_selector("#undo:disabled")
    assert learnt.evaluate("document.activeElement.id") == "redo"
