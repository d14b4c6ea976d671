"""The page, driven as a person drives it, in headless Chromium."""

import json
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

from gnri.web.limits import Limits
from tests.web.browsing import check_accessible, choose_file, opened, share, shot, wait_for_rule
from tests.web.conftest import CHROMIUM
from tests.web.serving import running, table_text
from tests.web.test_bad_input import SCRIPT, zipped


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with opened(browser, address) as found:
        yield found


@pytest.fixture
def learnt(page: Page) -> Page:
    """The page with the rule of a table."""
    choose_file(page, "pets.csv", table_text())
    wait_for_rule(page)
    return page


def test_a_table_becomes_a_rule(page: Page) -> None:
    shot(page, "1-start")
    check_accessible(page)
    choose_file(page, "pets.csv", table_text())
    wait_for_rule(page)
    assert "pets.csv: 120 rows, 5 columns" in page.inner_text("#table-about")
    assert page.input_value("#target") == "ill"
    assert page.inner_text(".sentence h3").startswith("yes ")
    assert page.locator(".clause .card svg").count() == page.locator(".clause").count() > 0
    assert page.locator("#diagram g.switch").count() == page.locator("button.literal").count()
    assert page.evaluate("document.activeElement.id") == "rule-title"
    shot(page, "2-rule")
    check_accessible(page)


def test_a_file_is_dropped(page: Page) -> None:
    handle = page.evaluate_handle(
        """text => {
            const files = new DataTransfer();
            files.items.add(new File([text], "dropped.csv", {type: "text/csv"}));
            return files;
        }""",
        table_text(),
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": handle})
    wait_for_rule(page)
    assert "dropped.csv" in page.inner_text("#table-about")


def test_a_bundled_set_of_three_classes(page: Page) -> None:
    page.click("#sets button:has-text('iris')")
    wait_for_rule(page)
    assert page.locator(".sentence").count() == 3
    page.select_option("#which", "2")
    page.click("[data-change=everything]")
    assert page.wait_for_selector(".played[data-learner=rule][data-identical=true]")
    page.wait_for_selector(".played[data-learner=tree]")
    shot(page, "3-three-classes")


def test_a_row_is_looked_at(learnt: Page) -> None:
    learnt.click("#map svg", position={"x": 700, "y": 12})
    learnt.wait_for_selector(".row-card")
    first = learnt.inner_text(".row-card h3")
    assert learnt.locator("button.literal[data-truth]").count() > 0
    learnt.focus("#row-slider")
    learnt.keyboard.press("ArrowLeft")
    learnt.wait_for_function(
        "old => document.querySelector('.row-card h3').innerText !== old", arg=first
    )
    learnt.click("#next-mistake")
    learnt.wait_for_selector(".row-card .badge.bad")
    assert "answered" in (learnt.get_attribute("#row-slider", "aria-valuetext") or "")
    shot(learnt, "4-row")
    check_accessible(learnt)


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


def test_the_promise_is_kept_before_ones_eyes(learnt: Page) -> None:
    for change in ("rows", "columns", "negations", "labels", "everything"):
        learnt.click(f"[data-change={change}]")
        learnt.wait_for_selector(f"#played[data-change={change}] .played[data-learner=tree]")
        assert learnt.get_attribute(".played[data-learner=rule]", "data-identical") == "true"
        assert "identical" in learnt.inner_text(".played[data-learner=rule] .badge")
        old, new = learnt.locator(".played[data-learner=rule] .side ul").all_inner_texts()
        assert old == new
        assert learnt.locator(".corner svg circle").count() > 50
    shot(learnt, "7-promise")
    check_accessible(learnt)


def test_thirteen_changes_are_counted(learnt: Page) -> None:
    learnt.click("#audit")
    learnt.wait_for_selector("#audited table", timeout=60_000)
    assert "The rule followed 13 of 13 changes" in learnt.inner_text("#audited")
    assert learnt.locator("#audited tbody tr").count() == 13


def test_learners_are_compared(learnt: Page) -> None:
    learnt.click("#compare-ask")
    learnt.wait_for_selector(".learner", timeout=60_000)
    assert learnt.locator(".learner").count() == 4
    shot(learnt, "8-compare")
    check_accessible(learnt)


def test_the_rule_is_taken_away(learnt: Page) -> None:
    for kind in ("text", "sql", "python", "prolog", "latex", "json", "html"):
        learnt.click(f"[data-format={kind}]")
        learnt.wait_for_selector(f"[data-format={kind}][aria-pressed=true]")
        with learnt.expect_download() as started:
            learnt.click("#download")
        text = started.value.path().read_text(encoding="utf-8")
        assert started.value.suggested_filename == learnt.inner_text("#preview-name")
        if kind == "json":
            assert json.loads(text)["format"] == "gnri-ruleset"
        if kind == "html":
            assert text.startswith("<!DOCTYPE html>")
        else:
            assert text == learnt.evaluate("document.querySelector('#preview-text').textContent")
    learnt.click("[data-format=sql]")
    learnt.wait_for_selector("[data-format=sql][aria-pressed=true]")
    shot(learnt, "9-take")
    check_accessible(learnt)


def test_columns_are_changed_and_learnt_from_again(learnt: Page) -> None:
    learnt.click("#columns-summary")
    assert learnt.is_disabled("#relearn")
    learnt.get_by_label("age is cut above").fill("fifty")
    assert learnt.get_attribute("[aria-label='age is cut above']", "aria-invalid") == "true"
    learnt.get_by_label("age is cut above").fill("50")
    learnt.get_by_label("dose is read as").select_option("leave out")
    shot(learnt, "10-columns")
    check_accessible(learnt)
    learnt.click("#relearn")
    learnt.wait_for_function("() => document.querySelector('#relearn').disabled")
    words = learnt.locator("button.literal").all_inner_texts()
    assert "age > 50" in words and not any("dose" in word for word in words)
    learnt.select_option("#target", "smoker")
    learnt.wait_for_function(
        "() => document.querySelector('.sentence').innerText.startsWith('true')"
    )


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
    choose_file(page, f"{SCRIPT}.csv", f'"{SCRIPT}","{image}","<b>class</b>"\n{rows}')
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


def test_long_work_can_be_cancelled_and_goes_on_afterwards(page: Page) -> None:
    choose_file(page, "long.csv", table_text(5_000))
    wait_for_rule(page)
    page.click("#compare-ask")
    page.wait_for_selector(".job button")
    shot(page, "13-progress")
    check_accessible(page)
    page.click(".job button")
    page.wait_for_selector(".job", state="detached")
    assert page.locator("#compared .learner").count() == 0
    assert page.is_hidden("#compare-error")
    page.click("[data-change=labels]")  # by the process that came in place of the one stopped
    page.wait_for_selector(".played[data-learner=rule]", timeout=60_000)


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


def test_a_table_that_was_freed_is_sent_again(learnt: Page, web: httpx.Client) -> None:
    for _ in range(8):  # as many as are kept: ours is the one used longest ago
        web.post("/api/tables", json={"dataset": "iris"})
    learnt.click("button.literal >> nth=0")
    learnt.click("#menu-drop")
    learnt.wait_for_selector("#accuracy .delta")
    assert learnt.is_hidden("#rule-error")


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser: Browser, address: str, scheme: str) -> None:
    small = {"width": 360, "height": 740}
    with opened(browser, address, viewport=small, color_scheme=scheme, has_touch=True) as page:
        shot(page, f"14-phone-{scheme}-start")
        choose_file(page, "pets.csv", table_text())
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
