"""What a person says of the columns, mistakes included."""

from playwright.sync_api import Page

from tests.web.browsing import choose_file, learn_from, shot, wait_for_rule
from tests.web.serving import table_text


def test_thresholds_that_are_no_numbers_are_refused(learnt: Page) -> None:
    sent: list[str] = []
    learnt.on("request", lambda request: sent.append(request.url))
    learnt.click("#columns-summary")
    field = learnt.get_by_label("Thresholds of age")
    field.fill("")
    field.press_sequentially("50, 6o")
    for button in ("#relearn", "#again"):
        learnt.click(button)
        assert 'numbers with commas between them, got "50, 6o"' in learnt.inner_text("#table-error")
    learnt.select_option("#target", "smoker")
    assert 'got "50, 6o"' in learnt.inner_text("#table-error")
    assert sent == [] and field.input_value() == "50, 6o"
    field.fill("50, 60")
    learnt.click("#relearn")
    wait_for_rule(learnt)
    assert learnt.is_hidden("#table-error")


def test_a_column_that_cannot_be_predicted_says_why(page: Page) -> None:
    learn_from(page, "pets.csv", table_text() + "30,true,a,p120,\n")
    wait_for_rule(page)
    listed = {one.inner_text(): one.is_disabled() for one in page.locator("#target option").all()}
    assert listed["id: too many values"] is True
    assert listed["smoker"] is False and listed["ill"] is False
    assert "1 row without a value of ill will be left out" in page.inner_text("#unlabelled")
    assert "120" in page.inner_text("#accuracy")


def test_nothing_is_learnt_before_the_target_is_told(page: Page) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url.rsplit("/")[-1]))
    choose_file(page, "pets.csv", table_text())
    page.wait_for_selector("#learn:not([hidden])")
    shot(page, "17-target")
    assert page.input_value("#target") == "ill"
    assert page.evaluate("document.activeElement.id") == "target"
    page.select_option("#target", "smoker")
    page.select_option("#form", "auto")
    page.wait_for_timeout(300)
    assert "induce" not in sent and page.is_hidden("#rule")
    page.click("#learn")
    wait_for_rule(page)
    assert sent.count("induce") == 1 and page.is_hidden("#learn")
    assert "smoker" in page.inner_text("#sentences h3") or "true" in page.inner_text("#sentences")


def test_a_column_that_is_ignored_can_be_asked_for(page: Page) -> None:
    rows = "".join(f"{i},{i % 3},{'big' if i > 40 else 'small'}\n" for i in range(60))
    learn_from(page, "counted.csv", f"order_id,legs,class\n{rows}")
    page.wait_for_function("() => !document.querySelector('#jobs').childElementCount")
    if page.is_hidden("#columns"):
        page.click("#columns-summary")
    assert "numbers the rows, from 0 to 59" in page.inner_text("#columns")
    page.get_by_label("order_id is read as").select_option("number")
    page.click("#relearn")
    page.wait_for_function("() => document.querySelector('#relearn').disabled")
    assert "order_id" in page.inner_text("#sentences")


def test_a_column_of_any_name_can_be_left_out(page: Page) -> None:
    rows = "a,dog,big\nb,cat,small\na,dog,big\nb,dog,small\n" * 6
    learn_from(page, "names.csv", "__proto__,constructor,class\n" + rows)
    wait_for_rule(page)
    assert "__proto__" in page.inner_text("#sentences")
    page.click("#columns-summary")
    page.get_by_label("__proto__ is read as").select_option("leave out")
    page.click("#relearn")
    page.wait_for_function("() => document.querySelector('#relearn').disabled")
    words = page.inner_text("#sentences")
    assert "constructor" in words and "__proto__" not in words


def test_a_text_that_makes_numbers_categories_is_named(page: Page) -> None:
    text = table_text().replace("\n", ",n\n", 1)
    rows = [
        f"{row},{'k.A.' if i % 7 == 0 else i % 40}" for i, row in enumerate(text.split("\n")[1:-1])
    ]
    choose_file(page, "pets.csv", "\n".join([text.split("\n")[0], *rows]) + "\n")
    page.wait_for_selector("#columns-summary:has-text(', 1 to check')")
    page.click("#columns-summary")
    said = "; it is read as text, not as numbers: 'k.A.' in row 1 below the header cannot be"
    assert said in page.inner_text("#columns")
