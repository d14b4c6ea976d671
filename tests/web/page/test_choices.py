"""Other rules for the same table: floors and weights on a curve, and rules on other columns."""

from random import Random

from playwright.sync_api import Page

from tests.web.browsing import check_accessible, learn_from, shot, wait_for_rule


def noisy_text(rows: int = 400) -> str:
    """A rare class that age tells in part; `years` says nearly the same as `age`."""
    random, lines = Random(2), ["age,years,dose,ill"]
    for _ in range(rows):
        age, dose = random.randint(20, 80), random.choice("abcd")
        ill = age > 62 and (dose != "a" or random.random() < 0.2) and random.random() < 0.8
        lines.append(f"{age},{age + random.choice((0, 0, 0, 1))},{dose},{'yes' if ill else 'no'}")
    return "\n".join(lines) + "\n"


def learn_noisy(page: Page) -> None:
    learn_from(page, "noisy.csv", noisy_text())
    wait_for_rule(page)


def test_a_floor_is_set_on_the_curve_and_learnt(page: Page) -> None:
    learn_noisy(page)
    assert page.locator("button.literal").count() > 0
    assert page.is_disabled("#aim-none")
    page.click("#aim-ask")
    page.wait_for_selector("#aim-curve svg", timeout=60_000)
    points = page.locator("#aim-curve circle").count()
    assert points >= 2 and page.locator("#aim-curve circle.chosen").count() == 1
    assert page.locator("#aim-table tbody tr").count() >= points
    page.focus("#aim-recall")
    page.keyboard.press("PageUp")
    for _ in range(9):
        page.keyboard.press("PageUp" if int(page.input_value("#aim-recall")) < 80 else "ArrowLeft")
    floor = int(page.input_value("#aim-recall"))
    assert floor > 50
    assert page.get_attribute("#aim-recall", "aria-valuetext") == f"{floor} %"
    assert "points have what the floors ask for; the best" in page.inner_text("#aim-note")
    assert page.locator("#aim-curve circle.good").count() <= points
    shot(page, "22-curve")
    check_accessible(page)
    with page.expect_request("**/api/induce") as sent:
        page.click("#aim-learn")
    assert sent.value.post_data_json["min_recall"] == {"yes": floor / 100}
    page.wait_for_selector(f"#aim-now:has-text('recall of yes at least {floor}')", timeout=60_000)
    wait_for_rule(page)
    page.click("#undo")  # to the rule before, which was asked for without floors
    page.wait_for_function("() => !document.querySelector('#aim-now').innerText")
    page.click("#redo")
    page.wait_for_selector("#aim-now:has-text('recall of yes at least')")
    with page.expect_request("**/api/induce") as sent:
        page.click("#aim-none")
    assert "min_recall" not in sent.value.post_data_json
    wait_for_rule(page)


def test_the_weight_of_a_class_is_set_and_a_floor_too_high_is_refused(page: Page) -> None:
    learn_noisy(page)
    page.click("#aim-ask")
    page.wait_for_selector("#aim-curve svg", timeout=60_000)
    page.focus("#aim-weight")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert "a row of yes counts as 4.00 of no" in page.inner_text("#aim-weight-now")
    with page.expect_request("**/api/induce") as sent:
        page.click("#aim-learn")
    assert sent.value.post_data_json["class_weight"] == {"yes": 4, "no": 1}
    page.wait_for_selector("#aim-now:has-text('yes counts 4.00')", timeout=60_000)
    wait_for_rule(page)
    page.click("#aim-ask")
    page.wait_for_selector("#aim-curve svg", timeout=60_000)
    for name in ("precision", "recall"):
        page.focus(f"#aim-{name}")
        page.keyboard.press("End")
    assert "0 of " in page.inner_text("#aim-note")
    page.click("#aim-learn")
    page.wait_for_selector("#table-error:has-text('cannot be reached')", timeout=60_000)
    assert "yes counts 4.00" in page.inner_text("#aim-now")  # the rule is still the one before


def test_alternatives_stand_side_by_side(page: Page) -> None:
    learn_noisy(page)
    page.click("#others-ask")
    page.wait_for_selector("#others .played", timeout=120_000)
    texts = page.locator("#others pre").all_inner_texts()
    assert len(texts) > 1 and len(set(texts)) == len(texts)
    assert "of unseen rows right" in page.inner_text("#others .played >> nth=1")
    shot(page, "23-alternatives")
    check_accessible(page)
    button = page.locator("#others button").first
    name = button.inner_text().removeprefix("Leave out ")
    button.press("Enter")
    page.wait_for_function("() => !document.querySelector('#others').childElementCount")
    wait_for_rule(page)
    assert page.get_by_label(f"{name} is read as").input_value() == "leave out"
    assert all(name not in one for one in page.locator(".sentence").all_inner_texts())


def test_rules_of_each_size_are_listed(page: Page) -> None:
    learn_noisy(page)
    page.focus("#path-ask")
    page.keyboard.press("Enter")
    page.wait_for_selector("#path tbody tr", timeout=120_000)
    rows = [one.split("\t") for one in page.locator("#path tbody tr").all_inner_texts()]
    sizes = [int(cells[0]) for cells in rows]
    assert sizes == sorted(set(sizes))
    assert all("%" in cells[1] and "%" in cells[2] for cells in rows)
    assert " ".join(page.locator("#path pre").last.inner_text().split()).startswith("yes if")
    shot(page, "24-path")
    check_accessible(page)


def test_floors_are_offered_for_two_classes_only(page: Page) -> None:
    page.click("#sets button:has-text('iris')")
    page.wait_for_selector("#aim-many:not([hidden])", timeout=60_000)
    assert page.is_hidden("#aim-two")
