"""Another table or target, while things of the one before are shown or still on their way."""

import httpx
from playwright.sync_api import Page

from tests.web.browsing import exported, hold, learn_from, wait_for_rule, wait_until
from tests.web.serving import COLUMNS, table_text

OF_A_RULE = ("#rule", "#rows", "#promise", "#compare", "#take", "#nav")


def table_of(page: Page) -> str:
    """What the server calls the table that the page is about."""
    with page.expect_request("**/api/explain") as sent:
        page.click("#map svg", position={"x": 40, "y": 8})
    page.wait_for_selector(".row-card")
    name: str = sent.value.post_data_json["table"]
    return name


def test_no_rule_is_shown_under_a_table_that_has_none(learnt: Page) -> None:
    held = hold(learnt, "induce")
    learn_from(learnt, "other.csv", "smoker,pet,kind\n" + "true,dog,big\nfalse,cat,small\n" * 9)
    wait_until(learnt, lambda: len(held) == 1)
    learnt.click(".job:has-text('Learning the rule') button")
    learnt.wait_for_selector(".job", state="detached")
    assert "other.csv" in learnt.inner_text("#table-about")
    assert [one for one in OF_A_RULE if learnt.is_visible(one)] == []
    learnt.unroute_all()
    learnt.click("#relearn")
    wait_for_rule(learnt)
    assert "big" in exported(learnt)
    learn_from(learnt, "lonely.csv", "kind\nbig\nsmall\n" * 3)
    learnt.get_by_role("alert").filter(has_text="every column is left out").wait_for()
    assert [one for one in OF_A_RULE if learnt.is_visible(one)] == []


def test_of_two_targets_the_last_is_learnt(learnt: Page) -> None:
    stopped: list[str] = []
    learnt.on("requestfailed", lambda request: stopped.append(request.post_data or ""))
    held = hold(learnt, "induce")
    learnt.select_option("#target", "smoker")
    wait_until(learnt, lambda: len(held) == 1)
    learnt.select_option("#target", "ill")
    wait_until(learnt, lambda: len(held) == 2)
    wait_until(learnt, lambda: any('"target":"smoker"' in body for body in stopped))
    held[1].continue_()
    wait_for_rule(learnt)
    assert exported(learnt).startswith("yes ")


def test_what_is_handed_out_is_what_is_shown(learnt: Page, web: httpx.Client) -> None:
    name, rule = table_of(learnt), exported(learnt)
    # Another page, or a request that nobody waited for, has had something else learnt.
    other = {"table": name, "target": "smoker", "columns": COLUMNS}
    assert web.post("/api/induce", json=other).status_code == 200
    assert exported(learnt) == rule
    # Changed, but not learnt from; then the server forgets the table.
    learnt.click("#columns-summary")
    learnt.get_by_label("dose is read as").select_option("leave out")
    web.delete(f"/api/tables/{name}")
    assert exported(learnt) == rule and "dose" in rule


def test_evidence_goes_with_its_table(learnt: Page) -> None:
    learnt.click("[data-change=rows]")
    learnt.wait_for_selector(".played[data-learner=tree]")
    stopped: list[str] = []
    learnt.on("requestfailed", lambda request: stopped.append(request.url.rsplit("/")[-1]))
    held = hold(learnt, "compare", "audit", "export", "playground")
    for button in ("#compare-ask", "#audit", "[data-format=html]", "[data-change=columns]"):
        learnt.click(button)
    wait_until(learnt, lambda: len(held) == 4)
    learn_from(learnt, "other.csv", table_text(seed=1))
    learnt.wait_for_function(
        "() => document.querySelector('#table-about').innerText.startsWith('other.csv')"
    )
    wait_for_rule(learnt)
    assert {"audit", "compare", "export", "playground"} <= set(stopped)
    assert learnt.locator("#played *, #audited *, #compared *").count() == 0
    assert learnt.is_hidden("#preview")


def test_a_file_of_a_rule_that_was_edited_meanwhile_is_dropped(learnt: Page) -> None:
    held = hold(learnt, "export")
    learnt.click("[data-format=text]")
    wait_until(learnt, lambda: len(held) == 1)
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    with learnt.expect_response("**/api/export"):
        held[0].continue_()
    learnt.wait_for_selector(".job", state="detached")
    assert learnt.is_hidden("#preview")
