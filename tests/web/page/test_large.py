"""The largest table that the page takes: how long an edit is on its way."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser

from gnri.web.security import Limits
from tests.web.browsing import choose_file, opened, wait_for_rule
from tests.web.serving import running

LONGEST = 10.0
"""Seconds from the click until the page shows an edit; on a machine that is not busy it is one."""


def large_text(rows: int = 200_000) -> str:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"n{i}": rng.normal(size=rows).round(3) for i in range(8)})
    for i in range(4):
        frame[f"c{i}"] = rng.choice(list("abcdef"), rows)
    frame["flag"] = rng.random(rows) < 0.5
    first = (frame["n0"] > 0.7) & (frame["c0"] != "a")
    ill = first | ((frame["n1"] < -1) & frame["flag"]) | (rng.random(rows) < 0.04)
    text: str = frame.assign(ill=np.where(ill, "yes", "no")).to_csv(index=False)
    return text


@pytest.mark.slow
def test_edits_of_200_000_rows_are_quick(browser: Browser) -> None:
    seconds: dict[str, float] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        seconds[name] = round(time.perf_counter() - started, 2)

    with running(Limits()) as address, opened(browser, address) as page:
        page.set_default_timeout(120_000)
        with timed("read"):
            choose_file(page, "large.csv", large_text())
            page.wait_for_selector("#learn:not([hidden])")
        with timed("learn"):
            page.click("#learn")
            wait_for_rule(page)
        with timed("slider"):
            page.click("button.literal:has-text('n0')")
            page.wait_for_selector("#threshold:not([hidden])")
        page.focus("#threshold-slider")
        page.keyboard.press("ArrowRight")
        with timed("move the threshold"):
            page.click("#threshold-move")
            page.wait_for_selector("#accuracy .delta")
        with timed("conditions to add"):
            page.click("button.tool >> nth=0")
            page.wait_for_selector("#adder-choice option")
        page.click("#adder-close")
        with timed("clauses to add"):
            page.click("[data-add='0']")
            page.wait_for_selector("#adder-choice option")
        with timed("add a clause"):
            page.click("#adder-add")
            page.wait_for_selector(".clause >> nth=2")
        with timed("undo"):
            page.click("#undo")
            page.wait_for_selector(".clause >> nth=2", state="detached")
    print(seconds)
    assert all(took < LONGEST for name, took in seconds.items() if name not in ("read", "learn"))
