"""What can be asked about a rule: changes of its table, other learners, files to take away."""

import json

from playwright.sync_api import Page

from gnri.formats import FORMATS
from tests.web.browsing import check_accessible, learn_from, shot, wait_for_rule
from tests.web.serving import table_text


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
    assert learnt.locator(".learner").count() == 6
    assert "sample" not in learnt.inner_text("#compared")
    shot(learnt, "8-compare")
    check_accessible(learnt)


def test_a_comparison_on_a_sample_says_so(learnt: Page) -> None:
    one = {"name": "this rule learner", "accuracy": 0.9, "by_fold": [0.9] * 5, "size": 2}
    one["unit"] = "clauses or lines"
    found = {"folds": 5, "rows": 8_888, "of": 50_000, "majority": 0.5, "learners": [one]}
    found["left_out"] = {"RIPPER": "it would take too long"}
    line = json.dumps({"result": found}) + "\n"
    kind = "application/x-ndjson"
    learnt.route("**/api/compare", lambda route: route.fulfill(body=line, content_type=kind))
    learnt.click("#compare-ask")
    learnt.wait_for_selector(".learner")
    said = learnt.inner_text("#compared")
    assert "a sample of the 50,000" in said and "RIPPER is left out: it would take too" in said
    assert "The scale begins at 50.0 %, the share of the largest class" in said


def test_the_rule_is_taken_away(learnt: Page) -> None:
    for kind in (*FORMATS, "html"):
        learnt.click(f"[data-format={kind}]")
        learnt.wait_for_selector(f"[data-format={kind}][aria-pressed=true]")
        with learnt.expect_download() as started:
            learnt.click("#download")
        text = started.value.path().read_text(encoding="utf-8")
        assert started.value.suggested_filename == learnt.inner_text("#preview-name")
        if kind == "json":
            assert json.loads(text)["format"] == "gnri-rules"
        if kind == "html":
            assert text.startswith("<!DOCTYPE html>")
        else:
            assert text == learnt.evaluate("document.querySelector('#preview-text').textContent")
    learnt.click("[data-format=sql]")
    learnt.wait_for_selector("[data-format=sql][aria-pressed=true]")
    shot(learnt, "9-take")
    check_accessible(learnt)


def test_long_work_can_be_cancelled_and_goes_on_afterwards(page: Page) -> None:
    learn_from(page, "long.csv", table_text(5_000))
    wait_for_rule(page)
    page.click("#compare-ask")
    page.click(".job button")  # at once: on a fast machine there is a second for it
    page.wait_for_selector(".job", state="detached")
    assert page.locator("#compared .learner").count() == 0
    assert page.is_hidden("#compare-error")
    page.click("[data-change=labels]")  # by the process that came in place of the one stopped
    page.wait_for_selector(".played[data-learner=rule]", timeout=60_000)
    page.click("#compare-ask")
    page.wait_for_selector(".job button")
    shot(page, "13-progress")
    check_accessible(page)
