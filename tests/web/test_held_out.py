"""The command line, the report and the page say the same of unseen rows, to the last digit."""

import asyncio
import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnri.data.samples import read_sample
from gnri.data.table import Table
from gnri.web.endpoints import Endpoints
from gnri.web.jobs import html_report, learn, validate
from gnri.web.schemas import ExportRequest
from gnri.web.security import Limits
from gnri.web.table_store import TableStore
from gnri.web.table_view import read_upload
from tests.cli.commands import run
from tests.estimator.tables import mushrooms, sizes


def rare() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(120, 3)).round(2), columns=["a", "b", "c"])
    return frame.assign(label=np.where(frame["a"] > 1.2, "yes", "no"))


def labelled(frame: pd.DataFrame, labels: pd.Series) -> pd.DataFrame:
    return frame.assign(label=labels)


def twice() -> pd.DataFrame:
    once = labelled(*mushrooms(40, seed=5))
    return pd.concat([once, once])


TABLES = {
    "two classes, missing cells": (lambda: labelled(*mushrooms(60, seed=1)), "auto"),
    "three classes": (lambda: labelled(*sizes(60, seed=2)), "auto"),
    "imbalanced": (rare, "auto"),
    "points": (lambda: labelled(*sizes(60, seed=3)), "scorecard"),
    "clauses": (lambda: labelled(*mushrooms(60, seed=4)), "dnf"),
    "duplicates": (twice, "auto"),
    "bundled": (lambda: read_sample("monks-1"), "auto"),
}


def words_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html.unescape(page)).split())


@pytest.mark.parametrize("name", TABLES)
def test_there_is_one_figure(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnri.report.facts.CHECKED", ())  # what is slow, and not tested here
    make, form = TABLES[name]
    made = make()
    data = made if isinstance(made, bytes) else made.to_csv(index=False).encode()
    target = "class" if isinstance(made, bytes) else "label"
    (tmp_path / "t.csv").write_bytes(data)
    command = ["induce", tmp_path / "t.csv", "--target", target, "--form", form]
    report = tmp_path / "report.html"
    saved = json.loads(run(*command, "--json", "--report", report).stdout)["held_out"]

    table: Table = read_upload(data, "t.csv", Limits())
    fit = learn(table, target, {}, None, {"form": form}, lambda *_: None)
    found, page = validate(table, fit, lambda *_: None)
    assert not isinstance(found, str)
    assert page["accuracy"] == found.accuracy == saved["accuracy"]
    assert found.by_fold == saved["by_fold"]
    assert ("balanced_accuracy" in saved) == found.imbalanced
    assert found.imbalanced or name != "imbalanced"
    assert found.imbalanced == any(", recall " in line for line in page["lines"])
    assert (found.repeats > 0) == any("duplicate" in line for line in page["lines"])
    from_page = html_report(table, fit, found, lambda *_: None)["content"]
    texts = [words_of(report.read_text(encoding="utf-8")), words_of(from_page)]
    if name in ("imbalanced", "duplicates"):
        texts.append(" ".join(run(*command).stdout.split()))
    for text in texts:
        assert f"{page['share']} {page['lines'][0]}" in text
        for line in page["lines"][1:]:
            assert line[1:] in text
    for text in texts[:2]:
        rows = len(found.codes)
        right = f"Right on {int(np.sum(found.answers == found.codes))} of {rows} rows"
        assert 0 < text.index(page["share"]) < text.index(right)
        assert text.index(right) < text.index("On the training rows")


def test_a_report_has_the_figure_of_its_own_rules() -> None:
    """Also where the table is learnt from again while the rules of the request are read."""

    class Fit:
        digest = ""

        def with_sent(self, *_: object) -> "Fit":
            stored.validation = "of other rules"
            return self

    async def run_job(*job: object) -> object:
        return job[-1]

    store = TableStore(Limits())
    name = store.add(Table({}))
    stored = store.get(name)
    stored.fit, stored.validation = Fit(), "of these rules"  # type: ignore[assignment]
    endpoints = Endpoints(Limits(), store, None)  # type: ignore[arg-type]
    asked = ExportRequest(table=name, format="html")
    assert asyncio.run(endpoints.export(asked, run_job)) == "of these rules"
