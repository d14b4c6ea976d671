"""What the endpoints answer."""

import json
import sqlite3
from typing import Any

import httpx
import pytest

from tests.web.serving import COLUMNS, table_text, upload


def rules(view: dict[str, Any]) -> list[Any]:
    return [rule["document"] for rule in view["rules"]]


def test_an_upload_is_described(web: httpx.Client) -> None:
    found = upload(web, table_text()).json()
    assert (found["name"], found["rows"], found["target"]) == ("pets.csv", 120, "ill")
    columns = {column["name"]: column for column in found["columns"]}
    assert {name: column["kind"] for name, column in columns.items()} == {
        "age": "number",
        "smoker": "flag",
        "dose": "category",
        "id": "leave out",
        "ill": "category",
    }
    assert 0 < columns["age"]["missing"] < 0.1
    assert len(columns["age"]["thresholds"]) == 9
    assert columns["dose"]["shown"] == ["dose = a", "dose = b", "dose = c", "dose = d"]
    assert "identifier" in columns["id"]["note"]


def test_the_rule_is_that_of_the_classifier(view: dict[str, Any]) -> None:
    from gnri import RuleClassifier
    from gnri.data.arrow import read_delimited
    from tests.columns import read_labels

    read = read_delimited(table_text().encode(), "pets.csv")
    frame, labels = read.select(["age", "smoker", "dose"]).decide(), read_labels(read, "ill")
    classifier = RuleClassifier().fit(frame, labels)
    right = (classifier.predict(frame) == labels).sum()
    assert view["accuracy"]["right"] == right
    (card,) = classifier.statistics_
    assert [clause["text"] for clause in view["rules"][0]["clauses"]] == [
        clause.text for clause in card.clauses
    ]
    assert [c["figures"]["covered"] for c in view["rules"][0]["clauses"]] == [
        clause.figures.covered for clause in card.clauses
    ]


def test_a_table_may_come_along_and_is_then_not_kept(web: httpx.Client) -> None:
    body = {"csv": table_text(), "target": "ill", "columns": COLUMNS}
    found = web.post("/api/induce", json=body).json()
    assert found["classes"] == ["no", "yes"]
    assert "table" not in found


def test_cuts_and_kinds_are_the_persons(web: httpx.Client) -> None:
    columns = {
        **COLUMNS,
        "age": {"kind": "number", "thresholds": [50]},
        "dose": {"kind": "leave out"},
    }
    body = {"csv": table_text(), "target": "ill", "columns": columns}
    found = web.post("/api/induce", json=body).json()
    assert found["questions"] == 2
    assert "age > 50" in str(found["rules"])


def test_edits_are_scored_as_they_were_foretold(
    web: httpx.Client, table: str, view: dict[str, Any]
) -> None:
    place = {"rule": 0, "clause": 0, "literal": 0}
    foretold = web.post("/api/edits", json={"table": table, **place}).json()
    flipped = json.loads(json.dumps(rules(view)))
    flipped[0]["clauses"][0][0][1] = not flipped[0]["clauses"][0][0][1]
    scored = web.post("/api/score", json={"table": table, "rules": flipped}).json()
    assert scored["edited"] is True
    assert scored["accuracy"]["share"] == foretold["flip"] != view["accuracy"]["share"]
    back = web.post("/api/score", json={"table": table, "rules": rules(view)}).json()
    assert back == view


def test_every_row_is_explained_as_the_map_draws_it(
    web: httpx.Client, table: str, view: dict[str, Any]
) -> None:
    strips = view["map"]["strips"]
    for place, row in list(enumerate(view["map"]["order"]))[::13]:
        found = web.post("/api/explain", json={"table": table, "row": row}).json()
        fired = found["rules"][0]["fired"]
        drawn = [s["clause"] for s in strips if any(a <= place < b for a, b, *_ in s["bars"])]
        assert fired == drawn
        assert found["right"] == (place not in view["map"]["mistakes"])
        assert fired or found["rules"][0]["closest"]


@pytest.mark.parametrize("change", ["rows", "columns", "negations", "labels", "everything"])
def test_the_rule_keeps_its_promise(web: httpx.Client, table: str, change: str) -> None:
    body = {"table": table, "change": change, "seed": 5}
    found = web.post("/api/playground", json=body).json()
    assert found["identical"] is True and found["same"] is True
    assert found["expected"] == found["found"]
    assert found["differs"] == {"rows": 0, "sample": 0, "of": [120, 2000]}


def test_a_tree_is_seen_to_change(web: httpx.Client) -> None:
    copies = "a,b,c,d,class\n" + "1,1,1,1,x\n0,0,0,0,y\n" * 4
    name = upload(web, copies).json()["table"]
    web.post("/api/induce", json={"table": name, "target": "class"})
    body = {"table": name, "change": "columns", "learner": "tree"}
    found = [web.post("/api/playground", json={**body, "seed": s}).json() for s in range(5)]
    assert not all(one["same"] for one in found)
    changed = next(one for one in found if not one["same"])
    assert changed["differs"]["sample"] > 0
    assert changed["expected"]["clauses"] != changed["found"]["clauses"]


def test_the_audit_is_that_of_the_library(web: httpx.Client, table: str) -> None:
    found = web.post("/api/audit", json={"table": table}).json()
    assert found["exact"] is True
    assert len(found["gaps"]) == 13


