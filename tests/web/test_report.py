"""The report of the page says of itself what is true."""

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnri.data.kinds import ColumnKind
from gnri.data.table import Table
from gnri.rules.dnf import SignedDNF
from gnri.web.jobs import html_report, learn
from gnri.web.rule_view import TableFit
from gnri.web.security import Limits
from gnri.web.table_view import read_upload
from tests.web.serving import table_text

KINDS = {"age": ColumnKind.NUMBER, "smoker": ColumnKind.FLAG, "dose": ColumnKind.CATEGORY}


@pytest.fixture(scope="module")
def table() -> Table:
    return read_upload(table_text(60).encode(), "pets.csv", Limits())


def fit_of(table: Table, columns: dict[str, Any]) -> TableFit:
    asked = {"id": {"kind": "leave out"}, **columns}
    return learn(table, "ill", asked, None, {"form": "dnf"}, lambda *_: None)


def written(table: Table, shown: TableFit) -> str:
    return html_report(table, shown, None, lambda *_: None)["content"]


@pytest.mark.parametrize("columns", [{}, {"age": {"thresholds": [30.5, 50.0]}}])
def test_its_recipe_runs_and_gives_the_same_rules(
    table: Table,
    columns: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    fit = fit_of(table, columns)
    source = written(table, fit)
    recipe = re.search(r"<pre>(.*?)</pre>", source, re.DOTALL)
    assert recipe is not None
    exec(
        html.unescape(recipe[1]),
        {"X": table.cast(KINDS), "y": table["ill"].texts()},
    )
    again = Path("report.html").read_text(encoding="utf-8")
    about_x = " X is the table without id, ill; y is ill."
    assert about_x in source
    unnamed = source.replace(about_x, "").replace("The column ill; ", "")  # `y` has no name
    assert again == unnamed.replace("Rules for ill", "Rules of a classifier")


def test_it_says_what_was_read_otherwise_and_what_was_edited(table: Table) -> None:
    fit = fit_of(table, {"smoker": {"kind": "category"}})
    source = written(table, fit)
    assert "X is the table without id, ill, with smoker read as categories; y is ill." in source
    edited = fit.fitted.minimized.with_rules([SignedDNF([[(0, True)]])])
    source = written(table, fit._replace(rules=edited))
    assert "as they were before the edits" in source
    assert "this same page" not in source


def test_many_columns_are_not_all_named(table: Table) -> None:
    fit = fit_of(table, {})
    wide = {**table.columns, **{f"c{i}": table.columns["id"] for i in range(100)}}
    source = written(replace(table, columns=wide), fit)
    assert "id, ill, c0, c1" in source and "c17 and 82 more;" in source
