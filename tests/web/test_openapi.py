"""The description of the endpoints is what they do."""

import json
import re
from typing import Any

import httpx
import pytest

from fuzz.targets import rule_list_text
from gnri.estimator.point_tables import FORMS
from gnri.report.facts import OTHERS
from gnri.symmetry.transforms import COLUMN_CHANGES
from gnri.web.app import make_app
from gnri.web.openapi import describe_api
from tests.web.serving import COLUMNS, table_text, upload

RULESET = json.loads(rule_list_text())
CSV = "age,odor,dose,ill,\u00e4\n" + "40,foul,a,1,x\n30,none,b,0,y\n" * 6


@pytest.fixture(scope="module")
def paths() -> Any:
    return describe_api()["paths"]


@pytest.fixture(scope="module")
def table(web: httpx.Client) -> str:
    """One of this file's own: the server keeps a few tables, and other tests send many."""
    name: str = upload(web, table_text()).json()["table"]
    web.post("/api/induce", json={"table": name, "target": "ill", "columns": COLUMNS})
    return name


def schema_of(paths: Any, name: str, kind: str = "application/json") -> dict[str, Any]:
    content = paths[f"/api/{name}"]["post"]["requestBody"]["content"]
    place: str = content[kind]["schema"]["$ref"].rpartition("/")[2]
    found: dict[str, Any] = describe_api()["components"]["schemas"][place]
    return found


def test_the_description_names_every_endpoint(web: httpx.Client) -> None:
    found = web.get("/api/openapi.json").json()
    assert found["openapi"].startswith("3.1")
    for path, operations in found["paths"].items():
        for method, operation in operations.items():
            response = web.request(method, path.replace("{table}", "none"))
            assert response.status_code not in (404, 405), path
            assert operation["summary"]
    assert {path for path, _ in routes()} == set(found["paths"])


def routes() -> list[tuple[str, set[str]]]:
    """Each address under /api, and how it may be asked."""
    api = next(mount for mount in make_app(frozenset()).routes if mount.path == "/api")
    return [(f"/api{route.path}", route.methods) for route in api.routes]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_what_is_asked_the_wrong_way_is_told_the_right_one(web: httpx.Client, method: str) -> None:
    for path, methods in [*routes(), ("/", {"GET", "HEAD"})]:
        response = web.request(method, path.replace("{table}", "none"))
        if method in methods:
            assert response.status_code not in (404, 405), path
        else:
            assert response.status_code == 405, path
            assert set(response.headers["allow"].split(", ")) == methods


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing", "/api/induce/", "/nothing"])
def test_where_there_is_nothing_there_is_nothing(web: httpx.Client, path: str) -> None:
    assert web.get(path).status_code == 404


def test_every_reference_leads_somewhere() -> None:
    document = describe_api()
    named = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document))
    assert set(named) == set(document["components"]["schemas"])


def test_the_choices_are_those_that_are_taken(paths: Any) -> None:
    audit, play = (schema_of(paths, name)["properties"] for name in ("audit", "playground"))
    assert set(audit["learner"]["enum"]) == {"rule", *OTHERS}
    assert set(play["learner"]["enum"]) < {"rule", *OTHERS}
    assert set(schema_of(paths, "induce")["properties"]["form"]["enum"]) == set(FORMS)
    assert set(play["change"]["enum"]) == set(COLUMN_CHANGES)


def test_a_table_is_taken_as_each_content_type_that_is_described(
    web: httpx.Client, paths: Any
) -> None:
    bodies = {
        "text/csv": "a,b\n1,x\n2,y\n",
        "text/tab-separated-values": "a\tb\n1\tx\n2\ty\n",
        "application/json": '{"dataset": "iris"}',
    }
    assert set(paths["/api/tables"]["post"]["requestBody"]["content"]) == set(bodies)
    for kind, body in bodies.items():
        sent = web.post("/api/tables", content=body, headers={"content-type": kind})
        assert sent.status_code == 200
    assert web.post("/api/tables", json={}).status_code == 422
    assert schema_of(paths, "tables")["required"] == ["dataset"]


