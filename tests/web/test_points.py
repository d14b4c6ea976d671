"""Point tables, of two classes and of three: what the endpoints answer about them."""

import json
from typing import Any

import httpx
import pytest

from tests.estimator.test_point_tables import mixed_table
from tests.web.serving import ask, upload


@pytest.fixture(scope="module", params=[2, 3])
def points(web: httpx.Client, request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """A table, and the view of its points."""
    frame, labels = mixed_table(3, request.param)
    named = frame.assign(risk=[["low", "high", "middling"][kind] for kind in labels])
    table: str = upload(web, named.to_csv(index=False)).json()["table"]
    body = {"table": table, "target": "risk", "form": "scorecard"}
    return table, web.post("/api/induce", json=body).json()


def test_a_row_has_a_cell_in_each_line_and_they_add_up(web: httpx.Client, points: Any) -> None:
    table, view = points
    documents = [rule["document"] for rule in view["rules"]]
    assert ask(web, "score", table=table, rules=documents) == view and not view["edited"]
    assert len(view["rules"]) == (1 if len(view["classes"]) == 2 else 3)
    right = 0
    for row in range(40):
        found = ask(web, "explain", table=table, row=row, rules=documents)
        *said, _ = found["reason"].split("; ")
        for rule, one, words in zip(view["rules"], found["rules"], said, strict=True):
            cells = zip(rule["lines"], one["cells"], strict=True)
            total = sum(line[1][cell][1] for line, cell in cells)
            assert words.startswith(f"{rule['label']}: {total:g} ")
        right += found["right"]
    assert right > 20


def test_it_follows_every_change(web: httpx.Client, points: Any) -> None:
    table, view = points
    assert ask(web, "audit", table=table)["exact"] is True
    for change in ("columns", "negations", "labels", "everything"):
        for rule in range(len(view["rules"])):
            found = ask(web, "playground", table=table, change=change, rule=rule, seed=rule)
            assert found["identical"] is True and found["differs"]["rows"] == 0
            assert found["expected"]["clauses"] == found["found"]["clauses"] != []
    ask(web, "playground", table=table, change="labels", learner="tree")


def test_files_and_saved_points(web: httpx.Client, points: Any) -> None:
    table, view = points
    saved = json.loads(ask(web, "export", table=table, format="json")["content"])
    assert saved["unit"] > 0
    rows = [{"age": 30, "color": "red", "smoker": True, "weight": None}, {"age": 55}]
    predicted = ask(web, "predict", rule_list=saved, rows=rows)["predictions"]
    explained = ask(web, "explain", rule_list=saved, rows=rows)["rows"]
    assert [row["prediction"] for row in explained] == predicted
    assert all("probability of" in row["reason"] for row in explained)
    text = ask(web, "export", table=table, format="text")["content"]
    assert (
        "points" in text and text == ask(web, "export", rule_list=saved, format="text")["content"]
    )
    page = ask(web, "export", table=table, format="html")["content"]
    assert page.count("exactly that") == 5 and "RuleClassifier(form=&#39;scorecard&#39;)" in page
    assert view["rules"][0]["head"] in text


def test_edits_of_clauses_are_refused_in_one_line(web: httpx.Client, points: Any) -> None:
    table, _ = points
    body = {"table": table, "rule": 0, "clause": 0, "literal": 0}
    answer = web.post("/api/edits", json=body)
    assert answer.status_code == 422 and "scorecard" in answer.json()["error"]
    broken = [{"clauses": [], "points": []}], [{"positive": True}]
    for rules in broken:
        answer = web.post("/api/score", json={"table": table, "rules": rules})
        assert answer.status_code == 422 and "'clauses' or 'points'" in answer.json()["error"]
    answer = web.post("/api/induce", json={"table": table, "target": "risk", "form": "tree"})
    assert answer.status_code == 422 and "form must be one of" in answer.json()["error"]
