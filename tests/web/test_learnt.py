"""Rules are bare numbers of questions: they are only read as what they were learnt as."""

from typing import Any

import httpx
import pytest

from tests.web.serving import COLUMNS, table_text, upload


@pytest.fixture(scope="module")
def name(web: httpx.Client) -> str:
    found: str = upload(web, table_text()).json()["table"]
    return found


def learn(web: httpx.Client, table: str, target: str, columns: Any = COLUMNS) -> dict[str, Any]:
    body = {"table": table, "target": target, "columns": columns}
    found: dict[str, Any] = web.post("/api/induce", json=body).json()
    return found


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("score", {}),
        ("edits", {"rule": 0, "clause": 0, "literal": 0}),
        ("thresholds", {"rule": 0, "clause": 1, "literal": 0}),
        ("suggest", {"rule": 0}),
        ("explain", {"row": 0}),
        ("export", {"format": "text"}),
    ],
)
def test_what_was_learnt_otherwise_is_not_told_as_this(
    web: httpx.Client, name: str, path: str, asked: dict[str, Any]
) -> None:
    view = learn(web, name, "ill")
    rules = [rule["document"] for rule in view["rules"]]
    body = {"table": name, "learnt": view["learnt"], "rules": rules, **asked}
    assert web.post(f"/api/{path}", json=body).status_code == 200
    learn(web, name, "smoker")
    response = web.post(f"/api/{path}", json=body)
    assert response.status_code == 409
    assert "ask for the rule again" in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        *[
            (path, {})
            for path in ("compare", "audit", "points", "alternatives", "path", "validate")
        ],
        ("playground", {"change": "rows"}),
    ],
)
def test_what_was_learnt_otherwise_is_not_tried_as_this(
    web: httpx.Client, name: str, path: str, asked: dict[str, Any]
) -> None:
    body = {"table": name, "learnt": learn(web, name, "ill")["learnt"], **asked}
    learn(web, name, "smoker")
    response = web.post(f"/api/{path}", json=body)
    assert response.status_code == 409


def test_the_same_table_is_learnt_as_the_same(web: httpx.Client, name: str) -> None:
    first = learn(web, name, "ill")["learnt"]
    again = upload(web, table_text()).json()["table"]
    assert learn(web, again, "ill")["learnt"] == first
    others = [
        learn(web, name, "smoker"),
        learn(web, name, "ill", {**COLUMNS, "age": {"thresholds": [50]}}),
        learn(web, name, "ill", {**COLUMNS, "dose": {"kind": "leave out"}}),
        learn(web, upload(web, table_text(seed=1)).json()["table"], "ill"),
    ]
    assert len({first, *(view["learnt"] for view in others)}) == 5


def test_several_classes_are_told_in_their_order(web: httpx.Client) -> None:
    table = web.post("/api/tables", json={"dataset": "iris"}).json()
    columns = {one["name"]: {} for one in table["columns"] if one["name"] != "class"}
    body = {"table": table["table"], "target": "class", "columns": columns, "form": "dnf"}
    view = web.post("/api/induce", json=body).json()
    assert [rule["label"] for rule in view["rules"]] == ["setosa", "virginica"]
    assert [rule["follows"] for rule in view["rules"]] == [False, True]
    assert view["ending"][0] == "otherwise versicolor"
    rules = [rule["document"] for rule in view["rules"]]
    about = {"table": table["table"], "learnt": view["learnt"]}
    text = web.post("/api/export", json={**about, "format": "text", "rules": rules}).text
    assert "otherwise virginica unless" in text
    for other in ([*rules, rules[0]], rules[:1], [*rules, None], [rules[0], None]):
        response = web.post("/api/score", json={**about, "rules": other})
        assert response.status_code == 422
        assert "must be 2 rules, then null for each of 0 classes" in response.json()["error"]


def test_balanced_rules_are_learnt_as_others(web: httpx.Client, name: str) -> None:
    first = learn(web, name, "ill")["learnt"]
    body = {"table": name, "target": "ill", "columns": COLUMNS, "class_weight": "balanced"}
    balanced = web.post("/api/induce", json=body)
    assert balanced.status_code == 200
    assert balanced.json()["learnt"] != first
    assert web.post("/api/compare", json={"table": name}).status_code == 200
    assert web.post("/api/induce", json=body | {"class_weight": "even"}).status_code == 422


def test_weights_of_rows_and_classes(web: httpx.Client) -> None:
    """The rules are those of repeated rows; the column of weights is no feature."""
    rows = [(n, n % 3, "yes" if n > 12 else "no") for n in range(1, 25)]
    csv = "\n".join(["n,times,ill", *(f"{n},{times + 1},{ill}" for n, times, ill in rows)])
    repeated = "\n".join(
        ["n,ill", *(f"{n},{ill}" for n, times, ill in rows for _ in range(times + 1))]
    )
    body = {"target": "ill", "class_weight": {"yes": 3, "no": 1}}
    found = web.post("/api/induce", json={"csv": csv, "weight": "times", **body}).json()
    expected = web.post("/api/induce", json={"csv": repeated, **body}).json()
    documents = [[rule["document"] for rule in one["rules"]] for one in (found, expected)]
    assert documents[0] == documents[1]
    plain = web.post("/api/induce", json={"csv": csv, "target": "ill"}).json()
    assert plain["learnt"] != found["learnt"]
    for wrong, said in (
        ({"weight": "time"}, "did you mean 'times'?"),
        ({"class_weight": {"yes": 0}}, "class_weight"),
        ({"class_weight": {"yes": 2}}, "no weight for the class 'no'"),
    ):
        response = web.post("/api/induce", json={"csv": csv, "target": "ill", **wrong})
        assert response.status_code == 422 and said in response.json()["error"]
    response = web.post(
        "/api/induce", json={"csv": csv.replace("1,2,no", "1,0,no", 1), "weight": "times", **body}
    )
    assert "must be above 0 here" in response.json()["error"]