def test_every_refusal_there_is_is_described(web: httpx.Client, paths: Any) -> None:
    for path, operations in paths.items():
        for method, operation in operations.items():
            described = set(operation["responses"])
            assert {"400", "403", "405", "413", "500", "503"} <= described
            assert ({"408", "415", "422"} <= described) == (method == "post")
            origin = {"origin": "http://evil.example"}
            sent = web.request(method, path.replace("{table}", "none"), headers=origin)
            assert str(sent.status_code) in described


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("induce", {"csv": table_text(30), "target": "ill", "columns": COLUMNS}),
        ("explain", {"rule_list": RULESET, "rows": [{}]}),
        ("predict", {"rule_list": RULESET, "rows": [{}]}),
        ("compare", {"table": "here"}),
        ("score", {"table": "here"}),
        ("edits", {"table": "here", "rule": 0, "clause": 0, "literal": 0}),
        ("thresholds", {"table": "here", "rule": 0, "clause": 1, "literal": 0}),
        ("suggest", {"table": "here", "rule": 0}),
        ("points", {"table": "here"}),
        ("alternatives", {"table": "here"}),
        ("path", {"table": "here"}),
        ("playground", {"table": "here", "change": "rows"}),
        ("audit", {"table": "here"}),
        ("export", {"table": "here", "format": "text"}),
        ("export", {"rule_list": RULESET, "format": "text"}),
    ],
)
def test_what_is_said_to_answer_by_lines_does(
    web: httpx.Client, table: str, paths: Any, name: str, asked: dict[str, Any]
) -> None:
    body = {**asked, "table": table} if "table" in asked else asked
    sent = web.post(f"/api/{name}", json=body, headers={"accept": "application/x-ndjson"})
    kinds = set(paths[f"/api/{name}"]["post"]["responses"]["200"]["content"])
    assert sent.status_code == 200
    assert (sent.headers["content-type"] == "application/x-ndjson") == (len(kinds) == 2)
    assert sent.headers["content-type"] in kinds


@pytest.mark.parametrize(
    ("name", "parts", "taken"),
    [
        ("induce", {"csv", "target"}, True),
        ("induce", {"csv", "table", "target"}, False),
        ("induce", {"target"}, False),
        ("explain", {"table", "row"}, True),
        ("explain", {"table"}, False),
        ("explain", {"rule_list", "csv"}, True),
        ("explain", {"rule_list", "csv", "rows"}, False),
        ("explain", {"rows"}, False),
        ("predict", {"rule_list", "rows"}, True),
        ("predict", {"rule_list"}, False),
        ("audit", {"table"}, True),
        ("audit", {"csv"}, False),
        ("audit", {"table", "columns"}, False),
        ("export", {"format", "table"}, True),
        ("export", {"format", "table", "rule_list"}, False),
    ],
)
def test_parts_that_belong_together_are_described(
    web: httpx.Client, table: str, paths: Any, name: str, parts: set[str], taken: bool
) -> None:
    schema = schema_of(paths, name)
    assert parts <= set(schema["properties"])
    needed = set(schema["required"]) <= parts
    one = sum(parts >= set(group["required"]) for group in schema["oneOf"]) == 1
    pairs = schema.get("dependentRequired", {}).items()
    together = all(set(more) <= parts for part, more in pairs if part in parts)
    assert (needed and one and together) == taken
    values = {
        **{"table": table, "csv": CSV, "rows": [{}], "rule_list": RULESET},
        **{"target": "ill", "columns": {}, "row": 0, "format": "text"},
    }
    sent = web.post(f"/api/{name}", json={part: values[part] for part in parts})
    assert sent.status_code == (200 if taken else 422)
