"""From a table to its rule, as a person sees it in headless Chromium."""

from playwright.sync_api import Page

from tests.web.browsing import check_accessible, learn_from, shot, wait_for_rule
from tests.web.serving import table_text


def test_a_table_becomes_a_rule(page: Page) -> None:
    shot(page, "1-start")
    check_accessible(page)
    learn_from(page, "pets.csv", table_text())
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
    page.click("#learn")
    wait_for_rule(page)
    assert "dropped.csv" in page.inner_text("#table-about")


def test_a_bundled_set_of_three_classes(page: Page) -> None:
    page.click("#sets button:has-text('iris')")
    wait_for_rule(page)
    heads = page.locator(".sentence h3").all_inner_texts()
    assert [head.split()[0] for head in heads] == ["setosa", "otherwise"]
    assert "otherwise versicolor" in page.inner_text("#sentences .ending")
    assert page.locator("#which option").all_inner_texts() == ["setosa", "virginica"]
    page.select_option("#which", label="virginica")
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
    assert "predicted" in (learnt.get_attribute("#row-slider", "aria-valuetext") or "")
    shot(learnt, "4-row")
    check_accessible(learnt)


def test_columns_are_changed_and_learnt_from_again(learnt: Page) -> None:
    learnt.click("#columns-summary")
    assert learnt.is_disabled("#relearn")
    learnt.get_by_label("Thresholds of age").fill("fifty")
    assert learnt.get_attribute("[aria-label='Thresholds of age']", "aria-invalid") == "true"
    learnt.get_by_label("Thresholds of age").fill("50")
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