def test_learners_are_compared_on_the_same_folds(web: httpx.Client, table: str) -> None:
    found = web.post("/api/compare", json={"table": table}).json()
    assert [len(one["by_fold"]) for one in found["learners"]] == [5] * 6
    assert all(0.3 < one["accuracy"] <= 1 for one in found["learners"])


def test_progress_comes_by_lines(web: httpx.Client, table: str) -> None:
    accept = {"accept": "application/x-ndjson"}
    with web.stream("POST", "/api/compare", json={"table": table}, headers=accept) as response:
        lines = [json.loads(line) for line in response.iter_lines()]
    assert "result" in lines[-1]
    shares = [line["progress"] for line in lines[:-1]]
    assert len(shares) > 10 and shares == sorted(shares)


def test_an_error_after_the_first_step_comes_by_lines_too(web: httpx.Client) -> None:
    body, accept = {"csv": table_text(), "target": "id"}, {"accept": "application/x-ndjson"}
    response = web.post("/api/induce", json=body, headers=accept)
    *steps, last = [json.loads(line) for line in response.text.splitlines()]
    assert response.status_code == 200 and all("progress" in step for step in steps)
    assert last["status"] == 422 and "holds 120 different values" in last["error"]


def test_what_cannot_be_used_is_left_out(web: httpx.Client) -> None:
    """Rows and columns alike; the row that is explained is the one with a label."""
    text = table_text().replace("ill\n", "ill\n30,true,a,new,\n", 1)
    name = upload(web, text).json()["table"]
    view = web.post("/api/induce", json={"table": name, "target": "ill"}).json()
    plain = {"csv": table_text(), "target": "ill", "columns": COLUMNS}
    assert rules(view) == rules(web.post("/api/induce", json=plain).json())
    assert view["rows"] == 120
    found = web.post("/api/explain", json={"table": name, "row": 0}).json()
    assert found["cells"]["id"] == "p0"


def test_an_error_before_the_first_step_has_its_status(web: httpx.Client) -> None:
    headers = {"content-type": "text/csv", "accept": "application/x-ndjson"}
    response = web.post("/api/tables", content=b"a,b\n1\n", headers=headers)
    assert response.status_code == 422 and "must have 2 cells" in response.json()["error"]


def test_exports_answer_as_the_rule_does(
    web: httpx.Client, table: str, view: dict[str, Any]
) -> None:
    def export(to: str) -> str:
        content: str = web.post("/api/export", json={"table": table, "format": to}).json()[
            "content"
        ]
        return content

    saved = json.loads(export("json"))
    csv = table_text()
    answers = web.post("/api/predict", json={"rule_list": saved, "csv": csv}).json()["predictions"]
    labels = [line.rsplit(",", 1)[1] for line in csv.splitlines()[1:]]
    right = sum(a == b for a, b in zip(answers, labels, strict=True))
    assert right == view["accuracy"]["right"]

    scope: dict[str, Any] = {}
    exec(export("python"), scope)
    assert [scope["predict"](row) for row in typed(csv)] == answers

    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (age REAL, smoker INTEGER, dose TEXT)")
    rows = [(row["age"], row["smoker"], row["dose"]) for row in typed(csv)]
    base.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
    assert [row[-1] for row in base.execute(export("sql"))] == answers
    base.close()

    assert "predict" in export("prolog") and "yes" in export("text")
    assert "<script" not in export("html") and "What does not matter" in export("html")


def typed(csv: str) -> list[dict[str, Any]]:
    cells = [line.split(",") for line in csv.splitlines()[1:]]
    return [
        {"age": float(age) if age else None, "smoker": smoker == "true", "dose": dose}
        for age, smoker, dose, *_ in cells
    ]


def test_an_edited_rule_is_reported_as_edited(
    web: httpx.Client, table: str, view: dict[str, Any]
) -> None:
    shorter = [{**rule, "clauses": rule["clauses"][:1]} for rule in rules(view)]
    body = {"table": table, "format": "html", "rules": shorter}
    assert "edited by hand" in web.post("/api/export", json=body).json()["content"]


def test_rows_of_ones_own_are_explained(web: httpx.Client, table: str) -> None:
    text = web.post("/api/export", json={"table": table, "format": "json"}).json()["content"]
    rows = [{"age": 70, "smoker": True, "dose": "a"}, {"age": None, "smoker": False, "dose": "a"}]
    body = {"rule_list": json.loads(text), "rows": rows}
    first, second = web.post("/api/explain", json=body).json()["rows"]
    assert first["prediction"] == "yes" and first["fired"][0]["label"] == "yes"
    assert second["prediction"] == "no" and second["fired"] == []


def test_three_classes_have_two_rules(web: httpx.Client) -> None:
    found = web.post("/api/tables", json={"dataset": "iris"}).json()
    view = web.post(
        "/api/induce", json={"table": found["table"], "target": "class", "form": "dnf"}
    ).json()
    assert [rule["label"] for rule in view["rules"]] == ["setosa", "virginica"]
    body = {"table": found["table"], "change": "everything", "rule": 1}
    assert web.post("/api/playground", json=body).json()["identical"] is True


def test_a_freed_table_is_gone(web: httpx.Client) -> None:
    name = upload(web, table_text()).json()["table"]
    assert web.delete(f"/api/tables/{name}").status_code == 204
    response = web.post("/api/induce", json={"table": name, "target": "ill"})
    assert response.status_code == 404
    assert "send it again" in response.json()["error"]
