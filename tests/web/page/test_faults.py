"""Files that are no tables, tables that were freed, and a server that is gone."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from gnri.web.security import Limits
from tests.web.browsing import check_accessible, choose_file, learn_from, shot, wait_for_rule
from tests.web.serving import running, table_text
from tests.web.test_bad_input import SCRIPT, zipped


def test_a_file_that_is_no_table(page: Page) -> None:
    for name, data, words in (
        ("empty.csv", b"", "empty.csv is empty"),
        ("ragged.csv", b"a,b\n1\n", "ragged.csv must have 2 cells"),
        ("renamed.csv", zipped(), "renamed.csv is a zip archive"),
    ):
        choose_file(page, name, data)
        page.get_by_role("alert").filter(has_text=words).wait_for()
    shot(page, "11-error")
    check_accessible(page)


def test_a_table_with_nothing_to_predict(page: Page) -> None:
    choose_file(page, "numbers.csv", "a,b\n" + "".join(f"{i}.5,{i}.25\n" for i in range(30)))
    page.wait_for_selector("#table-error:not([hidden])")
    assert "nothing to predict" in page.inner_text("#table-error")


def test_a_file_that_is_too_large_is_not_sent(page: Page) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File([new Uint8Array(200 * 2 ** 20)], "large.csv"));
            document.querySelector("#drop").dispatchEvent(
                new DragEvent("drop", {dataTransfer: files, cancelable: true}));
        }"""
    )
    page.wait_for_selector("#start-error:not([hidden])")
    assert "at most 64 MiB" in page.inner_text("#start-error")
    assert sent == []


def test_markup_in_the_table_is_shown_and_not_run(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"{dialog.type}: {dialog.message}"))
    image = '<img src=x onerror=""alert(2)"">'
    rows = f'"{SCRIPT}","{image}",x\n"b","c",y\n"d","c",y\n' * 6
    learn_from(page, f"{SCRIPT}.csv", f'"{SCRIPT}","{image}","<b>class</b>"\n{rows}')
    wait_for_rule(page)
    page.click("#columns-summary")
    page.click("#map svg", position={"x": 40, "y": 8})
    page.wait_for_selector(".row-card")
    page.click("[data-change=rows]")
    page.wait_for_selector(".played[data-learner=tree]")
    page.click("[data-format=html]")
    page.wait_for_selector("#preview:not([hidden])")
    assert page.locator("main script, main img").count() == 0
    assert SCRIPT in page.inner_text("#table-about")
    shot(page, "12-markup")


def test_a_table_that_was_freed_is_sent_again(learnt: Page, web: httpx.Client) -> None:
    for _ in range(8):  # as many as are kept: ours is the one used longest ago
        web.post("/api/tables", json={"dataset": "iris"})
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    assert learnt.is_hidden("#rule-error")


def test_a_file_that_changed_is_not_the_servers_fault(
    page: Page, web: httpx.Client, tmp_path: Path
) -> None:
    file = tmp_path / "pets.csv"
    file.write_text(table_text(), encoding="utf-8")
    page.set_input_files("#file", file)
    page.click("#learn")
    wait_for_rule(page)
    file.write_text(table_text(100), encoding="utf-8")
    for _ in range(8):
        web.post("/api/tables", json={"dataset": "iris"})
    page.click("[data-format=text]")
    page.wait_for_selector("#take-error:not([hidden])")
    assert "pets.csv cannot be read: it was changed" in page.inner_text("#take-error")


def test_a_file_that_was_declined_can_be_chosen_again(learnt: Page) -> None:
    answers = iter(["dismiss", "accept"])
    learnt.on("dialog", lambda dialog: getattr(dialog, next(answers))())
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    choose_file(learnt, "pets.csv", table_text())
    assert learnt.input_value("#file") == ""
    learn_from(learnt, "pets.csv", table_text())
    learnt.wait_for_selector("#accuracy .delta", state="detached")


def test_a_page_that_is_left_has_its_table_freed(learnt: Page, web: httpx.Client) -> None:
    with learnt.expect_request("**/api/explain") as sent:
        learnt.click("#map svg", position={"x": 40, "y": 8})
    body = sent.value.post_data_json
    assert web.post("/api/explain", json=body).status_code == 200
    learnt.goto("about:blank")
    for _ in range(50):
        if (status := web.post("/api/explain", json=body).status_code) == 404:
            break
        learnt.wait_for_timeout(20)
    assert status == 404


def test_a_file_that_is_no_table_leaves_the_one_before(learnt: Page) -> None:
    choose_file(learnt, "empty.csv", b"")
    learnt.get_by_role("alert").filter(has_text="empty.csv is empty").wait_for()
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    assert learnt.is_hidden("#rule-error")


def test_a_server_that_stopped_is_said_to_have(browser: Browser) -> None:
    with running(Limits(workers=0)) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]")
    choose_file(page, "pets.csv", table_text())
    page.wait_for_selector("#start-error:not([hidden])")
    assert "does not answer" in page.inner_text("#start-error")
    context.close()
