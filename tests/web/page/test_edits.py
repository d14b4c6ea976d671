"""Literals dropped, flipped and brought back."""

import pytest
from playwright.sync_api import Error, Page

from tests.web.browsing import share, shot


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
